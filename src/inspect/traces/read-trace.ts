import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { isTroupeError, messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { isProcessGone } from '../../persistence/process-holder.ts';
import type { Lines } from './read-lines.ts';
import { readEventLines, readStepLines } from './read-lines.ts';
import type { Trace } from './trace.ts';
import { traceOf } from './trace.ts';
import { codeOf, realDisk } from './trace-disk.ts';
import type { LinesFile } from './trace-folder.ts';
import { traceFileNames } from './trace-folder.ts';
import type { TraceProblem } from './trace-problem.ts';
import type { TraceFile, TraceManifest } from './trace-schema.ts';
import { TRACE_VERSION, traceManifestSchema } from './trace-schema.ts';

/** How a trace is read. */
export interface ReadTraceOptions {
  /** Default true: the manifest of a run whose process is gone is written anew, as `interrupted`. */
  readonly finalise?: boolean | undefined;
}

/** A trace with what its files hold now. */
export interface TraceOnDisk extends Trace {
  readonly folder: string;
  readonly files: Readonly<Record<LinesFile, TraceFile | undefined>>;
}

/**
 * Reads the trace of one run, as far as there is something to read: what cannot be is told of in `damage`, and kept as it is.
 *
 * A manifest that says `running` while its process is gone (as far as can be known: of this host, its id taken by nobody) is that of a
 * run which was interrupted; that is written down, if it can be.
 *
 * @example
 * const { manifest, events, steps } = await readTrace('./traces/r1');
 *
 * @throws {TroupeError} `trace.unreadable` if there is no trace, or it is of a version that this release does not know.
 */
export const readTrace = async (
  folder: string,
  { finalise = true }: ReadTraceOptions = {},
): Promise<TraceOnDisk> => {
  const root = resolve(folder);
  const found = await manifestIn(root);
  const [events, steps] = [await linesIn(root, 'events'), await linesIn(root, 'steps')];
  if (found === undefined && events === undefined)
    throw unreadable(folder, `it holds neither ${traceFileNames.manifest} nor ${traceFileNames.events}`);
  const read = readEventLines(events?.text ?? '');
  const ordered = inOrder(read.items);
  const told = traceOf(ordered.items);
  const lines = readStepLines(steps?.text ?? '');
  const files = { events: events?.file, steps: steps?.file };
  const manifest = found?.manifest;
  const isGone = manifest?.status === 'running' && isProcessGone(manifest.writer.holder);
  const trace: TraceOnDisk = {
    folder: root,
    // Without one, all that is known is what the events tell.
    manifest:
      manifest === undefined
        ? told.manifest
        : isGone
          ? { ...manifest, ...told.manifest, runId: manifest.runId }
          : manifest,
    events: ordered.items,
    steps: lines.items,
    damage: [...damageOf(found), ...missing(files), ...read.problems, ...ordered.problems, ...lines.problems],
    files,
  };
  if (isGone && finalise) await writeFinal(trace, manifest);
  return trace;
};

interface FoundManifest {
  readonly manifest?: TraceManifest | undefined;
  readonly problem?: TraceProblem | undefined;
}

/** The manifest of a folder; undefined where there is no such file. */
export const manifestIn = async (folder: string): Promise<FoundManifest | undefined> => {
  const bytes = await bytesOf(join(folder, traceFileNames.manifest), folder);
  if (bytes === undefined) return undefined;
  const text = bytes.toString('utf8');
  const problem = (message: string): FoundManifest => ({
    problem: { kind: 'manifest.invalid', file: 'manifest', message, raw: text.slice(0, RAW) },
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return problem('It is no JSON');
  }
  const version = z.object({ v: z.number() }).safeParse(value).data?.v;
  if (version !== undefined && version !== TRACE_VERSION)
    throw unreadable(folder, `only version ${TRACE_VERSION} is known, and it is of version ${version}`);
  const parsed = traceManifestSchema.safeParse(value);
  return parsed.success ? { manifest: parsed.data } : problem(z.prettifyError(parsed.error));
};

/** Of a file that cannot be read, so many characters are kept. */
const RAW = 2_000;

const linesIn = async (
  folder: string,
  file: LinesFile,
): Promise<{ readonly text: string; readonly file: TraceFile } | undefined> => {
  const name = traceFileNames[file];
  const bytes = await bytesOf(join(folder, name), folder);
  if (bytes === undefined) return undefined;
  const text = bytes.toString('utf8');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { text, file: { name, bytes: bytes.length, lines: text.split('\n').length - 1, sha256 } };
};

const bytesOf = async (file: string, folder: string): Promise<Buffer | undefined> => {
  try {
    return await realDisk.read(file);
  } catch (thrown) {
    // What is named is a file, and no folder.
    if (codeOf(thrown) === 'ENOTDIR') return undefined;
    throw unreadable(folder, messageOf(thrown), thrown);
  }
};

/** By number, and each once: what was written twice as a process ended is the same twice, and no harm. */
const inOrder = (events: readonly RuntimeEvent[]): Lines<RuntimeEvent> => {
  const bySeq = new Map<number, RuntimeEvent>();
  const problems: TraceProblem[] = [];
  let last = -1;
  for (const event of events) {
    const { seq } = event;
    const known = bySeq.get(seq);
    if (known === undefined) bySeq.set(seq, event);
    else if (JSON.stringify(known) !== JSON.stringify(event))
      problems.push({ kind: 'seq.doubled', file: 'events', seq, message: `There are two events ${seq}` });
    if (known === undefined && seq < last)
      problems.push({ kind: 'seq.order', file: 'events', seq, message: `Event ${seq} stands after ${last}` });
    last = Math.max(last, seq);
  }
  return { items: [...bySeq.values()].toSorted((a, b) => a.seq - b.seq), problems };
};

const damageOf = (found: FoundManifest | undefined): readonly TraceProblem[] => {
  if (found === undefined)
    return [
      { kind: 'manifest.missing', file: 'manifest', message: `There is no ${traceFileNames.manifest}` },
    ];
  return found.problem === undefined ? [] : [found.problem];
};

/** A run of which no step has ended has no file of steps. */
const missing = ({ events }: TraceOnDisk['files']): readonly TraceProblem[] =>
  events === undefined
    ? [{ kind: 'file.missing', file: 'events', message: `There is no ${traceFileNames.events}` }]
    : [];

/** Best effort: whoever reads may not be the one who may write. */
const writeFinal = async ({ folder, manifest, files }: TraceOnDisk, before: TraceManifest): Promise<void> => {
  const { events = before.files.events, steps = before.files.steps } = files;
  const text = `${JSON.stringify({ ...manifest, files: { events, steps } }, undefined, 2)}\n`;
  await realDisk.replace(join(folder, traceFileNames.manifest), text).catch(() => undefined);
};

const unreadable = (folder: string, reason: string, cause?: unknown): TroupeError =>
  new TroupeError('trace.unreadable', `Cannot read the trace in ${folder} as ${reason}`, { cause });

/** Checks whether a folder holds no trace that this release can read. */
export const isUnreadable = (thrown: unknown): thrown is TroupeError =>
  isTroupeError(thrown, 'trace.unreadable');
