import type { CallToolResult, ContentBlock, Tool as McpTool } from '@modelcontextprotocol/server';
import type { Json, JsonObject, JsonSchema } from '../base/json/json.ts';
import { isJsonObject, toJson } from '../base/json/json.ts';
import { toBase64 } from '../base/bytes.ts';
import type { MediaPart, Part } from '../contracts/content/part.ts';
import { isLink, isMedia, isPartList, partText } from '../contracts/content/part.ts';
import { isTextType } from '../contracts/content/media-type.ts';
import type { RunResult } from '../contracts/runs/run-result.ts';
import type { AnyAgent } from '../runtime/define/agent-registry.ts';
import { definitionOf } from '../runtime/define/definition.ts';
import { jsonSchemaOf } from '../tools/schemas/schemas.ts';

/** Reads the bytes of media of a run. */
export type BytesOf = (part: MediaPart) => Promise<Uint8Array>;

/** The result of a call, of that of its run: the answer, with the media that its model made. Rejects with `content.missing`. */
export const resultOf = async (
  { output, stopReason, transcript }: RunResult<unknown, unknown>,
  agent: AnyAgent,
  bytesOf: BytesOf,
): Promise<CallToolResult> => {
  if (output === undefined) return failedResult(`It ended without an answer: ${stopReason.kind}`);
  const value = toJson(output);
  const last = transcript.at(-1);
  const made = last?.role === 'assistant' ? (last.parts ?? []) : [];
  const parts = isPartList(output) ? output : [...textParts(value, made.length > 0), ...made];
  const content = await Promise.all(parts.map((part) => blockOf(part, bytesOf)));
  const isStructured = schemasOf(agent).output !== undefined && isJsonObject(value);
  return { content, ...(isStructured ? { structuredContent: value } : {}) };
};

/** A value as text; none for an empty one beside media. */
const textParts = (value: Json, isAmongMedia: boolean): readonly Part[] => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === '' && isAmongMedia ? [] : [{ type: 'text', text }];
};

/** A part as content of MCP. */
const blockOf = async (part: Part, bytesOf: BytesOf): Promise<ContentBlock> => {
  if (isLink(part)) {
    const { url: uri, name = uri, mediaType } = part;
    return { type: 'resource_link', uri, name, ...(mediaType === undefined ? {} : { mimeType: mediaType }) };
  }
  if (!isMedia(part)) return { type: 'text', text: partText(part) };
  const { type, mediaType: mimeType, hash, name } = part;
  const bytes = await bytesOf(part);
  if (type !== 'file') return { type, data: toBase64(bytes), mimeType };
  const uri = `troupe://content/${hash}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
  const text = isTextType(mimeType) ? textIn(bytes) : undefined;
  const content = text === undefined ? { blob: toBase64(bytes) } : { text };
  return { type: 'resource', resource: { uri, mimeType, ...content } };
};

/** The text that bytes are in UTF-8; undefined if they are none. */
const textIn = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** The result of a call that failed. */
export const failedResult = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
});

/** The schemas of an agent's input and answer; undefined for a text. */
export const schemasOf = (
  agent: AnyAgent,
): { readonly input: JsonSchema | undefined; readonly output: JsonObject | undefined } => {
  const defined = definitionOf(agent)?.agent;
  const { input } = defined?.schemas ?? {};
  const answer = defined?.output?.spec.schema;
  return {
    input: defined?.takesText === false && input !== undefined ? jsonSchemaOf(input) : undefined,
    output: answer?.['type'] === 'object' ? answer : undefined,
  };
};

/** The parameters of an agent that takes a text. */
export const TEXT_INPUT: JsonSchema = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The task, in words.' } },
  required: ['input'],
};

/** An agent as a tool. */
export const toolOf = (agent: AnyAgent): McpTool => {
  const { input = TEXT_INPUT, output } = schemasOf(agent);
  return {
    name: agent.name,
    description: agent.description === '' ? `Runs the agent ${agent.name}.` : agent.description,
    inputSchema: { type: 'object', ...(isJsonObject(input) ? input : {}) },
    ...(output === undefined ? {} : { outputSchema: { type: 'object', ...output } }),
    execution: { taskSupport: 'optional' },
  };
};
