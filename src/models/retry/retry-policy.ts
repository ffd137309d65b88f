import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { ModelRetry } from '../../contracts/models/model.ts';
import type { ModelFailure } from '../../contracts/models/model-failure.ts';
import type { ToolRetry } from '../../contracts/tools/tool.ts';
import { adaptiveWait } from './adaptive-wait.ts';

/** The state of a call when an attempt has failed. */
export interface RetryProgress {
  /** The attempt that just failed, from 1. */
  readonly attempt: number;
  /** All waits of this call so far, in ms. */
  readonly waitedMs: number;
  /** From 0 to below 1; injected, so that a run can be repeated exactly. */
  readonly random: number;
  /** Input of an adaptive retry: this failure, and earlier ones; without it the back-off does not adapt. */
  readonly recent?:
    | { readonly failure: ModelFailure; readonly failures: readonly ModelFailure[] }
    | undefined;
}

/** The decision: to retry after a wait in ms, or not to. */
export type RetryDecision =
  | { readonly retry: true; readonly waitMs: number }
  | { readonly retry: false; readonly reason: NoRetryReason };

/**
 * The reason not to retry: it cannot help, all attempts are used, or the wait would be too long (this one, or all
 * together).
 */
export type NoRetryReason = 'not-retryable' | 'no-attempts-left' | 'wait-too-long' | 'waited-too-long';

/**
 * Defaults of `ModelRetry`: three attempts, as both vendors' SDKs make; first back-off 1 s, doubling; no wait over 60 s
 * and none after 5 min of waiting; 10 min for an attempt, 90 s of silence in a stream (peers chose 60, 90 and 120 s).
 */
export const modelRetryDefaults = {
  attempts: 3,
  initialWaitMs: 1_000,
  maxWaitMs: 60_000,
  maxTotalWaitMs: 300_000,
  attemptTimeoutMs: 600_000,
  idleTimeoutMs: 90_000,
  onBreak: 'restart',
  adaptive: false,
} as const satisfies Required<ModelRetry>;

/** Defaults for an idempotent tool: two retries after 0.5 and 1 s, no wait over 10 s. */
export const toolRetryDefaults = {
  attempts: 3,
  initialWaitMs: 500,
  maxWaitMs: 10_000,
} as const satisfies ToolRetry;

/**
 * Decides whether a failed model call is retried.
 *
 * Back-off has full jitter (anything from 0 to 1, 2, 4 … s), so that many agents that failed together do not come back
 * together; with `random: 1` it is the bare doubling. A wait that the provider asked for replaces it, with up to a
 * tenth added, never less. The cap applies last, over jitter too; if a provider asks for more than the cap, the call is
 * not retried. `retryable: 'maybe'` is retried once at most.
 *
 * With `adaptive` and recent failures, the back-off follows the class of the error and how often it occurred lately; it
 * then is the minimum, even if the provider asked for less.
 *
 * @example
 * decideModelRetry(error, { attempt: 1, waitedMs: 0, random: Math.random() }) // => { retry: true, waitMs: 412 }
 */
export const decideModelRetry = (
  error: ErrorData,
  progress: RetryProgress,
  retry: ModelRetry = {},
): RetryDecision => {
  const { adaptive = modelRetryDefaults.adaptive, initialWaitMs = modelRetryDefaults.initialWaitMs } = retry;
  const { recent, random } = progress;
  const adapted =
    adaptive === false || recent === undefined
      ? undefined
      : adaptiveWait({ ...recent, random }, adaptive === true ? {} : adaptive, initialWaitMs);
  return decide(error, progress, {
    initialWaitMs,
    adapted,
    attempts: retry.attempts ?? modelRetryDefaults.attempts,
    maxWaitMs: retry.maxWaitMs ?? modelRetryDefaults.maxWaitMs,
    maxTotalWaitMs: retry.maxTotalWaitMs ?? modelRetryDefaults.maxTotalWaitMs,
  });
};

/**
 * Decides whether a failed tool call is retried: like {@link decideModelRetry}, with the tool's own numbers and no
 * limit on the total wait.
 *
 * @example
 * decideToolRetry(error, { attempt: 3, waitedMs: 1500, random: 0.5 }) // => { retry: false, reason: 'no-attempts-left' }
 */
export const decideToolRetry = (
  error: ErrorData,
  progress: RetryProgress,
  retry: ToolRetry = toolRetryDefaults,
): RetryDecision => decide(error, progress, { ...retry, maxTotalWaitMs: Infinity });

const BACK_OFF_FACTOR = 2;

/** Maximum fraction added to a wait that was asked for. */
const ASKED_JITTER = 0.1;

const MAYBE_ATTEMPTS = 2;

const decide = (
  error: ErrorData,
  { attempt, waitedMs, random }: RetryProgress,
  limits: ToolRetry & { readonly maxTotalWaitMs: number; readonly adapted?: number | undefined },
): RetryDecision => {
  if (error.retryable === 'no') return { retry: false, reason: 'not-retryable' };
  const attempts = error.retryable === 'maybe' ? Math.min(limits.attempts, MAYBE_ATTEMPTS) : limits.attempts;
  if (attempt >= attempts) return { retry: false, reason: 'no-attempts-left' };
  const asked = error.retryAfterMs;
  if (asked !== undefined && asked > limits.maxWaitMs) return { retry: false, reason: 'wait-too-long' };
  const backOff = limits.adapted ?? limits.initialWaitMs * BACK_OFF_FACTOR ** (attempt - 1) * random;
  const wanted =
    asked === undefined ? backOff : Math.max(asked * (1 + ASKED_JITTER * random), limits.adapted ?? 0);
  const waitMs = Math.ceil(Math.min(wanted, limits.maxWaitMs));
  return waitedMs + waitMs > limits.maxTotalWaitMs
    ? { retry: false, reason: 'waited-too-long' }
    : { retry: true, waitMs };
};
