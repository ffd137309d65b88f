import { isTroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore, LeaseWish, RunEntry } from '../../contracts/journals/journal.ts';

/** A lease request of this process for the duration of a command. */
export const briefWish = ({ identity }: JournalStore): LeaseWish => ({
  holder: identity?.holder ?? crypto.randomUUID(),
  ttlMs: 10_000,
  now: Date.now(),
  isGone: (holder) => identity?.isGone(holder) ?? false,
});

/** Checks whether no process has the run. */
export const isFree = async (store: JournalStore, runId: string): Promise<boolean> => {
  try {
    await store.release(await store.acquire(runId, briefWish(store)));
    return true;
  } catch (thrown) {
    if (isTroupeError(thrown, 'journal.held')) return false;
    throw thrown;
  }
};

/** Checks whether a run is on record as running while no process has it: it was interrupted, and can be resumed. */
export const isLeftRunning = async (store: JournalStore, { runId, status }: RunEntry): Promise<boolean> =>
  status === 'running' && (await isFree(store, runId));
