import { TroupeError } from '../contracts/error.ts';
import type { Desk } from './desk.ts';

/** A timer set for longer fires at once: the platform keeps the delay in 32 bits. In ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits until an absolute time, however far off; one that has passed is no wait. */
export const awaitTime = (
  { dueAt }: { readonly dueAt: number },
  { clock, abort }: Pick<Desk, 'clock' | 'abort'>,
): undefined | Promise<undefined> => {
  const ms = dueAt - clock.now();
  if (ms <= 0) return undefined;
  return new Promise((resolve, reject) => {
    let timer: unknown;
    const arm = (left: number): void => {
      timer = clock.setTimeout(
        () => {
          if (left > LONGEST_TIMER_MS) arm(left - LONGEST_TIMER_MS);
          else {
            forget();
            resolve(undefined);
          }
        },
        Math.min(left, LONGEST_TIMER_MS),
      );
    };
    arm(ms);
    const forget = abort.onAbort(() => {
      clock.clearTimeout(timer);
      reject(new TroupeError('run.aborted', 'Cannot wait any longer as nobody waits for it'));
    });
  });
};
