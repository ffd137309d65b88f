import { TroupeError } from '../contracts/errors/error.ts';
import type { JournalRow, Lease, LeaseWish, StoredStatus } from '../contracts/journals/journal.ts';

/** Errors shared by all stores. */
export const journalErrors = {
  exists: (runId: string) =>
    new TroupeError(
      'journal.exists',
      `Cannot create the run '${runId}' as there is one of that name: resume it, or choose another id`,
      {
        runId,
      },
    ),
  unknown: (runId: string, store: string) =>
    new TroupeError('journal.unknown', `Cannot find the run '${runId}' as it is not in ${store}`, { runId }),
  held: (runId: string, holder: string, expiresAt: number, requester?: string) =>
    new TroupeError(
      'journal.held',
      `Cannot acquire the run '${runId}' as ${holder === requester ? 'this very process' : 'another process'} has it: ${holder}, for now until ${timeText(expiresAt)}`,
      { runId, retryable: 'maybe', details: { holder, expiresAt } },
    ),
  moved: (runId: string, isArriving: boolean) =>
    new TroupeError(
      'journal.moved',
      `Cannot reach the run '${runId}' here as ${isArriving ? 'it is being moved to this store: the same troupe move, once more, finishes that' : 'it was moved to another store: troupe show says to which'}`,
      { runId },
    ),
  fenced: ({ runId, holder }: Lease) =>
    new TroupeError(
      'journal.fenced',
      `Cannot write to the run '${runId}' as ${holder} does not have it any more: it was acquired by another process, or released`,
      { runId },
    ),
  conflict: (runId: string, expected: number, found: number) =>
    new TroupeError(
      'journal.conflict',
      `Cannot add to the run '${runId}' as its next row is ${expected}: found row ${found}`,
      { runId, details: { expected, found } },
    ),
  missing: (runId: string, row: number, cause?: unknown) =>
    new TroupeError(
      'journal.corrupt',
      `Cannot read the run '${runId}' past row ${row} as the store is damaged there: read the ${row} rows before it, or restore the store from a copy`,
      { runId, details: { row }, cause },
    ),
  closed: (store: string) => new TroupeError('journal.failed', `Cannot use ${store} as it is closed`),
};

const timeText = (at: number): string => {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
};

/** @throws `journal.fenced` if the lease is not the run's current one (`holder` is null if there is none). */
export const assertHolds = (
  run: { readonly holder: string | null; readonly fence: number },
  lease: Lease,
): void => {
  if (run.fence !== lease.fence || run.holder !== lease.holder) throw journalErrors.fenced(lease);
};

/** @throws `journal.conflict` if a row is out of sequence; `next` is the expected number of the first. */
export const assertFollows = (runId: string, next: number, rows: readonly JournalRow[]): void => {
  for (const [index, { n }] of rows.entries())
    if (n !== next + index) throw journalErrors.conflict(runId, next + index, n);
};

/** A run that is wanted, and who has it. */
interface WantedRun {
  readonly status: string;
  readonly holder: string | null;
  readonly expiresAt: number;
}

/**
 * @throws `journal.held` if a live process holds an unexpired lease; `journal.moved` if the run is in another store, or on its way, unless it is
 * about to be moved.
 */
export const assertFree = (
  runId: string,
  { status, holder, expiresAt }: WantedRun,
  { holder: requester, now, isGone, isMove = false }: LeaseWish,
): void => {
  if (!isMove && (status === 'moved' || status === 'arriving'))
    throw journalErrors.moved(runId, status === 'arriving');
  if (holder === null || expiresAt <= now || isGone?.(holder) === true) return;
  throw journalErrors.held(runId, holder, expiresAt, requester);
};

/** @throws `journal.moved` for a letter to a run that is in another store: nobody would read it. */
export const assertReads = (runId: string, status: string): void => {
  if (status === 'moved') throw journalErrors.moved(runId, false);
};

/** Checks whether a run is not over, and not elsewhere. */
export const isUnfinished = (status: StoredStatus): boolean =>
  status === 'running' || status === 'waiting' || status === 'arriving';
