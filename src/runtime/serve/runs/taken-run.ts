import type { JournalStore } from '../../../contracts/journals/journal.ts';
import { INTERRUPTED, leftRunning } from '../../journal/resume/left-running.ts';

/** A run that was executed by another process before, and is resumed by this one. */
export interface TakenRun {
  readonly runId: string;
  readonly agent: string;
  /** The holder of the lease that has expired; undefined where the other process left the run in order. */
  readonly from?: string | undefined;
  /** The number of its rows in the store: the next one is written here. */
  readonly row: number;
}

/** Looks who has had a run, before it is resumed; undefined for one that was not under way, or that nobody has executed yet. */
export const takenRun = async (store: JournalStore, runId: string): Promise<TakenRun | undefined> => {
  const entry = await store.entry(runId);
  if (entry === undefined || (await leftRunning(store, [entry])).get(runId) !== INTERRUPTED) return undefined;
  const from = (await store.leases()).find((lease) => lease.runId === runId)?.holder;
  const row = (await store.read(runId)).length;
  return { runId, agent: entry.agent, row, ...(from === undefined ? {} : { from }) };
};
