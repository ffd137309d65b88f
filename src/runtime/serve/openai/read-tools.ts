import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import type { ClientTool } from '../../../contracts/tools/client-tool.ts';
import { schemasOf } from '../runs/agent-schemas.ts';
import type { ServedAgent } from '../runs/served-names.ts';
import { flagIn } from './read-params.ts';
import { paramError } from './wire-error.ts';

/** Tools of a client at most. */
const MOST_TOOLS = 128;

/**
 * Reads the tools of a client: those that it runs itself. With the choice `none` there are none. They
 * are asked for at once, unless the client wants one call after the other.
 *
 * @throws {TroupeError} `input.invalid` for tools of OpenAI, and a choice other than `auto` and `none`: an agent chooses itself.
 */
export const readTools = (body: JsonObject): readonly ClientTool[] => {
  const { tools: given = [], tool_choice: choice = 'auto' } = body;
  const exclusive = flagIn(body, 'parallel_tool_calls') === false;
  if (choice !== 'auto' && choice !== 'none' && choice !== null)
    throw paramError('tool_choice', `an agent chooses its tools itself: found ${foundText(choice)}`);
  if (given === null) return [];
  if (!Array.isArray(given) || given.length > MOST_TOOLS)
    throw paramError('tools', `'tools' is no list of at most ${MOST_TOOLS}: ${foundText(given)}`);
  const items: readonly Json[] = given;
  const tools = items.map((tool, index) => readTool(tool, `tools[${index}]`));
  const twice = tools.find(({ name }, index) => tools.findIndex((each) => each.name === name) < index);
  if (twice !== undefined) throw paramError('tools', `two tools are called '${twice.name}'`);
  return choice === 'none' ? [] : tools.map((tool) => ({ ...tool, exclusive }));
};

const readTool = (given: Json, place: string): ClientTool => {
  const tool: JsonObject = isJsonObject(given) ? given : {};
  if (tool['type'] !== 'function')
    throw paramError(
      place,
      `a client brings functions only, and an agent has tools of its own: found ${foundText(tool['type'])}`,
    );
  // Chat Completions has the function in a field of its own.
  const { name, description, parameters } = isJsonObject(tool['function']) ? tool['function'] : tool;
  if (typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name))
    throw paramError(place, `the name of a tool is not 1 to 64 letters, digits, _ and -: ${foundText(name)}`);
  return {
    name,
    description: typeof description === 'string' ? description : '',
    ...(isJsonObject(parameters) ? { parameters } : {}),
  };
};

/**
 * Reads the format that a client wants an answer in, as Chat Completions (`response_format`) or Responses (`text.format`) has it; returns
 * the schema that the answer has to fit, too.
 *
 * @throws {TroupeError} `input.invalid` for JSON of an agent that answers with text.
 */
export const readFormat = (
  format: JsonObject | undefined,
  agent: ServedAgent,
  param: string,
): JsonObject | undefined => {
  const type = format?.['type'] ?? 'text';
  if (type === 'text') return undefined;
  if (type !== 'json_object' && type !== 'json_schema')
    throw paramError(param, `its format is not 'text', 'json_object' or 'json_schema': ${foundText(type)}`);
  if (schemasOf(agent).output === undefined)
    throw paramError(param, `'${agent.name}' answers with text: give the agent the schema as its \`output\``);
  if (type === 'json_object') return undefined;
  const { schema } = isJsonObject(format?.['json_schema']) ? format['json_schema'] : (format ?? {});
  if (isJsonObject(schema)) return schema;
  throw paramError(param, `it has no schema: ${foundText(schema)}`);
};
