import type { Clock } from '../../base/clock.ts';
import { NEVER_AT } from '../../base/clock.ts';
import type { LazyAbort } from '../../base/promises/lazy-abort.ts';
import { nobodyWaits } from '../../contracts/errors/nobody-waits.ts';
import type { PersonWaits } from '../../coordination/round/round.ts';
import type { WaitAsk } from '../../machines/asks.ts';
import type { PersonTime } from './person-time.ts';

interface Look {
  readonly clock: Clock;
  readonly abort: LazyAbort;
  readonly time: PersonTime;
}

/**
 * Waits until a team is to look at the time of its members: when it is due, or as soon as a member that waited for a person continues.
 * Returns how long members have waited for people.
 */
export const awaitLook = (
  { path, input: { dueAt, standing = [] } }: { readonly path: string; readonly input: WaitAsk },
  { clock, abort, time }: Look,
): PersonWaits | undefined | Promise<PersonWaits | undefined> => {
  const seen = (): PersonWaits | undefined => time.waitsBelow(path, clock.now());
  if (dueAt <= clock.now() || standing.some((member) => !time.isWaiting(member))) return seen();
  return new Promise((resolve, reject) => {
    const forgets: (() => void)[] = [];
    const forget = (): void => {
      for (const each of forgets) each();
    };
    const look = (): void => {
      forget();
      resolve(seen());
    };
    for (const member of standing) forgets.push(time.watch(member, look));
    if (dueAt < NEVER_AT) {
      const timer = clock.setTimeout(look, dueAt - clock.now());
      forgets.push(() => {
        clock.clearTimeout(timer);
      });
    }
    forgets.push(
      abort.onAbort(() => {
        forget();
        reject(nobodyWaits('wait'));
      }),
    );
  });
};
