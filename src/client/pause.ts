import type { Clock } from '../base/clock.ts';
import { LONGEST_TIMER_MS, platformClock } from '../base/clock.ts';

/** The waits between attempts. */
export interface RetryOptions {
  /** Wait before the next attempt, in ms, unless the server sets it; doubled with each failed one. Default 1,000. */
  readonly retryMs?: number | undefined;
  /** Default 30,000. */
  readonly maxRetryMs?: number | undefined;
  /** Clock for waits. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Waits before attempt `attempt + 1`, `atLeastMs` in any case; an abort ends it early. */
export const backOff = (
  attempt: number,
  { clock = platformClock, retryMs = 1_000, maxRetryMs = 30_000 }: RetryOptions,
  signal: AbortSignal | undefined,
  atLeastMs = 0,
): Promise<void> =>
  new Promise((resolve) => {
    const over = (): void => {
      clock.clearTimeout(timer);
      signal?.removeEventListener('abort', over);
      resolve();
    };
    const ms = Math.max(Math.min(retryMs * 2 ** Math.max(0, attempt - 1), maxRetryMs), atLeastMs);
    const timer = clock.setTimeout(over, Math.min(ms, LONGEST_TIMER_MS));
    signal?.addEventListener('abort', over);
  });

/** Checks whether a signal, if there is one, is aborted. */
export const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;
