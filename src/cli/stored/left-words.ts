import { lasting, several } from '../../base/text/number-words.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { JournalStore, RunEntry } from '../../contracts/journals/journal.ts';
import { heldRuns, INTERRUPTED, type LeftStatus, QUEUED } from '../../runtime/journal/resume/left-running.ts';
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
  const leases = await store.leases();
  const hasLeft = leases.every((lease) => lease.runId !== runId);
  const words = wordsOf(left, Date.now() - entry.createdAt, hasLeft);
  const busy = (await heldRuns(store)).size;
  if (!isRecorded && idleMs < UNTAKEN_MS) return { words: `${words}: ${takerWords(busy)}` };
  const since = left === QUEUED ? '' : ` for ${lasting(idleMs)}`;
  const full =
    busy === 0 ? 'none has a run, so perhaps there is none' : `those there have ${several(busy, 'run')}`;
  const untaken = isRecorded ? '' : `no worker has taken it${since} (${full}), start one or `;
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
  { command }: Pick<Session, 'command'>,
): Promise<Notice> => {
  if (status === 'arriving')
    return { words: 'It is being moved to this store: the same troupe move, once more, finishes that' };
  const mark = await moveMark(store, runId);
  const where = mark === undefined ? 'another store' : `${oneLine(mark.to, 200)}, ${timeWords(mark.at)}`;
  const words = `Moved to ${where}`;
  // The name of a database has no password, so a command with it may reach nothing.
  return mark?.to.startsWith('sqlite:') === true
    ? { words, command: `${command} show ${oneLine(runId)} --store ${oneLine(mark.to, 200)}` }
    : { words };
};

/** Says who takes a run soon, as far as the leases of others tell. */
const takerWords = (busy: number): string =>
  busy === 0
    ? 'a worker or server of its agent continues it within seconds, if there is one'
    : `a worker or server of its agent continues it once it has room (${several(busy, 'run')} under way in this store)`;

/** `hasLeft`: its lease was given back, and has not expired. */
const wordsOf = (left: Left, sinceMs: number, hasLeft: boolean): string => {
  switch (left) {
    case QUEUED:
      return `Queued for ${lasting(sinceMs)}, and not executed yet`;
    case INTERRUPTED:
      return hasLeft ? 'Left in order by its process, and waits for another one' : 'Its process is gone';
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
