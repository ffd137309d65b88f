import { TroupeError } from '../../contracts/errors/error.ts';
import type { Evaluator, Examined } from '../../contracts/tasks/evaluator.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { Schema } from '../../base/schemas/schema.ts';
import { issuesText } from '../../base/schemas/schema.ts';
import { checkSchema } from '../../tools/schemas/schemas.ts';

/** Longest answer that is matched against a pattern, in characters: some patterns take exponential time. */
const MAX_MATCHED = 100_000;

const answerOf = ({ result }: Examined): Json | undefined =>
  result.output === undefined ? undefined : toJson(result.output);

const textOf = (answer: Json | undefined): string =>
  answer === undefined ? '' : typeof answer === 'string' ? answer : JSON.stringify(answer);

const answerText = (answer: Json | undefined): string =>
  answer === undefined ? 'there is no accepted answer' : `found ${textOf(answer).slice(0, 200)}`;

const exact = (expected: Json): Evaluator => ({
  name: 'exact',
  evaluate: (examined) => {
    const answer = answerOf(examined);
    return { score: answer !== undefined && isEqual(answer, expected) ? 1 : 0, reason: answerText(answer) };
  },
});

const isEqual = (a: Json | undefined, b: Json | undefined): boolean => {
  if (typeof a === 'string' && typeof b === 'string') return a.trim() === b.trim();
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item: Json, index) => isEqual(item, b[index]));
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].every(
      (key) => Object.hasOwn(a, key) === Object.hasOwn(b, key) && isEqual(a[key], b[key]),
    );
  }
  return a === b;
};

const contains = (text: string, options: { readonly ignoreCase?: boolean | undefined } = {}): Evaluator => {
  const fold = (value: string): string => (options.ignoreCase === true ? value.toLowerCase() : value);
  return {
    name: 'contains',
    evaluate: (examined) => {
      const answer = answerOf(examined);
      return { score: fold(textOf(answer)).includes(fold(text)) ? 1 : 0, reason: answerText(answer) };
    },
  };
};

const matches = (pattern: RegExp): Evaluator => ({
  name: 'matches',
  evaluate: (examined) => {
    const answer = answerOf(examined);
    const text = textOf(answer);
    if (text.length > MAX_MATCHED)
      return { score: 0, reason: `the answer is too long: ${text.length} characters` };
    // A copy, as a pattern with the flag g has state.
    const isMatch = answer !== undefined && new RegExp(pattern.source, pattern.flags).test(text);
    return { score: isMatch ? 1 : 0, reason: answerText(answer) };
  },
});

const fits = (schema: Schema): Evaluator => ({
  name: 'fits',
  evaluate: async (examined) => {
    const answer = answerOf(examined);
    const first = await checkSchema(schema, answer);
    const checked =
      first.ok || typeof answer !== 'string' ? first : await checkSchema(schema, parseJson(answer));
    return checked.ok ? true : { score: 0, reason: issuesText(checked.issues) };
  },
});

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** Evaluators that compare the answer of a run with what is known of it. */
export const evaluators = {
  /** Passes for an equal answer; key order and white space around texts are ignored. */
  exact,
  /** Passes for an answer that contains the text. */
  contains,
  /** Passes for an answer that matches the pattern; an answer of more than 100,000 characters fails. */
  matches,
  /** Passes for an answer that matches the schema; a text that is JSON is parsed first. */
  fits,
} as const;

/**
 * The probability that k tries in a row succeed, from c successes in n tries: C(c, k) / C(n, k).
 *
 * @example
 * passPower(3, 2, 2) // => 1 / 3
 *
 * @throws `agent.invalid` unless 0 ≤ c ≤ n and 1 ≤ k ≤ n, all whole.
 */
export const passPower = (tries: number, successes: number, inARow: number): number => {
  const isWhole = [tries, successes, inARow].every(Number.isInteger);
  if (!isWhole || successes < 0 || successes > tries || inARow < 1 || inARow > tries)
    throw new TroupeError(
      'agent.invalid',
      `Cannot tell pass^${inARow} of ${successes} successes in ${tries} tries: k has to be 1 to n, c 0 to n`,
    );
  let chance = 1;
  for (let index = 0; index < inARow; index += 1) chance *= Math.max(0, successes - index) / (tries - index);
  return chance;
};
