import type { Clock } from '../base/clock.ts';

/** Waits; an abort ends it early. */
export const pause = (clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const over = (): void => {
      clock.clearTimeout(timer);
      signal?.removeEventListener('abort', over);
      resolve();
    };
    const timer = clock.setTimeout(over, ms);
    signal?.addEventListener('abort', over);
  });

/** Checks whether a signal, if there is one, is aborted. */
export const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;
