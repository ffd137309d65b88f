import { patientClock, systemClock } from '../../contracts/clock.ts';
import type { RunOptions } from '../../contracts/run.ts';
import { onSignal } from '../shared-signal.ts';
import { HURRIED_STORE_MS } from './last-write.ts';
import type { Taken } from './stored-run.ts';
import type { WhyHurried } from './store-silent.ts';
import { storeWithheld } from './store-silent.ts';

/**
 * Waits until a store has given a run, as long as somebody wants it: once `signal` is aborted within bounds, and no longer than the
 * run may take by its `budget`. What is acquired later is released.
 */
export const whileWanted = (
  taking: Promise<Taken>,
  runId: string,
  { signal, budget, clock: given }: Pick<RunOptions, 'signal' | 'budget' | 'clock'>,
): Promise<Taken> => {
  const timeMs = budget?.timeMs ?? Infinity;
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
          reject(storeWithheld(runId, why));
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
        if (isGivenUp) void giveBack(taken);
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

const giveBack = async ({ store, lease }: Taken): Promise<void> => {
  try {
    await store.release(lease);
  } catch {
    // It runs out by itself.
  }
};
