import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';

/** The status that is shown of a run whose process is gone before its end. */
export const INTERRUPTED = 'interrupted';

/**
 * Those of some runs that are on record as running while no process has them: they were interrupted, and can be resumed. No lease is taken
 * for that. `known` are the runs that a process has, where they are known.
 */
export const leftRunning = async (
  store: JournalStore,
  entries: readonly RunEntry[],
  known?: ReadonlySet<string>,
): Promise<ReadonlySet<string>> => {
  const running = entries.filter(({ status }) => status === 'running');
  if (running.length === 0) return new Set();
  const held = known ?? (await heldRuns(store));
  const free = running.filter(({ runId }) => !held.has(runId));
  if (free.length === 0) return new Set();
  // A run that has ended meanwhile was given back, too; its status was on record before.
  const still = new Set((await store.list({ status: ['running'] })).map(({ runId }) => runId));
  return new Set(free.flatMap(({ runId }) => (still.has(runId) ? [runId] : [])));
};

/** The runs that a process has, as far as can be known. */
export const heldRuns = async (store: JournalStore): Promise<ReadonlySet<string>> => {
  const leases = await store.leases();
  const now = Date.now();
  return new Set(
    leases.flatMap(({ runId, holder, expiresAt }) =>
      expiresAt > now && store.identity?.isGone(holder) !== true ? [runId] : [],
    ),
  );
};
