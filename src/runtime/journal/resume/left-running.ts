import { isTroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore, Lease, RunEntry } from '../../../contracts/journals/journal.ts';
import { recordsOf } from './stored-run.ts';

/** The status that is shown of a run whose process is gone before its end. */
export const INTERRUPTED = 'interrupted';
/** The status that is shown of a run that was entered, and that no process has executed yet. */
export const QUEUED = 'queued';

/** The status that is shown of a run that is on record as running while no process has it. */
export type LeftStatus = typeof INTERRUPTED | typeof QUEUED;

/**
 * Those of some runs that are on record as running while no process has them: they were interrupted, or wait to be executed for the first time.
 * No lease is taken for that. `known` are the runs that a process has, where they are known.
 */
export const leftRunning = async (
  store: JournalStore,
  entries: readonly RunEntry[],
  known?: ReadonlySet<string>,
): Promise<ReadonlyMap<string, LeftStatus>> => {
  const running = entries.filter(({ status }) => status === 'running');
  if (running.length === 0) return new Map();
  const leases = await store.leases();
  const held = known ?? heldAmong(leases, store);
  const free = running.filter(({ runId }) => !held.has(runId));
  if (free.length === 0) return new Map();
  // A run that has ended meanwhile was given back, too; its status was on record before.
  const still = new Set((await store.list({ status: ['running'] })).map(({ runId }) => runId));
  const leased = new Set(leases.map(({ runId }) => runId));
  const left = new Map<string, LeftStatus>();
  for (const { runId } of free)
    if (still.has(runId))
      left.set(runId, !leased.has(runId) && (await isUntouched(store, runId)) ? QUEUED : INTERRUPTED);
  return left;
};

/** Rows that a run has at most before it is executed. */
const FEW_ROWS = 8;

/** Checks whether nothing of a run was executed yet: the process that entered it has left it before its first effect. */
const isUntouched = async (store: JournalStore, runId: string): Promise<boolean> => {
  try {
    const rows = await store.read(runId, 0, FEW_ROWS + 1);
    if (rows.length === 0 || rows.length > FEW_ROWS) return false;
    const { records } = await recordsOf(runId, rows, {});
    return records.every((record) => record.kind !== 'arrived');
  } catch (thrown) {
    // What cannot be read was written by somebody.
    if (isTroupeError(thrown)) return false;
    throw thrown;
  }
};

/** The runs that a process has, as far as can be known. */
export const heldRuns = async (store: JournalStore): Promise<ReadonlySet<string>> =>
  heldAmong(await store.leases(), store);

const heldAmong = (leases: readonly Lease[], { identity }: JournalStore): ReadonlySet<string> => {
  const now = Date.now();
  return new Set(
    leases.flatMap(({ runId, holder, expiresAt }) =>
      expiresAt > now && identity?.isGone(holder) !== true ? [runId] : [],
    ),
  );
};
