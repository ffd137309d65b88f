import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { oneLine, printable } from '../../base/text/printable.ts';
import { issuesText } from '../../base/schemas/schema.ts';
import type { Artifact } from '../../contracts/tools/tool-result.ts';
import type { Dual } from '../calls/tool-result.ts';
import { dual, failed } from '../calls/tool-result.ts';
import { jsonSchemaIssues } from '../schemas/json-schema-check.ts';

/** The call that has a result, for its errors and the names of its files. */
export interface ResultPlace {
  readonly server: string;
  readonly tool: string;
  readonly callId: string;
  readonly outputSchema: JsonObject | undefined;
}

/**
 * Converts the result of a server's tool: texts for the model, structured content as the value, and binary content as artifacts.
 *
 * @throws {TroupeError} `tool.failed` with the server's own words for a failure, `mcp.protocol` for content that is not what the server
 * declared.
 */
export const mcpResult = (result: CallToolResult, place: ResultPlace): Dual => {
  const { content, structuredContent, isError } = result;
  const artifacts: Artifact[] = [];
  const texts = content.map((block) => textOf(block, place, artifacts));
  const text = texts.filter((each) => each !== '').join('\n');
  if (isError === true) return failed(text === '' ? `${place.tool} failed, and said no more` : text);
  const value = structuredContent === undefined ? undefined : toJson(structuredContent);
  if (place.outputSchema !== undefined) checkStructure(value, place.outputSchema, place);
  return dual({
    text: text === '' && value !== undefined ? JSON.stringify(value) : text,
    value: value ?? text,
    ...(artifacts.length === 0 ? {} : { artifacts }),
  });
};

const checkStructure = (value: unknown, schema: JsonObject, { server, tool }: ResultPlace): void => {
  const found =
    value === undefined
      ? 'it has no structured content'
      : issuesText(
          jsonSchemaIssues(schema, toJson(value)).map(({ path, message }) => ({
            path: path.join('.'),
            message,
          })),
        );
  const isValid = value !== undefined && jsonSchemaIssues(schema, toJson(value)).length === 0;
  if (!isValid)
    throw new TroupeError(
      'mcp.protocol',
      `Cannot use the result of '${tool}' as it is not what the MCP server '${server}' declared: ${found}`,
      { retryable: 'no' },
    );
};

const textOf = (block: ContentBlock, place: ResultPlace, artifacts: Artifact[]): string => {
  switch (block.type) {
    case 'text':
      return printable(block.text);
    case 'image':
    case 'audio':
      return keepFile(
        { mediaType: block.mimeType, content: block.data, encoding: 'base64' },
        place,
        artifacts,
      );
    case 'resource_link':
      return `Resource ${oneLine(block.name)}: ${oneLine(block.uri, 500)}`;
    case 'resource': {
      const { resource } = block;
      const about = `Resource ${oneLine(resource.uri, 500)}:`;
      if ('text' in resource) return `${about}\n${printable(resource.text)}`;
      const mediaType = resource.mimeType ?? 'application/octet-stream';
      return `${about} ${keepFile({ mediaType, content: resource.blob, encoding: 'base64' }, place, artifacts)}`;
    }
    default:
      return '(content of an unknown kind)';
  }
};

/** Keeps binary content as an artifact of the run; the model reads that it is there. */
const keepFile = (
  file: Omit<Artifact, 'name'>,
  { callId, tool }: ResultPlace,
  artifacts: Artifact[],
): string => {
  const name = `${callId}-${tool}-${artifacts.length + 1}`;
  artifacts.push({ ...file, name });
  const bytes = Math.floor((file.content.replace(/={1,2}$/, '').length * 3) / 4);
  return `[${oneLine(file.mediaType, 100)}, ${bytes} bytes, kept as ${name}]`;
};

/** The schema of structured content, if it is one. */
export const outputSchemaOf = (schema: unknown): JsonObject | undefined => {
  const plain = schema === undefined ? undefined : toJson(schema);
  return isJsonObject(plain) ? plain : undefined;
};
