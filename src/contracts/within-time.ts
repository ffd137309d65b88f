import type { Clock } from './clock.ts';
import { isThenable } from './thenable.ts';

/**
 * What work comes to, if it comes to something within `ms`; rejects with `late()` otherwise. What it comes to afterwards is
 * nobody's. Work that is done at once arms no timer.
 */
export const withinTime = <Value>(
  work: () => Value | PromiseLike<Value>,
  ms: number,
  clock: Clock,
  late: () => unknown,
): Promise<Value> =>
  new Promise((resolve, reject) => {
    const begun = work();
    if (!isThenable(begun)) {
      resolve(begun);
      return;
    }
    const timer = clock.setTimeout(() => {
      reject(late() as Error);
    }, ms);
    Promise.resolve(begun)
      .finally(() => {
        clock.clearTimeout(timer);
      })
      .then(resolve, reject);
  });
