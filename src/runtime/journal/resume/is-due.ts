import { systemClock } from '../../../base/clock.ts';
import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';

/** Checks whether a run was running when its process ended, is due, or has letters. */
export const isDue = async (
  store: JournalStore,
  { runId, status, dueAt = Infinity }: RunEntry,
): Promise<boolean> => {
  if (status !== 'running' && status !== 'waiting') return false;
  return status === 'running' || dueAt <= systemClock.now() || (await store.letters(runId)).length > 0;
};
