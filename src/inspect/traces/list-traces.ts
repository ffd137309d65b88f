import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { isProcessGone } from '../../persistence/process-holder.ts';
import { isUnreadable, manifestIn, readTrace } from './read-trace.ts';
import type { ReadTraceOptions } from './read-trace.ts';
import type { TraceFacts } from './trace.ts';
import { codeOf } from './trace-disk.ts';
import type { TraceStatus } from './trace-schema.ts';

/** Which traces are wanted; all that is said has to hold. */
export interface TraceFilter extends ReadTraceOptions {
  readonly status?: readonly TraceStatus[] | undefined;
  /** By the name of its root. */
  readonly agent?: string | undefined;
  /** Begun at that time or later, in ms since 1970. */
  readonly since?: number | undefined;
  /** At most that many, the newest. */
  readonly limit?: number | undefined;
}

/** One trace of a folder. */
export interface TraceEntry {
  readonly folder: string;
  readonly manifest: TraceFacts;
}

/**
 * The traces in a folder, the newest first, by their manifests. One whose process is gone is found as `interrupted`, as by {@link readTrace}.
 *
 * What is no trace, or cannot be read, is passed over: {@link checkTrace} tells of it.
 *
 * @example
 * for (const { folder, manifest } of await listTraces('./traces', { status: ['failed'] })) console.log(folder, manifest.error?.message);
 *
 * @throws {TroupeError} `trace.unreadable` if there is no such folder.
 */
export const listTraces = async (
  folder: string,
  { status, agent, since = -Infinity, limit = Infinity, ...reading }: TraceFilter = {},
): Promise<readonly TraceEntry[]> => {
  const root = resolve(folder);
  const entries: TraceEntry[] = [];
  for (const name of await foldersIn(root)) {
    const entry = await entryOf(join(root, name), reading);
    if (entry !== undefined) entries.push(entry);
  }
  return entries
    .filter(
      ({ manifest }) =>
        (status?.includes(manifest.status) ?? true) &&
        (agent === undefined || manifest.agent === agent) &&
        manifest.startedAt >= since,
    )
    .toSorted((a, b) => b.manifest.startedAt - a.manifest.startedAt || (a.folder < b.folder ? 1 : -1))
    .slice(0, limit);
};

const foldersIn = async (root: string): Promise<readonly string[]> => {
  try {
    const found = await readdir(root, { withFileTypes: true });
    return found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (thrown) {
    const reason = codeOf(thrown) === 'ENOENT' ? 'there is no such folder' : messageOf(thrown);
    throw new TroupeError('trace.unreadable', `Cannot list the traces in ${root} as ${reason}`, {
      cause: thrown,
    });
  }
};

const entryOf = async (folder: string, reading: ReadTraceOptions): Promise<TraceEntry | undefined> => {
  try {
    const found = await manifestIn(folder);
    const manifest = found?.manifest;
    // Only what may be other than it says needs all of its files to be read.
    if (manifest !== undefined && (manifest.status !== 'running' || !isProcessGone(manifest.writer.holder)))
      return { folder, manifest };
    return { folder, manifest: (await readTrace(folder, reading)).manifest };
  } catch (thrown) {
    if (isUnreadable(thrown)) return undefined;
    throw thrown;
  }
};
