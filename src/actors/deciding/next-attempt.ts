import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { ModelFailure } from '../../contracts/models/model-failure.ts';
import type { Model } from '../../contracts/models/model.ts';
import { decideModelRetry, type RetryDecision } from '../../models/retry/retry-policy.ts';
import type { Desk } from '../desk.ts';
import { withRefusedWait } from './refused-wait.ts';

/** The number of an attempt, its model, and its predecessors. */
export interface ModelAttempt {
  readonly model: number;
  readonly attempt: number;
  readonly waitedMs: number;
  readonly hasTriedMaybe: boolean;
  readonly nudge: string | null;
  /** Partial text to continue from. */
  readonly partial?: string | undefined;
  /** Earlier failures, for adaptive retries; default: those that the agent remembers. */
  readonly failures?: readonly ModelFailure[] | undefined;
}

/** A failed attempt. */
export interface FailedAttempt {
  readonly error: ErrorData;
  /** True if the conversation was too long and was compacted. */
  readonly isCut: boolean;
  readonly attempt: Pick<ModelAttempt, 'model' | 'attempt' | 'waitedMs' | 'hasTriedMaybe' | 'failures'>;
  readonly model: Model;
  readonly step: number;
  readonly key: string;
}

/** The decision about the next attempt. */
export interface NextAttempt {
  /** In ms; null if this model is not tried again. */
  readonly waitMs: number | null;
  readonly canFallBack: boolean;
  /** The error; of a provider that asks for a wait which is not made, it says so. */
  readonly error: ErrorData;
  /** A failure to remember, for adaptive retries. */
  readonly remembered?: ModelFailure | undefined;
}

/** Decides between a retry, a fallback and giving up, and publishes it. */
export const nextAttempt = (
  { error, isCut, attempt: made, model, step, key }: FailedAttempt,
  desk: Desk,
): NextAttempt => {
  const { attempt, waitedMs, hasTriedMaybe } = made;
  // What a guard blocked is over: another model is not to be tried in its place.
  const canFallBack = made.model + 1 < desk.models.length && error.code !== 'guardrail.blocked';
  if (isCut) return { waitMs: 0, canFallBack, error };
  const isTooLong = error.code === 'model.context-overflow';
  // An open circuit breaker is waited for only if no other model is left.
  const isOpenCircuit = error.code === 'resource.open' && canFallBack;
  const isSpent = isOpenCircuit || (error.retryable === 'maybe' && (hasTriedMaybe || isTooLong));
  const remembered = isAdaptive(desk) ? { code: error.code, model: made.model, step } : undefined;
  const recent = remembered && { failure: remembered, failures: made.failures ?? [] };
  const progress = { attempt, waitedMs, random: desk.random(), recent };
  const leftMs = desk.account?.leftMs ?? Infinity;
  const decided = isSpent ? NO_RETRY : decideModelRetry(error, progress, desk.definition.retry);
  const retry = isPastTime(decided, error, leftMs) ? NO_TIME : decided;
  if (retry.retry) return { waitMs: retry.waitMs, canFallBack, error, remembered };
  if (desk.abort.isAborted) return { waitMs: null, canFallBack, error, remembered };
  const refused = { reason: retry.reason, retry: desk.definition.retry, leftMs, canFallBack };
  const said = withRefusedWait(error, refused);
  desk.emit({ type: 'model.failed', model: nameOf(model), key, error: said });
  if (canFallBack) {
    const to = nameOf(desk.models[made.model + 1] ?? model);
    desk.emit({ type: 'model.fell-back', from: nameOf(model), to, error: said });
  }
  return { waitMs: null, canFallBack, error: said, remembered };
};

/** A wait that a provider asks for is not begun if the budget's time is up before its end: the run would fail all the same, later. */
const isPastTime = (decided: RetryDecision, { retryAfterMs }: ErrorData, leftMs: number): boolean =>
  decided.retry && retryAfterMs !== undefined && decided.waitMs >= leftMs;

const isAdaptive = ({ definition: { retry } }: Desk): boolean => (retry?.adaptive ?? false) !== false;

const NO_RETRY: RetryDecision = { retry: false, reason: 'not-retryable' };

const NO_TIME = { retry: false, reason: 'no-time-left' } as const;

const nameOf = ({ provider, id }: Model): string => `${provider}:${id}`;
