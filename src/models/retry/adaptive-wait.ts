import { categoryOf } from '../../contracts/errors/error-category.ts';
import type { ErrorCode } from '../../contracts/errors/error-data.ts';
import type { AdaptiveRetry } from '../../contracts/models/adaptive-retry.ts';
import type { ModelFailure } from '../../contracts/models/model-failure.ts';

/** Defaults of an adaptive retry: 5 s after a rate limit, at once after an invalid answer, ten steps of memory. */
const adaptiveRetryDefaults = {
  rateLimitWaitMs: 5_000,
  invalidWaitMs: 0,
  steps: 10,
} as const satisfies Required<AdaptiveRetry>;

/** Facts by which a wait is chosen. */
export interface AdaptiveFacts {
  /** Earlier failures, of all models of the agent. */
  readonly failures: readonly ModelFailure[];
  /** The attempt that has just failed. */
  readonly failure: ModelFailure;
  /** From 0 to below 1. */
  readonly random: number;
}

/**
 * Returns the wait after a failure, by its class and by how often the same model failed in this class lately; in ms,
 * without a cap. It doubles with each remembered failure, in this call or in one of an earlier step.
 *
 * After a rate limit at least half of the wait is kept, whatever the jitter.
 *
 * @example
 * adaptiveWait({ failures: [], failure: { code: 'model.rate-limited', model: 0, step: 3 }, random: 1 }, {}, 1_000) // => 5000
 */
export const adaptiveWait = (
  { failures, failure, random }: AdaptiveFacts,
  adaptive: AdaptiveRetry,
  initialWaitMs: number,
): number => {
  const steps = adaptive.steps ?? adaptiveRetryDefaults.steps;
  const kind = classOf(failure.code);
  const before = failures.filter(
    ({ code, model, step }) =>
      model === failure.model && step > failure.step - steps && classOf(code) === kind,
  ).length;
  const first = {
    rateLimit: adaptive.rateLimitWaitMs ?? adaptiveRetryDefaults.rateLimitWaitMs,
    invalid: adaptive.invalidWaitMs ?? adaptiveRetryDefaults.invalidWaitMs,
    other: initialWaitMs,
  }[kind];
  const jitter = kind === 'rateLimit' ? (1 + random) / 2 : random;
  return first * 2 ** before * jitter;
};

const classOf = (code: ErrorCode): 'rateLimit' | 'invalid' | 'other' => {
  if (code === 'model.rate-limited') return 'rateLimit';
  return categoryOf({ code }) === 'parse' ? 'invalid' : 'other';
};
