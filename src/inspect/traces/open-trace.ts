import { join } from 'node:path';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { LinesOnDisk } from './lines-file.ts';
import { readEventLines } from './read-lines.ts';
import { TraceAccount } from './trace-account.ts';
import type { TraceDisk } from './trace-disk.ts';
import { traceFileNames, traceFolderName } from './trace-folder.ts';

/** A trace that is being written. */
export interface OpenTrace {
  readonly folder: string;
  readonly events: LinesOnDisk;
  readonly steps: LinesOnDisk;
  readonly account: TraceAccount;
  /** The last event that is there. */
  lastSeq: number;
}

/** Runs of one id that ended one after the other are kept apart, as many as this. */
const MOST = 1_000;

/**
 * The folder for a run whose next event this is: a new one, or that of the same run if its trace was cut off (a stored run goes on in
 * another process). A trace that has ended is never written to again: the next run of that id has a folder with a number.
 */
export const openTrace = async (disk: TraceDisk, root: string, next: RuntimeEvent): Promise<OpenTrace> => {
  for (let number = 1; number <= MOST; number += 1) {
    const folder = folderOf(root, next, number);
    if (inUse.has(folder)) continue;
    inUse.add(folder);
    try {
      const isNew = await disk.makeFolder(folder);
      const found = await opened(disk, folder, isNew);
      if (isNew || goesOn(found, next)) return found.trace;
    } catch (thrown) {
      inUse.delete(folder);
      throw thrown;
    }
    inUse.delete(folder);
  }
  throw new Error(`there are ${MOST} runs of that id already`);
};

/** As the process ends: a folder in which there is nothing yet. */
export const openAtOnce = (disk: TraceDisk, root: string, next: RuntimeEvent): OpenTrace | undefined => {
  for (let number = 1; number <= MOST; number += 1) {
    const folder = folderOf(root, next, number);
    if (disk.atOnce.size(join(folder, traceFileNames.manifest)) > 0) continue;
    disk.atOnce.makeFolder(folder);
    return newTrace(disk, folder);
  }
  return undefined;
};

const folderOf = (root: string, { runId }: RuntimeEvent, number: number): string =>
  join(root, `${traceFolderName(runId)}${number === 1 ? '' : `~${number}`}`);

const newTrace = (disk: TraceDisk, folder: string): OpenTrace => ({
  folder,
  events: new LinesOnDisk(disk, folder, 'events'),
  steps: new LinesOnDisk(disk, folder, 'steps'),
  account: new TraceAccount(),
  lastSeq: -1,
});

/** Lets go of the folder: whoever comes next may go on with it. */
export const closeTrace = ({ folder }: OpenTrace): void => {
  inUse.delete(folder);
};

/** Folders that this process writes to: a run that is watched twice has two traces. */
const inUse = new Set<string>();

/** Checks whether this is the run whose trace was found, and not another one of the same id. */
const goesOn = ({ trace: { account }, first }: Found, next: RuntimeEvent): boolean => {
  if (account.hasEnded) return false;
  if (first === undefined || next.seq > 0) return true;
  return first.seq === 0 && first.at === next.at && first.path === next.path;
};

interface Found {
  readonly trace: OpenTrace;
  readonly first: RuntimeEvent | undefined;
}

const opened = async (disk: TraceDisk, folder: string, isNew: boolean): Promise<Found> => {
  const trace = newTrace(disk, folder);
  if (isNew) return { trace, first: undefined };
  const there = readEventLines(await trace.events.read()).items;
  await trace.steps.read();
  for (const event of there) trace.account.take(event);
  trace.lastSeq = trace.account.lastSeq;
  return { trace, first: there[0] };
};
