import { resolve } from 'node:path';
import { canonical } from '../../base/json/canonical.ts';
import {
  aBound,
  aFunction,
  anything,
  byName,
  fulfilling,
  optional,
} from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Hook, HookScope, RuntimeEvent } from '../../contracts/events/event.ts';
import { durableEventSchema } from '../../contracts/events/event.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { sha256 } from '../../base/sha256.ts';
import { hook } from '../../events/hooks/define-hook.ts';
import { withSent } from '../../runtime/log/sent-requests.ts';
import { processHolder } from '../../persistence/process-holder.ts';
import type { Secrets } from '../../policy/redaction.ts';
import { atProcessEnd } from './at-process-end.ts';
import { tidier } from './tidy-event.ts';
import type { TraceDisk } from './trace-disk.ts';
import { realDisk } from './trace-disk.ts';
import type { TraceSetup } from './trace-writer.ts';
import { TraceWriter } from './trace-writer.ts';

/** The folder of traces, and the limits of their content. */
export interface TraceOptions {
  /** Each run has a file of its own in it. Made when the first run begins. */
  readonly folder: string;
  /** Never written, as `[redacted NAME]` stands for them. Default: those of the environment, by the names of its variables. */
  readonly secrets?: Secrets | undefined;
  /** Done to every text that is written, after secrets were taken out. One that throws harms the trace alone. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Facts about the runs: commit, configuration, seed … In the first line, with their hash. */
  readonly facts?: JsonObject | undefined;
  /** Of the events of one run; what comes then is counted, not written, but for its end. Default 256 MiB. */
  readonly maxBytes?: number | undefined;
  /** Characters of one text; longer ones are cut. Default 100,000. */
  readonly maxText?: number | undefined;
}

/** A hook that writes traces. */
export interface TraceFiles extends Hook {
  /** Resolves when all that happened so far is on the disk, or never will be; gives what went wrong. Never rejects. */
  written(): Promise<readonly TraceTrouble[]>;
  /** The file of a run's trace; undefined for a run not seen yet, or one that had ended when a thousand others started. */
  fileOf(runId: string): string | undefined;
}

/** A trace that is not whole. */
export interface TraceTrouble {
  readonly runId: string;
  readonly message: string;
}

const MIB = 1024 * 1024;
/** Characters that wait for the disk, of one run. */
const MAX_WAITING = 32 * MIB;
/** Runs that have ended or do nothing, and are remembered. */
const REMEMBERED = 1_000;
/** Troubles that are remembered. */
const TROUBLES = 100;
/** A run waits for no hook, but the shutdown of an engine waits for the end of a trace, this long, in ms. */
const END_MS = 30_000;

/**
 * A hook that writes what happens in each run to a file, `FOLDER/RUN_ID.jsonl`: a log of its events, as an exported journal is one.
 *
 * Give it to a run, or to an engine. It only adds lines, from the first event on, so that a crash leaves a trace that can be read. A disk
 * that is slow, full or broken harms the trace and nothing else. A result is there before the last line is: `await traces.written()`.
 *
 * A run that continues in another process continues its trace; of two runs with one id, the second has a file `RUN_ID~2.jsonl`. Numbers are not
 * looked at for secrets.
 *
 * @example
 * const traces = traceFiles({ folder: './traces' });
 * const { runId } = await desk.run('How are retries configured?', { hooks: [traces] });
 * await traces.written();
 * console.log((await readTrace(`./traces/${runId}.jsonl`)).account.status); // => 'completed'
 *
 * @throws {TroupeError} `input.invalid` for options that do not fit.
 */
export const traceFiles = (options: TraceOptions): TraceFiles => traceFilesOn(realDisk, options);

