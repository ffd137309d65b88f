import { isJsonObject, type JsonObject, toJson } from '../../base/json/json.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';

/** The part of a {@link ToolCall} that depends on its arguments. */
export type CallArguments = Pick<ToolCall, 'input' | 'problem'>;

/**
 * Parses the arguments of a tool call as written by the model.
 *
 * Arguments that are invalid JSON, truncated, or not representable as plain JSON become a `problem`, with the text as
 * the input, so that the model can be shown its output. An empty text is `{}` (what models write for a tool without
 * parameters), unless the answer was truncated (`isCut`): then it is a problem too, as the rest is unknown.
 *
 * @example
 * callArguments('{"a": 1', true) // => { input: '{"a": 1', problem: 'The arguments were cut off …' }
 */
export const callArguments = (text: string, isCut = false): CallArguments => {
  if (text.trim() === '') return isCut ? { input: text, problem: CUT_OFF } : { input: {} };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return { input: text, problem: isCut ? CUT_OFF : `The arguments are not valid JSON: ${found}` };
  }
  if (isCut && !isJsonObject(parsed)) return { input: text, problem: CUT_OFF };
  return parsedArguments(parsed, text);
};

/** Converts arguments that arrived as a value: they too may not be representable as plain JSON. */
export const parsedArguments = (parsed: unknown, text?: string): CallArguments => {
  const input = toJson(parsed);
  const problem = lossOf(parsed, input);
  return problem === undefined ? { input } : { input: text ?? input, problem };
};

/**
 * Returns the input of a call in the form that providers accept back: an object, whatever the model wrote.
 *
 * @example
 * echoedInput({ id: 'call_1_0', name: 'add', input: '{"a": 1', problem: '…' }) // => { invalid: '{"a": 1' }
 */
export const echoedInput = ({ input }: ToolCall): JsonObject =>
  isJsonObject(input) ? input : { invalid: input };

/** The problem of arguments that cannot be read for their depth. */
export const TOO_DEEP = 'The arguments are nested too deeply.';

const CUT_OFF = 'The arguments were cut off before they were complete.';

/** Describes a value that `toJson` had to change: a call must not run with other arguments than the model meant. */
const lossOf = (parsed: unknown, kept: unknown): string | undefined => {
  if (typeof parsed !== 'object' || parsed === null) {
    return Object.is(parsed, kept)
      ? undefined
      : `The arguments contain ${String(parsed)}, which is not a JSON number.`;
  }
  if (typeof kept !== 'object' || kept === null) return TOO_DEEP;
  for (const [key, value] of Object.entries(parsed)) {
    // JSON has no undefined; a custom model means by it a missing property.
    if (value === undefined) continue;
    if (!Object.hasOwn(kept, key)) return `The arguments contain the key '${key}', which is not allowed.`;
    const found = lossOf(value, Reflect.get(kept, key));
    if (found !== undefined) return found;
  }
  return undefined;
};
