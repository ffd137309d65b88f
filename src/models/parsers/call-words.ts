import type { JsonObject } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import { parsedArguments } from '../calls/call-arguments.ts';
import type { TextCall } from './text-parser.ts';

/** Keys that models use for the name of a tool. */
const NAME_WORDS = ['tool', 'name', 'action', 'tool_name', 'function', 'function_name', 'recipient_name'];

/** Keys for its input. */
const INPUT_WORDS = [
  'input',
  'arguments',
  'args',
  'parameters',
  'params',
  'action_input',
  'tool_input',
  'kwargs',
];

/** Keys for a list of calls. */
const LIST_WORDS = ['calls', 'tool_calls', 'actions', 'tools', 'function_calls', 'steps'];

/** Keys for the final answer. */
const ANSWER_WORDS = ['final_answer', 'answer', 'final', 'final_response', 'response'];

const THOUGHT_WORDS = ['thought', 'thinking', 'reasoning', 'rationale', 'plan'];

/** Normalises a key: `Final Answer`, `finalAnswer` and `final-answer` are equal. */
const normaliseKey = (key: string): string =>
  key
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

const findField = (object: JsonObject, words: readonly string[]): unknown => {
  const entries = new Map(Object.entries(object).map(([key, value]) => [normaliseKey(key), value]));
  const word = words.find((each) => entries.has(each));
  return word === undefined ? undefined : entries.get(word);
};

/** The final answer in an object, by any of its names; null counts as none. */
export const answerIn = (object: JsonObject): unknown => findField(object, ANSWER_WORDS) ?? undefined;

/** The thought in an object, by any of its names. */
export const thoughtIn = (object: JsonObject): string | undefined => {
  const thought = findField(object, THOUGHT_WORDS);
  return typeof thought === 'string' && thought.trim() !== '' ? thought.trim() : undefined;
};

/**
 * Extracts the calls in a value: one, a list, or a list within an object; undefined if there are none.
 *
 * `{tool, input}`, `{name, arguments}`, `{action, action_input}`, `{function: {name, arguments}}` and `{NAME: {…}}` of
 * a known tool are equivalent. Arguments within a string are parsed.
 */
export const callsIn = (
  value: unknown,
  tools: readonly ToolSpec[],
  isTruncated = false,
): readonly TextCall[] | undefined => {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const calls = items.map((item, index) => oneCall(item, tools, isTruncated && index === items.length - 1));
    return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
  }
  const one = oneCall(value, tools, isTruncated);
  if (one !== undefined) return [one];
  const listed = isJsonObject(value) ? findField(value, LIST_WORDS) : undefined;
  return Array.isArray(listed) ? callsIn(listed, tools, isTruncated) : undefined;
};

const oneCall = (value: unknown, tools: readonly ToolSpec[], isTruncated: boolean): TextCall | undefined => {
  if (!isJsonObject(value)) return undefined;
  const named = findField(value, NAME_WORDS);
  if (isJsonObject(named)) return oneCall(named, tools, isTruncated);
  if (typeof named === 'string' && named.trim() !== '') {
    const given = findField(value, INPUT_WORDS);
    const tool = tools.find(({ name }) => name === named.trim());
    return textCall(named.trim(), given === undefined ? fieldsBeside(value) : given, tool, isTruncated);
  }
  const [[name, input] = ['', undefined], ...others] = Object.entries(value);
  const tool = tools.find((each) => each.name === name);
  return tool !== undefined && others.length === 0 && isJsonObject(input)
    ? textCall(name, input, tool, isTruncated)
    : undefined;
};

/** Arguments beside the name, if no key is called arguments. */
const fieldsBeside = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).filter(
      ([key]) => ![...NAME_WORDS, ...THOUGHT_WORDS, 'id', 'type'].includes(normaliseKey(key)),
    ),
  );

const CUT_OFF = 'The arguments were cut off before they were complete.';

/** Builds a call with its input as plain JSON; a truncated one gets a problem, and is never executed. */
export const textCall = (
  name: string,
  given: unknown,
  tool: ToolSpec | undefined,
  isTruncated = false,
): TextCall => {
  const { input, problem } = parsedArguments(shapeInput(given, tool));
  const found = problem ?? (isTruncated ? CUT_OFF : undefined);
  return found === undefined ? { name, input } : { name, input, problem: found };
};

/** A bare value is the single argument of a tool. */
const shapeInput = (given: unknown, tool: ToolSpec | undefined): unknown => {
  if (given === null || given === undefined) return {};
  if (isJsonObject(given)) return given;
  if (typeof given === 'string' && /^\s*\{/.test(given)) return parseOr(given);
  const only = onlyParameter(tool);
  if (only === undefined) return given;
  const { key, type } = only;
  if (typeof given === 'string') return { [key]: valueOf(given, type) };
  return { [key]: given };
};

const parseOr = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
};

const onlyParameter = (tool: ToolSpec | undefined): { key: string; type: unknown } | undefined => {
  const properties = tool?.parameters['properties'];
  if (!isJsonObject(properties)) return undefined;
  const keys = Object.keys(properties);
  const required: unknown = tool?.parameters['required'];
  const candidates = Array.isArray(required) && required.length === 1 ? required.map(String) : keys;
  const [key] = candidates;
  if (key === undefined || candidates.length !== 1) return undefined;
  return { key, type: typeOf(properties, key) };
};

const typeOf = (properties: JsonObject, key: string): unknown => {
  const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isJsonObject(schema) ? schema['type'] : undefined;
};

/** The type that a tool declares for one of its parameters. */
export const parameterType = (tool: ToolSpec | undefined, key: string): unknown => {
  const properties = tool?.parameters['properties'];
  return isJsonObject(properties) ? typeOf(properties, key) : undefined;
};

/** Parses a word to the type of its parameter: text stays text, even `42`, if text is expected. */
export const valueOf = (text: string, type: unknown): unknown => {
  if (type === 'string') return text;
  const trimmed = text.trim();
  try {
    const value: unknown = JSON.parse(trimmed);
    return type === undefined && typeof value === 'string' ? text : value;
  } catch {
    return text;
  }
};
