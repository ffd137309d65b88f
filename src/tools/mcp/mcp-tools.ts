import type { Tool as McpTool } from '@modelcontextprotocol/client';
import { canonical } from '../../base/json/canonical.ts';
import type { Json, JsonObject, JsonSchema } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { sha256 } from '../../base/sha256.ts';
import { nearestName } from '../../base/text/nearest-name.ts';
import { printable } from '../../base/text/printable.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import type { Safety, Tool, ToolContext } from '../../contracts/tools/tool.ts';
import { tool } from '../define/define-tool.ts';
import { isToolName } from '../define/tool-options.ts';
import { brokenReference } from '../schemas/json-schema-reference.ts';
import type { McpServerOptions } from './mcp-options.ts';
import { outputSchemaOf } from './mcp-result.ts';

/** Longest description that a model is shown, of a tool and of each of its parameters, in characters. */
const MAX_DESCRIPTION = 2_000;
const MAX_PARAMETER = 500;

/** Larger schemas are refused, in characters of JSON. */
const MAX_SCHEMA = 100_000;

/** More tools of one server are left out. */
const MAX_TOOLS = 500;

/** The calls that tools make of their connection. */
export interface McpCaller {
  /** The reason why a tool is held; undefined if it may be called. */
  heldFor(name: string): string | undefined;
  /** True if a person must decide about a held tool. */
  asksAbout(name: string): boolean;
  call(definition: McpTool, input: JsonObject, context: ToolContext): Promise<unknown>;
}

/** Tools of a server, and the reasons for those that were left out. */
export interface McpToolList {
  readonly tools: readonly Tool[];
  readonly refused: Readonly<Record<string, string>>;
}

/** A fingerprint of what a server says of a tool: whatever a model or a policy relies on. */
export const fingerprintOf = ({
  description,
  inputSchema,
  outputSchema,
  annotations,
  title,
}: McpTool): string =>
  sha256(
    canonical(
      toJson({
        title: title ?? null,
        description: description ?? null,
        inputSchema,
        outputSchema: outputSchema ?? null,
        annotations: annotations ?? null,
      }),
    ),
  );

/** Makes tools of the definitions that a server lists; one that cannot be used is left out, and the others stay. */
export const mcpTools = (
  listed: readonly McpTool[],
  options: McpServerOptions,
  caller: McpCaller,
): McpToolList => {
  const tools: Tool[] = [];
  const refused: Record<string, string> = {};
  const names = new Set<string>();
  const wanted = listed.filter(({ name }) => options.only?.includes(name) ?? true);
  for (const name of options.only ?? [])
    if (!listed.some((each) => each.name === name)) refused[name] = 'the server has no such tool';
  for (const [index, definition] of wanted.entries()) {
    const shown = printable(definition.name).slice(0, 100);
    try {
      if (index >= MAX_TOOLS) throw new Error(`the server has more than ${MAX_TOOLS} tools`);
      const name = freeName(definition.name, names);
      tools.push(mcpTool(name, definition, options, caller));
      names.add(name);
    } catch (thrown) {
      refused[shown] = messageOf(thrown).slice(0, 300);
    }
  }
  return { tools, refused };
};

/** The problems of names in `only` that the server does not have. One that it had when this run first opened it is held instead. */
export const misnamedTools = (
  listed: readonly McpTool[],
  { only = [] }: McpServerOptions,
  before: Readonly<Record<string, string>> = {},
): readonly string[] => {
  const names = listed.map(({ name }) => name);
  const unknown = only.filter((name) => !names.includes(name) && !Object.hasOwn(before, name));
  return unknown.map((name) => {
    const nearest = nearestName(name, names);
    return `\`only\` names the tool '${name}', which it does not have${nearest === undefined ? '' : `: did you mean '${nearest}'?`}`;
  });
};

