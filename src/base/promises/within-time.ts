import type { Clock } from '../clock.ts';
import type { LazyAbort } from './lazy-abort.ts';
import { isThenable } from './thenable.ts';

/** A time limit, and what happens on expiry. */
export interface Patience {
  /** `Infinity` waits for ever. */
  readonly ms: number;
  readonly clock: Clock;
  /** Returns the rejection reason on expiry. */
  readonly late: () => unknown;
  /** Aborted work may take as long as it likes. */
  readonly abort?: LazyAbort | undefined;
}

/**
 * Returns the result of work if it is done in time; rejects with `late()` otherwise, and ignores a later result. A
 * synchronous value is returned at once, without a timer.
 *
 * @example
 * await withinTime(fetch(url), { ms: 1_000, clock: systemClock, late: () => new Error('too late') });
 */
export const withinTime = <Value>(
  given: Value | PromiseLike<Value>,
  { ms, clock, late, abort }: Patience,
): Value | Promise<Value> => {
  if (!isThenable(given)) return given;
  // Adopted first: a foreign thenable may throw, or settle twice.
  const work = Promise.resolve(given);
  if (ms === Infinity) return work;
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      forget?.();
      reject(late() as Error);
    }, ms);
    const forget = abort?.onAbort(() => {
      clock.clearTimeout(timer);
    });
    const done = (): void => {
      clock.clearTimeout(timer);
      forget?.();
    };
    work.then(
      (value) => {
        done();
        resolve(value);
      },
      (thrown: unknown) => {
        done();
        // Unchanged: the receiver converts it to data.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(thrown);
      },
    );
  });
};
