import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { isProcessGone } from '../../persistence/process-holder.ts';
import { isOldTrace, readOldTrace } from './old-trace.ts';
import type { Trace } from './trace.ts';
import { codeOf } from './trace-disk.ts';
import { traceInText } from './trace-in-text.ts';

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
export const traceIn = (text: string, name?: string): Trace =>
  traceInText(text, { name, isGone: isProcessGone });

const unreadable = (place: string, reason: string, cause?: unknown): TroupeError =>
  new TroupeError('trace.unreadable', `Cannot read the trace in ${place} as ${reason}`, { cause });
