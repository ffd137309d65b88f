import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { openLog } from '../../persistence/run-log.ts';
import type { OpenedLog } from '../../persistence/run-log.ts';
import { isProcessGone } from '../../persistence/process-holder.ts';
import { eventsIn } from './logged-events.ts';
import { isOldTrace, readOldTrace } from './old-trace.ts';
import { stepsIn } from './step-view.ts';
import type { Trace } from './trace.ts';
import { accountOf } from './trace-account.ts';
import { codeOf } from './trace-disk.ts';
import type { TraceNote } from './trace-record.ts';
import { noteIn } from './trace-record.ts';

/**
 * Reads the trace of one run, or an exported journal, as far as it can be read: the rest is reported in `damage`, and left
 * as it is. A folder that a release of 0.1 wrote is read as well.
 *
 * A run that has not ended while its process is gone (as far as can be known: of this host, its id taken by nobody) is `interrupted`.
 *
 * @example
 * const { account, events, steps } = await readTrace('./traces/r1.jsonl');
 *
 * @throws {TroupeError} `trace.unreadable` if there is no trace, or it is of a version that this release does not know.
 */
export const readTrace = async (place: string): Promise<Trace> => {
  const file = resolve(place);
  try {
    if (!(await stat(file)).isDirectory()) return traceIn(await readFile(file, 'utf8'), place);
  } catch (thrown) {
    const isNowhere = codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR';
    if (!isNowhere && codeOf(thrown) === undefined) throw thrown;
    throw unreadable(place, isNowhere ? 'there is no such file' : messageOf(thrown), thrown);
  }
  if (await isOldTrace(file)) return readOldTrace(file);
  throw unreadable(place, `it is a folder: name a trace in it, such as ${join(place, 'RUN_ID.jsonl')}`);
};

/**
 * The trace in a text that was written to a file.
 *
 * @throws {TroupeError} `trace.unreadable` as {@link readTrace}.
 */
export const traceIn = (text: string, name = 'the text'): Trace => {
  const log = openLog(text, name);
  const { events, problems } = eventsIn(log);
  const { entry } = log.head;
  const notes = log.records.flatMap(({ record }) => noteIn(record) ?? []);
  return {
    account: {
      ...accountOf(events, statusOf(log, notes), entry.runId),
      ...(events.length === 0 ? { agent: entry.agent, startedAt: entry.createdAt } : {}),
      ...noteFacts(notes),
      ...(log.head.kind === 'trace' ? factsOf(log.head) : {}),
    },
    events,
    steps: stepsIn(events),
    damage: problems,
  };
};

/** The status of a run that has not ended. Of an exported journal it is only known that the run may continue. */
const statusOf = ({ head }: OpenedLog, notes: readonly TraceNote[]): 'running' | 'interrupted' => {
  if (head.kind === 'journal') return 'running';
  const last = notes.at(-1);
  return last?.kind === 'opened' && !isProcessGone(last.holder) ? 'running' : 'interrupted';
};

const noteFacts = (notes: readonly TraceNote[]): Pick<Trace['account'], 'left' | 'trouble' | 'writer'> => {
  const opened = notes.findLast((note) => note.kind === 'opened');
  const closed = notes.filter((note) => note.kind === 'closed');
  const sum = (of: 'events' | 'cut'): number => closed.reduce((all, { left }) => all + left[of], 0);
  const trouble = closed.findLast((note) => note.trouble !== undefined)?.trouble;
  return {
    ...(closed.length === 0 ? {} : { left: { events: sum('events'), cut: sum('cut') } }),
    ...(trouble === undefined ? {} : { trouble }),
    ...(opened === undefined ? {} : { writer: writerOf(opened) }),
  };
};

const writerOf = ({ holder, node, platform }: Extract<TraceNote, { kind: 'opened' }>) => ({
  holder,
  node,
  platform,
});

const factsOf = ({ facts, factsHash }: Pick<Trace['account'], 'facts' | 'factsHash'>) => ({
  ...(facts === undefined ? {} : { facts }),
  ...(factsHash === undefined ? {} : { factsHash }),
});

const unreadable = (place: string, reason: string, cause?: unknown): TroupeError =>
  new TroupeError('trace.unreadable', `Cannot read the trace in ${place} as ${reason}`, { cause });
