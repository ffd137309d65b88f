import type { FileHandle } from 'node:fs/promises';
import { open, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { isUnreadable } from './trace-problem.ts';
import { isOldTrace, readOldTrace } from './old-trace.ts';
import { readTrace, traceIn } from './read-trace.ts';
import { titleOf } from './trace-text.ts';
import type { RunAccount, TraceStatus } from './trace-account.ts';
import { codeOf } from './trace-disk.ts';

/** A filter of traces; all of its conditions have to hold. */
export interface TraceFilter {
  readonly status?: readonly TraceStatus[] | undefined;
  /** By the name of its root. */
  readonly agent?: string | undefined;
  /** Begun at that time or later, in ms since 1970. */
  readonly since?: number | undefined;
  /** At most that many, the newest. */
  readonly limit?: number | undefined;
}

/** One trace of a folder. */
export interface TraceEntry extends Pick<
  RunAccount,
  'runId' | 'agent' | 'status' | 'startedAt' | 'updatedAt' | 'stopReason' | 'error' | 'totals'
> {
  /** The file; of a trace of 0.1 its folder. */
  readonly place: string;
  /** The first words of its input. */
  readonly title: string;
}

/**
 * The traces in a folder, the newest first. One whose process is gone is found as `interrupted`, as by {@link readTrace}.
 *
 * Files that are not traces, or cannot be read, are skipped: {@link checkTrace} reports them. Of a long one its first and last lines are looked at.
 *
 * @example
 * for (const { place, error } of await listTraces('./traces', { status: ['failed'] })) console.log(place, error?.message);
 *
 * @throws {TroupeError} `trace.unreadable` if there is no such folder.
 */
export const listTraces = async (
  folder: string,
  { status, agent, since = -Infinity, limit = Infinity }: TraceFilter = {},
): Promise<readonly TraceEntry[]> => {
  const entries: TraceEntry[] = [];
  for (const place of await placesIn(resolve(folder))) {
    const entry = await entryAt(place);
    if (entry !== undefined) entries.push(entry);
  }
  return entries
    .filter(
      (entry) =>
        (status?.includes(entry.status) ?? true) &&
        (agent === undefined || entry.agent === agent) &&
        entry.startedAt >= since,
    )
    .toSorted((a, b) => b.startedAt - a.startedAt || (a.place < b.place ? 1 : -1))
    .slice(0, limit);
};

const placesIn = async (root: string): Promise<readonly string[]> => {
  try {
    const found = await readdir(root, { withFileTypes: true });
    return found
      .filter((entry) => entry.isDirectory() || entry.name.endsWith('.jsonl'))
      .map(({ name }) => join(root, name));
  } catch (thrown) {
    const reason = codeOf(thrown) === 'ENOENT' ? 'there is no such folder' : messageOf(thrown);
    throw new TroupeError('trace.unreadable', `Cannot list the traces in ${root} as ${reason}`, {
      cause: thrown,
    });
  }
};

const entryAt = async (place: string): Promise<TraceEntry | undefined> => {
  try {
    const found = await accountAt(place);
    if (found === undefined) return undefined;
    const { runId, agent, status, input, startedAt, updatedAt, stopReason, error, totals } = found;
    return {
      place,
      title: titleOf(input),
      runId,
      agent,
      status,
      startedAt,
      updatedAt,
      stopReason,
      error,
      totals,
    };
  } catch (thrown) {
    if (isUnreadable(thrown)) return undefined;
    throw thrown;
  }
};

/** Only what has not ended, or does not fit, needs to be read as a whole. */
const accountAt = async (place: string): Promise<RunAccount | undefined> => {
  if ((await stat(place)).isDirectory())
    return (await isOldTrace(place)) ? (await readOldTrace(place)).account : undefined;
  const { account, events } = traceIn(await endsOf(place), place);
  const isKnown = events[0]?.type === 'run.started' && account.endedAt !== undefined;
  return isKnown ? account : (await readTrace(place)).account;
};

/** The number of bytes read at the start, and at the end, of a file. */
const SPAN = 64 * 1024;

/** The whole lines at the beginning and at the end of a file. */
const endsOf = async (place: string): Promise<string> => {
  const file = await open(place);
  try {
    const { size } = await file.stat();
    if (size <= 2 * SPAN) return await file.readFile('utf8');
    const first = await textAt(file, 0);
    const last = await textAt(file, size - SPAN);
    return `${first.slice(0, first.lastIndexOf('\n'))}${last.slice(last.indexOf('\n'))}`;
  } finally {
    await file.close();
  }
};

const textAt = async (file: FileHandle, position: number): Promise<string> => {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(SPAN), position });
  return buffer.toString('utf8', 0, bytesRead);
};
