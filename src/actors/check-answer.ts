import { TroupeError } from '../contracts/error.ts';
import type { ModelAnswer, Usage } from '../contracts/model.ts';

/**
 * A model's answer, fit for use: a model may be anybody's code, and what it says becomes part of contexts and events.
 *
 * @throws {TroupeError} `model.malformed` for something that is no answer; a usage that is none counts as nothing used.
 */
export const checkAnswer = (answer: ModelAnswer, model: string): ModelAnswer => {
  const found: { readonly [Key in keyof ModelAnswer]?: unknown } | null | undefined = answer;
  const { text, finish, calls } = found ?? {};
  if (typeof text !== 'string' || typeof finish !== 'string' || !Array.isArray(calls) || !calls.every(isCall))
    throw new TroupeError(
      'model.malformed',
      `Cannot use the answer of ${model} as it is none: it needs text, calls and finish (see modelAnswer)`,
    );
  return isUsage(answer.usage) ? answer : { ...answer, usage: NO_USAGE };
};

const NO_USAGE: Usage = { input: 0, output: 0, isEstimate: true };

/** A call without a name can be neither made nor refused. */
const isCall = (call: unknown): boolean =>
  typeof call === 'object' && call !== null && 'name' in call && typeof call.name === 'string';

/** Untyped, as it is looked at because it may not be what its type says. */
const isUsage = (usage: Partial<Usage> | undefined): boolean =>
  isCount(usage?.input) &&
  isCount(usage?.output) &&
  (usage?.cached === undefined || isCount(usage.cached)) &&
  (usage?.reasoning === undefined || isCount(usage.reasoning));

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
