import type { JournalStore, RunEntry, StoredStatus } from '../../../contracts/journals/journal.ts';
import type { LeftStatus } from '../../../runtime/journal/resume/left-running.ts';
import { INTERRUPTED, leftRunning, QUEUED } from '../../../runtime/journal/resume/left-running.ts';
import { heldMark } from '../../../runtime/journal/versions/held-marks.ts';
import type { RunsCommand } from '../../usage/commands.ts';
import type { ListedStatus } from '../../usage/option-values.ts';

/** The runs of a list. */
interface ListedRuns {
  readonly found: readonly RunEntry[];
  readonly unreadable: NonNullable<Awaited<ReturnType<JournalStore['list']>>['unreadable']>;
  /** The statuses that are shown of those that no process has. */
  readonly left: ReadonlyMap<string, LeftStatus>;
}

/** The runs of a store whose status is one of those wanted, as it is shown, the newest first. `held` are the runs that a process has. */
export const listedRuns = async (
  store: JournalStore,
  { status, limit }: Pick<RunsCommand, 'status' | 'limit'>,
  held: ReadonlySet<string>,
): Promise<ListedRuns> => {
  const recorded = status?.flatMap(statusesOf);
  // Of a status that is not on record as such, all runs that may have it are looked at.
  const isOnRecord =
    status === undefined || status.every((each) => !(each in RECORDED) && each !== 'running');
  const all = await store.list({
    ...(isOnRecord ? { limit } : {}),
    ...(recorded === undefined ? {} : { status: [...new Set(recorded)] }),
  });
  const left = await leftRunning(store, all, held);
  const unreadable = all.unreadable ?? [];
  if (isOnRecord) return { found: all, left, unreadable };
  const found: RunEntry[] = [];
  for (const entry of all) {
    if (found.length >= limit) break;
    const isShown = status.includes(left.get(entry.runId) ?? entry.status);
    const isWanted = isShown || (status.includes('held') && (await isHeld(store, entry, held)));
    if (isWanted) found.push(entry);
  }
  return { found, left, unreadable };
};

const isHeld = async (store: JournalStore, entry: RunEntry, held: ReadonlySet<string>): Promise<boolean> =>
  !held.has(entry.runId) && (await heldMark(store, entry)) !== undefined;

/** The statuses on record of runs that are shown with another one. */
const RECORDED: Readonly<Record<Exclude<ListedStatus, StoredStatus>, readonly StoredStatus[]>> = {
  [QUEUED]: ['running'],
  [INTERRUPTED]: ['running'],
  held: ['running', 'waiting'],
};

const statusesOf = (status: ListedStatus): readonly StoredStatus[] =>
  status === QUEUED || status === INTERRUPTED || status === 'held' ? RECORDED[status] : [status];