const mcpTool = (name: string, definition: McpTool, options: McpServerOptions, caller: McpCaller): Tool => {
  const { annotations = {} } = definition;
  const safety = options.safety?.[definition.name] ?? safetyOf(definition);
  const isHeld = caller.heldFor(definition.name) !== undefined;
  const needsApproval = approvalOf(definition.name, options, safety);
  const title = printable(annotations.title ?? definition.title ?? definition.name).slice(0, 100);
  const made = tool({
    name,
    ...(isHeld ? HELD : { description: describeTool(definition), parameters: parametersOf(definition) }),
    category: 'mcp',
    tags: ['mcp', options.name],
    safety,
    idempotent: safety === 'read' || annotations.idempotentHint === true,
    // The call keeps its own time, which does not pass while a person is asked.
    timeoutMs: Infinity,
    approval: () => needsApproval || caller.asksAbout(definition.name),
    describe: () => describeCall(title, options.name, caller.heldFor(definition.name)),
    execute: (input: Json, context) => caller.call(definition, isJsonObject(input) ? input : {}, context),
  });
  const value = isHeld ? undefined : valueSchemaOf(definition);
  // Results are validated by the session, whose errors name the server.
  return value === undefined ? made : Object.defineProperty(made, 'outputSchema', { value });
};

/** The schema of structured content, for programs that call the tool; none for one that cannot be read. */
const valueSchemaOf = ({ outputSchema }: McpTool): JsonSchema | undefined => {
  const schema = outputSchemaOf(outputSchema);
  if (schema === undefined || JSON.stringify(schema).length > MAX_SCHEMA) return undefined;
  return brokenReference(schema) === undefined ? boundedSchema(schema) : undefined;
};

/** A held definition is not shown to a model: its text may be what makes it dangerous. */
const HELD = {
  description: 'Held: its definition changed since it was approved.',
  parameters: { type: 'object' },
} as const;

const describeCall = (title: string, server: string, held: string | undefined): string =>
  `Using ${title} of ${server}${held === undefined ? '' : `, which is held: ${held}`}`;

/** The safety that a server claims: without a claim, a tool changes something. */
const safetyOf = ({ annotations = {} }: McpTool): Safety => {
  if (annotations.destructiveHint === true) return 'danger';
  return annotations.readOnlyHint === true ? 'read' : 'write';
};

const approvalOf = (name: string, { approval }: McpServerOptions, safety: Safety): boolean =>
  typeof approval === 'object' ? approval.includes(name) : (approval ?? safety === 'danger');

const NOT_IN_NAMES = /[^\p{L}\p{M}\p{N}_.:/-]/gu;

/** A valid name that no other tool of the server has. */
const freeName = (given: string, taken: ReadonlySet<string>): string => {
  const plain = given.replaceAll(NOT_IN_NAMES, '_').slice(0, 120);
  const named = [plain, `tool_${plain}`].find(isToolName) ?? 'tool';
  let name = named;
  for (let count = 2; taken.has(name); count += 1) name = `${named}_${count}`;
  return name;
};

const describeTool = ({ name, title, description = '' }: McpTool): string => {
  const text = cutText(description, MAX_DESCRIPTION);
  return text === '' ? cutText(title ?? name, MAX_DESCRIPTION) : text;
};

/** Text without characters that nobody sees, which may hide instructions, and of bounded length. */
const cutText = (text: string, limit: number): string => {
  const seen = printable(text.slice(0, limit * 4))
    .replaceAll(UNSEEN, '')
    .trim();
  return seen.length <= limit ? seen : `${seen.slice(0, limit)}… (cut)`;
};

/** Format characters (zero-width, tags) and private ones. */
const UNSEEN = /(?![\u200C\u200D])[\p{Cf}\p{Co}]/gu;

const parametersOf = ({ inputSchema }: McpTool): JsonSchema => {
  const schema = toJson(inputSchema);
  if (!isJsonObject(schema)) throw new Error('its input schema is not an object');
  const length = JSON.stringify(schema).length;
  if (length > MAX_SCHEMA)
    throw new Error(`its input schema has more than ${MAX_SCHEMA} characters: ${length}`);
  return boundedSchema(schema);
};

const boundedSchema = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, boundedPart(key, value ?? null)]));

const boundedPart = (key: string, value: Json): Json => {
  if (key === 'description' && typeof value === 'string') return cutText(value, MAX_PARAMETER);
  if (Array.isArray(value)) return value.map((each) => boundedPart('', each));
  return isJsonObject(value) ? boundedSchema(value) : value;
};
