import { lasting } from '../../base/text/number-words.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { JournalStore, RunEntry } from '../../contracts/journals/journal.ts';
import { INTERRUPTED, type LeftStatus, QUEUED } from '../../runtime/journal/resume/left-running.ts';
import { moveMark } from '../../runtime/journal/moves/move-marks.ts';
import { heldMark } from '../../runtime/journal/versions/held-marks.ts';
import type { Session } from '../session.ts';
import type { Notice } from '../words/notice-lines.ts';
import { commandOf } from './command-record.ts';
import { timeWords } from './run-words.ts';
import type { OpenStore } from './open-store.ts';

/** The status of a run that waits for a process: it has its answer, was interrupted, or was never executed. */
type Left = LeftStatus | 'answered';

/** A run that no process has, and that wants one. */
export interface LeftRun {
  readonly entry: Pick<RunEntry, 'runId' | 'createdAt' | 'updatedAt'> & {
    readonly status: RunEntry['status'];
  };
  readonly left: Left;
}

/** Time after which workers and servers would have taken a run, in ms: a lease expires within 15 s, and they look every 5 s at least. */
const UNTAKEN_MS = 25_000;
/** Time for which a lease is renewed, in ms. */
const LEASE_MS = 15_000;

/**
 * Says what becomes of a run that no process has: why it is held, if a worker has said so; else who takes it, and, of one that nobody has taken for a
 * while or that a command began, the command that resumes it.
 */
export const leftNotice = async (
  { entry, left }: LeftRun,
  { store, option }: OpenStore,
  { command }: Pick<Session, 'command'>,
): Promise<Notice> => {
  const { runId } = entry;
  const held = await heldMark(store, entry);
  if (held !== undefined) return { words: `Held: ${oneLine(held.message, 300)}` };
  const isRecorded = (await commandOf(store, runId)) !== undefined;
  const idleMs = Date.now() - (await lastSign(store, entry));
  const words = wordsOf(left, Date.now() - entry.createdAt);
  if (!isRecorded && idleMs < UNTAKEN_MS)
    return { words: `${words}: a worker or server of its agent continues it within seconds` };
  const since = left === QUEUED ? '' : ` for ${lasting(idleMs)}`;
  const untaken = isRecorded ? '' : `no worker has taken it${since}, start one or `;
  const code = isRecorded ? '' : ' --agent FILE';
  return {
    words: `${words}: ${untaken}resume it`,
    command: `${command} resume ${oneLine(runId)}${option}${code}`,
  };
};

/** Says where a run is that is not here, or not yet. */
export const moveNotice = async (
  store: JournalStore,
  { runId, status }: { readonly runId: string; readonly status: 'moved' | 'arriving' },
): Promise<Notice> => {
  if (status === 'arriving')
    return { words: 'It is being moved to this store: the same troupe move, once more, finishes that' };
  const mark = await moveMark(store, runId);
  const where = mark === undefined ? 'another store' : `${oneLine(mark.to, 200)}, ${timeWords(mark.at)}`;
  return { words: `Moved to ${where}` };
};

const wordsOf = (left: Left, sinceMs: number): string => {
  switch (left) {
    case QUEUED:
      return `Queued for ${lasting(sinceMs)}, and not executed yet`;
    case INTERRUPTED:
      return 'Its process is gone';
    case 'answered':
      return 'Answered';
  }
};

/** The time at which somebody last wrote a run, answered it, or renewed its lease. */
const lastSign = async (
  store: JournalStore,
  { runId, updatedAt }: Pick<RunEntry, 'runId' | 'updatedAt'>,
): Promise<number> => {
  const leases = (await store.leases()).filter((lease) => lease.runId === runId);
  const letters = await store.letters(runId);
  return Math.max(
    updatedAt,
    ...leases.map(({ expiresAt }) => expiresAt - LEASE_MS),
    ...letters.map(({ at }) => at),
  );
};
