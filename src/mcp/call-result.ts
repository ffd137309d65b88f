import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/server';
import type { JsonObject, JsonSchema } from '../base/json/json.ts';
import { isJsonObject, toJson } from '../base/json/json.ts';
import type { RunResult } from '../contracts/runs/run-result.ts';
import type { AnyAgent } from '../runtime/define/agent-registry.ts';
import { definitionOf } from '../runtime/define/definition.ts';
import { jsonSchemaOf } from '../tools/schemas/schemas.ts';

/** The result of a call, of that of its run. */
export const resultOf = (
  { output, stopReason }: RunResult<unknown, unknown>,
  agent: AnyAgent,
): CallToolResult => {
  if (output === undefined) return failedResult(`It ended without an answer: ${stopReason.kind}`);
  const value = toJson(output);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const isStructured = schemasOf(agent).output !== undefined && isJsonObject(value);
  return { content: [{ type: 'text', text }], ...(isStructured ? { structuredContent: value } : {}) };
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
