import { isJsonObject, type JsonObject, toJson } from '../contracts/json.ts';
import type { ToolCall } from '../contracts/tool.ts';

/** The part of a {@link ToolCall} that comes out of its arguments. */
export type CallArguments = Pick<ToolCall, 'input' | 'problem'>;

/**
 * Reads the arguments of a tool call as the model wrote them.
 *
 * Arguments that are no JSON, were cut off or hold what plain JSON cannot keep become a `problem`, with the text as the
 * input, so that the model can be shown what it wrote. No text at all is `{}` (what models write for a tool without
 * parameters), unless the answer was cut off (`isCut`): then it is a problem too, as nobody knows what was to come.
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

/** Arguments that arrived as a value: they too may hold what plain JSON cannot keep. */
export const parsedArguments = (parsed: unknown, text?: string): CallArguments => {
  const input = toJson(parsed);
  const problem = lossOf(parsed, input);
  return problem === undefined ? { input } : { input: text ?? input, problem };
};

/**
 * The input of a call as providers want to have it back: an object, whatever the model once wrote.
 *
 * @example
 * echoedInput({ id: 'call_1_0', name: 'add', input: '{"a": 1', problem: '…' }) // => { invalid: '{"a": 1' }
 */
export const echoedInput = ({ input }: ToolCall): JsonObject =>
  isJsonObject(input) ? input : { invalid: input };

/** The problem of arguments that cannot be read for their depth. */
export const TOO_DEEP = 'The arguments are nested too deeply.';

const CUT_OFF = 'The arguments were cut off before they were complete.';

/** Where `toJson` had to change something: a call must not run with other arguments than the model meant. */
const lossOf = (parsed: unknown, kept: unknown): string | undefined => {
  if (typeof parsed !== 'object' || parsed === null) {
    return Object.is(parsed, kept)
      ? undefined
      : `The arguments hold ${String(parsed)}, which is no JSON number.`;
  }
  if (typeof kept !== 'object' || kept === null) return TOO_DEEP;
  for (const [key, value] of Object.entries(parsed)) {
    // JSON has none, and a user's own model means by it what JSON leaves out.
    if (value === undefined) continue;
    if (!Object.hasOwn(kept, key)) return `The arguments hold the key '${key}', which is not allowed.`;
    const found = lossOf(value, Reflect.get(kept, key));
    if (found !== undefined) return found;
  }
  return undefined;
};
