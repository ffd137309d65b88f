import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
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
  answer === undefined ? 'there is no accepted answer' : `found ${brief(answer)}`;

const brief = (value: Json): string => textOf(value).slice(0, 200);

/** The expected answer: that of the evaluator, else that of the case. @throws `input.invalid` if there is neither. */
const expectationIn = (examined: Examined, own: Json | undefined, evaluator: string): Json => {
  const expected = own ?? examined.case?.expected;
  if (expected !== undefined) return expected;
  throw new TroupeError(
    'input.invalid',
    `Cannot compare the answer as nothing is expected: give the case \`expected\`, or write evaluators.${evaluator}(…)`,
  );
};

/** Passes for an equal answer. */
export const exact = (expected?: Json): Evaluator => ({
  name: 'exact',
  evaluate: (examined) => {
    const answer = answerOf(examined);
    const wanted = expectationIn(examined, expected, 'exact');
    const isFound = answer !== undefined && isEqual(answer, wanted);
    return {
      score: isFound ? 1 : 0,
      reason: isFound ? answerText(answer) : `${answerText(answer)}, expected ${brief(wanted)}`,
    };
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

/** Passes for an answer that contains the text. */
export const contains = (
  text?: string,
  options: { readonly ignoreCase?: boolean | undefined } = {},
): Evaluator => {
  const fold = (value: string): string => (options.ignoreCase === true ? value.toLowerCase() : value);
  return {
    name: 'contains',
    evaluate: (examined) => {
      const answer = answerOf(examined);
      const wanted = expectationIn(examined, text, 'contains');
      if (typeof wanted !== 'string')
        throw new TroupeError(
          'input.invalid',
          `Cannot look for what is expected in the answer as it is no text: found ${foundText(wanted)}`,
        );
      const isFound = answer !== undefined && fold(textOf(answer)).includes(fold(wanted));
      return {
        score: isFound ? 1 : 0,
        reason: isFound ? answerText(answer) : `${answerText(answer)}, without ${brief(wanted)}`,
      };
    },
  };
};

/** Passes for an answer that matches the pattern. */
export const matches = (pattern: RegExp): Evaluator => ({
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

/** Passes for an answer that matches the schema. */
export const fits = (schema: Schema): Evaluator => ({
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
