import { join } from 'node:path';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { JournalSeal } from '../../persistence/journal-codec.ts';
import { LOG_VERSION, openLog } from '../../persistence/run-log.ts';
import type { OpenedLog } from '../../persistence/run-log.ts';
import { isUnreadable } from './trace-problem.ts';
import { LogFile } from './log-file.ts';
import { eventsIn } from './logged-events.ts';
import type { TraceDisk } from './trace-disk.ts';
import { traceFileName } from './trace-file-name.ts';

/** A trace that is being written. */
export interface OpenTrace {
  readonly log: LogFile;
  readonly seal: JournalSeal;
  /** The last event that is there. */
  lastSeq: number;
}

/** The folder, file and first line of a trace. */
export interface TracePlace {
  readonly disk: TraceDisk;
  /** Of all traces. */
  readonly folder: string;
  /** The next event of the run. */
  readonly next: RuntimeEvent;
  readonly head: string;
}

/** Runs of one id that ended one after the other are kept apart, as many as this. */
const MOST = 1_000;

/** Files that this process writes to: a run that is watched twice has two traces. */
const inUse = new Set<string>();

/**
 * The file for a run: a new one, or that of the same run if its trace was cut off (a stored run continues in another process). A trace that
 * has ended is never written to again: the next run of that id has a file with a number.
 */
export const openTrace = async (place: TracePlace): Promise<OpenTrace> => {
  for (const file of filesFor(place)) {
    if (inUse.has(file)) continue;
    inUse.add(file);
    try {
      const trace = await openFile(file, place);
      if (trace !== undefined) return trace;
    } catch (thrown) {
      inUse.delete(file);
      throw thrown;
    }
    inUse.delete(file);
  }
  throw new Error(`there are ${MOST} runs of that id already`);
};

/** As the process ends: a file that is new. */
export const openAtOnce = (place: TracePlace): OpenTrace | undefined => {
  for (const file of filesFor(place))
    if (place.disk.atOnce.create(file, place.head)) return newTrace(file, place);
  return undefined;
};

/** Releases the file: the next writer may continue it. */
export const closeTrace = ({ log }: OpenTrace): void => {
  inUse.delete(log.file);
};

const filesFor = ({ folder, next }: TracePlace): readonly string[] =>
  Array.from({ length: MOST }, (_, index) => join(folder, traceFileName(next.runId, index + 1)));

const newTrace = (file: string, { disk, next, head }: TracePlace): OpenTrace => ({
  log: new LogFile(disk, file, head),
  seal: new JournalSeal({ runId: next.runId }),
  lastSeq: -1,
});

const openFile = async (file: string, place: TracePlace): Promise<OpenTrace | undefined> => {
  if (await place.disk.create(file, place.head)) return newTrace(file, place);
  const before = (await place.disk.read(file))?.toString('utf8') ?? '';
  const found = logIn(before, file);
  if (found === undefined || found.head.kind !== 'trace' || found.head.v !== LOG_VERSION) return undefined;
  const { events } = eventsIn(found);
  if (!goesOn(events, place.next)) return undefined;
  return {
    log: new LogFile(place.disk, file, before),
    seal: new JournalSeal({ runId: place.next.runId, after: found }),
    lastSeq: events.at(-1)?.seq ?? -1,
  };
};

/** Leaves a file that is not a log as it is. */
const logIn = (text: string, file: string): OpenedLog | undefined => {
  try {
    return openLog(text, file);
  } catch (thrown) {
    if (isUnreadable(thrown)) return undefined;
    throw thrown;
  }
};

/** Checks whether this is the run whose trace was found, and not another one of the same id. */
const goesOn = (events: readonly RuntimeEvent[], next: RuntimeEvent): boolean => {
  if (events.some(({ type }) => type === 'run.ended')) return false;
  const [first] = events;
  if (first === undefined || next.seq > 0) return true;
  return first.seq === 0 && first.at === next.at && first.path === next.path;
};