/** The same by another disk, and with less room before it, for tests. */
export const traceFilesOn = (
  disk: TraceDisk,
  options: TraceOptions,
  maxWaiting = MAX_WAITING,
): TraceFiles => {
  const setup = { ...setupOf(disk, options), maxWaiting };
  const writers = new Map<string, TraceWriter>();
  const troubles: TraceTrouble[] = [];
  const reported = new WeakSet<TraceWriter>();
  /** Traces whose end is being written, also where another run of that id has begun. */
  const ending = new Set<Promise<void>>();

  const writerOf = ({ runId }: RuntimeEvent): TraceWriter => {
    const known = writers.get(runId);
    if (known !== undefined && !known.isOver) return known;
    const writer = new TraceWriter(setup, known?.written());
    // Set again, it is the youngest.
    writers.delete(runId);
    writers.set(runId, writer);
    atProcessEnd.add(writer);
    if (writers.size > REMEMBERED) forgetOne();
    return writer;
  };

  /** Releases the oldest idle one; should its run continue, so does its trace. */
  const forgetOne = (): void => {
    for (const [runId, writer] of writers) {
      if (!writer.isIdle) continue;
      writer.release();
      atProcessEnd.delete(writer);
      writers.delete(runId);
      return;
    }
  };

  /** Reports a trouble of a writer once. */
  const note = (runId: string, writer: TraceWriter): TraceTrouble | undefined => {
    const { trouble } = writer;
    if (trouble === undefined || reported.has(writer)) return undefined;
    reported.add(writer);
    const found = { runId, message: trouble };
    if (troubles.length < TROUBLES) troubles.push(found);
    return found;
  };

  const ended = async (runId: string, writer: TraceWriter): Promise<void> => {
    await writer.written();
    atProcessEnd.delete(writer);
    const trouble = note(runId, writer);
    if (trouble !== undefined) throw failure(trouble);
  };

  const handle = (event: RuntimeEvent, { sent }: HookScope): void | Promise<void> => {
    const { runId } = event;
    const writer = writerOf(event);
    writer.take(sent === undefined ? event : withSent(event, sent));
    if (event.type === 'run.ended') {
      const end = ended(runId, writer);
      const settled = end.catch(() => undefined).then(() => void ending.delete(settled));
      ending.add(settled);
      return end;
    }
    const trouble = note(runId, writer);
    if (trouble !== undefined) throw failure(trouble);
  };

  return {
    ...hook({ name: 'trace', on: durable(), timeoutMs: END_MS, wantsRequests: true, handle }),
    written: async () => {
      await Promise.all([...[...writers.values()].map((writer) => writer.written()), ...ending]);
      for (const [runId, writer] of writers) note(runId, writer);
      return [...troubles];
    },
    fileOf: (runId) => writers.get(runId)?.file,
  };
};

/** All events but deltas: a subscription to these makes models stream. */
const durable = (): readonly RuntimeEvent['type'][] =>
  durableEventSchema.options.map(({ shape }) => shape.type.value);

const failure = ({ runId, message }: TraceTrouble): TroupeError =>
  new TroupeError('trace.unreadable', message, { runId });

const check = optionsCheck<TraceOptions>({ code: 'input.invalid', owner: 'traces', verb: 'write' }, () => ({
  folder: fulfilling(
    (given) => typeof given === 'string' && given.trim() !== '',
    "not a path: write `folder: './traces'`",
  ),
  secrets: optional(byName(anything())),
  redact: optional(aFunction()),
  facts: optional(fulfilling(isJsonObject, 'not an object of JSON')),
  maxBytes: optional(aBound(0)),
  maxText: optional(aBound(1)),
}));

const setupOf = (disk: TraceDisk, options: TraceOptions): Omit<TraceSetup, 'maxWaiting'> => {
  const { folder, secrets, redact, facts, maxBytes = 256 * MIB, maxText = 100_000 } = check(options);
  const tidy = tidier({ secrets, redact, maxText });
  const writer = { holder: processHolder(), node: process.version, platform: process.platform };
  return { disk, folder: resolve(folder), tidy, maxBytes, writer, facts: hashFacts(facts, tidy) };
};

/** Facts and their hash, which is the same wherever the facts are. */
const hashFacts = (facts: JsonObject | undefined, tidy: TraceSetup['tidy']): TraceSetup['facts'] => {
  if (facts === undefined) return {};
  const plain = toJson(facts);
  const { value } = tidy(plain);
  return { facts: isJsonObject(value) ? withoutHoles(value) : {}, factsHash: sha256(canonical(plain)) };
};

const withoutHoles = (facts: JsonObject) =>
  Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, value ?? null]));
