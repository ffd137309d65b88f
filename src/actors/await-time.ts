import { nobodyWaits } from '../contracts/errors/nobody-waits.ts';
import type { Desk } from './desk.ts';

/** Waits until an absolute time, however distant; returns at once if it has passed. */
export const awaitTime = (
  { dueAt }: { readonly dueAt: number },
  { clock, abort }: Pick<Desk, 'clock' | 'abort'>,
): undefined | Promise<undefined> => {
  const ms = dueAt - clock.now();
  if (ms <= 0) return undefined;
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      forget();
      resolve(undefined);
    }, ms);
    const forget = abort.onAbort(() => {
      clock.clearTimeout(timer);
      reject(nobodyWaits('wait'));
    });
  });
};
