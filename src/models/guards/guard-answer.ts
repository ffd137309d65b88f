import { toJson } from '../../base/json/json.ts';
import { isObject } from '../../base/schemas/option-schemas.ts';
import { isTroupeError } from '../../contracts/errors/error.ts';
import type { ModelAnswer, ModelRequest } from '../../contracts/models/model.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import { guardText, guardValue } from './apply-guards.ts';
import type { Border } from './border.ts';
import type { TrustedGuard } from './consult-guard.ts';

/** The guards of an answer: of its texts, and of the arguments of its calls. */
export interface AnswerGuards {
  readonly output: readonly TrustedGuard[];
  readonly toolInput: readonly TrustedGuard[];
}

/**
 * The answer as its guards let it pass, the same if nothing changes. A call that is blocked stays, without its arguments, and fails.
 *
 * @throws (rejects with) `guardrail.blocked` if one of them blocks what it says.
 */
export const guardAnswer = async (
  answer: ModelAnswer,
  request: ModelRequest,
  guards: AnswerGuards,
  border: Border,
): Promise<ModelAnswer> => {
  const { output } = guards;
  const text = await guardAnswerText(answer.text, request, output, border);
  const texts: Partial<Record<'reasoning' | 'refusal' | 'problem', string>> = {};
  for (const name of ['reasoning', 'refusal', 'problem'] as const) {
    const said = answer[name];
    if (said !== undefined) texts[name] = await guardText(output, said, border);
  }
  const calls: ToolCall[] = [];
  for (const call of answer.calls) calls.push(await guardCall(call, guards, border));
  const { providerCalls } = answer;
  const ran = await guardValue(output, providerCalls, border);
  const isSame =
    text === answer.text &&
    ran === providerCalls &&
    calls.every((call, index) => call === answer.calls[index]) &&
    (['reasoning', 'refusal', 'problem'] as const).every((name) => texts[name] === answer[name]);
  if (isSame) return answer;
  // What only the provider reads back has the texts in it, too.
  const { replay: _replay, metadata: _metadata, ...rest } = answer;
  return {
    ...rest,
    ...texts,
    text,
    calls,
    // Guards change the texts of a value only, so the type is the same.
    ...(providerCalls === undefined ? {} : { providerCalls: ran as typeof providerCalls }),
  };
};

/** Of a structured answer its value is judged: as JSON it may be written in escapes. */
const guardAnswerText = async (
  text: string,
  { output }: ModelRequest,
  guards: readonly TrustedGuard[],
  border: Border,
): Promise<string> => {
  const value = output === undefined ? undefined : valueIn(text);
  if (value === undefined) return guardText(guards, text, border);
  const passed = await guardValue(guards, value, border);
  return passed === value ? text : JSON.stringify(toJson(passed));
};

const valueIn = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
};

const guardCall = async (
  call: ToolCall,
  { output, toolInput }: AnswerGuards,
  border: Border,
): Promise<ToolCall> => {
  const of = { ...border, tool: call.name };
  try {
    const said = await guardValue(toolInput.map(withoutAsking), call.input, { ...of, place: 'tool.input' });
    const others = output.filter((guard) => !toolInput.includes(guard));
    const input = await guardValue(others, said, of);
    const problem = call.problem === undefined ? undefined : await guardText(output, call.problem, of);
    if (input === call.input && problem === call.problem) return call;
    const { origin: _origin, ...rest } = call;
    return {
      ...rest,
      input: toJson(input),
      ...(problem === undefined ? {} : { problem }),
      ...originOf(call),
    };
  } catch (thrown) {
    if (!isTroupeError(thrown, 'guardrail.blocked')) throw thrown;
    return { id: call.id, name: call.name, input: {}, problem: thrown.message, ...originOf(call) };
  }
};

/** The id by which the provider knows a call, without its other fields. */
const originOf = ({ origin }: ToolCall): Pick<ToolCall, 'origin'> => {
  if (origin === undefined) return {};
  const { fields: _fields, ...rest } = origin;
  return { origin: rest };
};

/** A person who has to be asked about a call is asked when it is made. */
const withoutAsking = (guard: TrustedGuard): TrustedGuard => ({
  ...guard,
  check: async (text, use) => {
    const verdict = await guard.check(text, use);
    return isObject(verdict) && verdict.action === 'ask' ? undefined : verdict;
  },
});
