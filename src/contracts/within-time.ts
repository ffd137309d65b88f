import type { Clock } from './clock.ts';
import type { LazyAbort } from './lazy-abort.ts';
import { isThenable } from './thenable.ts';

/** The time that somebody waits, and what happens then. */
export interface Patience {
  /** `Infinity` waits for ever. */
  readonly ms: number;
  readonly clock: Clock;
  /** What to reject with once the time is over. */
  readonly late: () => unknown;
  /** Called off, the work may take as long as it likes. */
  readonly abort?: LazyAbort | undefined;
}

/**
 * What work comes to, if it comes to something in time; rejects with `late()` otherwise, and what it comes to afterwards is
 * nobody's. What is there at once is given at once, without a timer.
 *
 * @example
 * await withinTime(fetch(url), { ms: 1_000, clock: systemClock, late: () => new Error('too late') });
 */
export const withinTime = <Value>(
  given: Value | PromiseLike<Value>,
  { ms, clock, late, abort }: Patience,
): Value | Promise<Value> => {
  if (!isThenable(given)) return given;
  // Adopted first: a thenable of somebody's own may throw, or settle twice.
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
        // As it is: whoever waits for it makes data of it.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(thrown);
      },
    );
  });
};
