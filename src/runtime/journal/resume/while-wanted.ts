import { patientClock, systemClock } from '../../../contracts/clock.ts';
import type { RunOptions } from '../../../contracts/run.ts';
import { onSignal } from '../../run/shared-signal.ts';
import { HURRIED_STORE_MS } from '../write/last-write.ts';
import type { JournalStore, Lease } from '../../../contracts/journal.ts';
import type { WhyHurried } from '../write/store-silent.ts';

/** What is waited for, and until when. */
export interface Wanted<Value> extends Pick<RunOptions, 'signal' | 'clock'> {
  /** The time that it may take, in ms. Default: any time. */
  readonly timeMs?: number | undefined;
  /** The error of giving it up. */
  readonly refusal: (why: WhyHurried) => Error;
  /** Gives back what comes after it was given up. */
  readonly giveBack?: ((value: Value) => Promise<void>) | undefined;
}

/**
 * Waits for what a store is to give, as long as somebody wants it: once `signal` is aborted within bounds, and no longer than `timeMs`. What
 * comes later is given back.
 */
export const whileWanted = <Value>(
  taking: Promise<Value>,
  { signal, timeMs = Infinity, clock: given, refusal, giveBack }: Wanted<Value>,
): Promise<Value> => {
  if (signal === undefined && timeMs === Infinity) return taking;
  const clock = given === undefined ? systemClock : patientClock(given);
  return new Promise((resolve, reject) => {
    const timers: unknown[] = [];
    let isGivenUp = false;
    const giveUpAfter = (ms: number, why: WhyHurried): void => {
      timers.push(
        clock.setTimeout(() => {
          isGivenUp = true;
          settle();
          reject(refusal(why));
        }, ms),
      );
    };
    const onAbort = (): void => {
      giveUpAfter(HURRIED_STORE_MS, 'it was aborted');
    };
    const forget = signal === undefined || signal.aborted ? () => undefined : onSignal(signal, onAbort);
    const settle = (): void => {
      forget();
      for (const timer of timers) clock.clearTimeout(timer);
    };
    if (signal?.aborted === true) onAbort();
    if (timeMs !== Infinity) giveUpAfter(Math.floor(timeMs) + 1, 'its time was up');
    taking.then(
      (taken) => {
        settle();
        if (isGivenUp) void giveBack?.(taken);
        else resolve(taken);
      },
      (thrown: unknown) => {
        settle();
        // As it is: the store said why.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(thrown);
      },
    );
  });
};

/** Releases a lease that came too late. */
export const releaseLate = async (store: JournalStore, lease: Lease): Promise<void> => {
  try {
    await store.release(lease);
  } catch {
    // It runs out by itself.
  }
};
