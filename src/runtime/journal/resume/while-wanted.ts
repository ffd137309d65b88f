import { patientClock, systemClock } from '../../../base/clock.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import { onSignal } from '../../run/shared-signal.ts';
import { HURRIED_STORE_MS } from '../write/last-write.ts';
import type { JournalStore, Lease } from '../../../contracts/journals/journal.ts';
import type { WhyHurried } from '../write/store-silent.ts';

/** A deadline and an abort signal for waiting on a store. */
export interface Wanted<Value> extends Pick<RunOptions, 'signal' | 'clock'> {
  /** Longest wait, in ms. Default: unlimited. */
  readonly timeMs?: number | undefined;
  /** The error when the wait is given up. */
  readonly refusal: (why: WhyHurried) => Error;
  /** Releases a value that arrives too late. */
  readonly giveBack?: ((value: Value) => Promise<void>) | undefined;
}

/**
 * Waits for a store until it answers, `timeMs` has passed, or `signal` was aborted (with a grace period). A value that arrives later is
 * passed to `giveBack`.
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
        // Rethrown unchanged: the store has given the reason.
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
    // It expires by itself.
  }
};
