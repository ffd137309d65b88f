import { join } from 'node:path';
import * as z from 'zod';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { printableJson } from '../../base/text/printable.ts';
import type { OpenTrace } from './open-trace.ts';
import { closeTrace, openAtOnce, openTrace } from './open-trace.ts';
import { StepLines } from './step-line.ts';
import type { TraceDisk } from './trace-disk.ts';
import { traceFileNames } from './trace-folder.ts';
import type { TraceManifest } from './trace-schema.ts';
import { traceManifestSchema } from './trace-schema.ts';
import type { Tidied } from './tidy-event.ts';
import { eventLine } from './tidy-event.ts';

/** What the traces of one hook have in common. */
export interface TraceSetup {
  readonly disk: TraceDisk;
  /** Of all traces. */
  readonly folder: string;
  readonly tidy: (value: unknown) => Tidied<Json>;
  /** Of the events of one run on disk, in characters. */
  readonly maxBytes: number;
  /** Of what waits for the disk, in characters. */
  readonly maxWaiting: number;
  readonly writer: TraceManifest['writer'];
  readonly facts: Pick<TraceManifest, 'facts' | 'factsHash'>;
}

interface Waiting {
  readonly event: RuntimeEvent;
  readonly text: string;
}

/** What observers are told where a stored run is to go on elsewhere: it is no end of it, and in no journal. */
const isSuspension = (event: RuntimeEvent): boolean =>
  event.type === 'run.ended' && event.error?.code === 'run.suspended';

interface Batch {
  readonly events: string;
  readonly steps: string;
  /** Of events. */
  readonly count: number;
}

const troubleOf = (thrown: unknown): string => `Cannot write the trace whole: ${messageOf(thrown)}`;

/** After these a run may stand for long: its manifest then says what there is. */
const RESTS: ReadonlySet<string> = new Set(['agent.waiting', 'person.asked', 'run.paused']);

/**
 * Writes the trace of one run: what is handed over waits in memory for the disk, within bounds, and nobody waits for it.
 *
 * The first thing that the disk refuses ends it: what comes then is counted, not written, and the manifest is tried once more at the end.
 */
export class TraceWriter {
  readonly #runId: string;
  readonly #setup: TraceSetup;
  readonly #after: Promise<void>;
  readonly #steps = new StepLines();
  #queue: Waiting[] = [];
  #waiting = 0;
  /** Characters of all events. */
  #taken = 0;
  #open: OpenTrace | undefined;
  #pumping: Promise<void> | undefined;
  #left = { events: 0, cut: 0 };
  #trouble: string | undefined;
  /** Events that may or may not be on the disk. */
  #underWay = 0;
  #isOver = false;
  /** Nothing is written any more. */
  #isClosed = false;

  /** It begins `after` the trace of an earlier run of that id is done. */
  constructor(runId: string, setup: TraceSetup, after: Promise<void> = Promise.resolve()) {
    this.#runId = runId;
    this.#setup = setup;
    this.#after = after;
  }

  /** Where it is; undefined until its folder is made. */
  get folder(): string | undefined {
    return this.#open?.folder;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Nothing waits and nothing is under way. */
  get isIdle(): boolean {
    return this.#pumping === undefined;
  }

  /** True if it was handed the last event of its run. */
  get isOver(): boolean {
    return this.#isOver;
  }

  take(event: RuntimeEvent): void {
    const { maxBytes, maxWaiting } = this.#setup;
    const isEnd = event.type === 'run.ended';
    this.#isOver ||= isEnd;
    const line = this.#lineOf(event);
    if (line === undefined) {
      if (isEnd) this.#pumping ??= this.#pump();
      return;
    }
    const { text, cut } = line;
    const size = this.#waiting + text.length;
    const isTooMuch = size > maxWaiting || this.#taken + text.length > maxBytes;
    // How a run ended is told whatever there was before.
    if (!isEnd && (this.#trouble !== undefined || isTooMuch)) {
      this.#left.events += 1;
      return;
    }
    this.#left.cut += cut;
    this.#queue.push({ event, text });
    this.#waiting = size;
    this.#taken += text.length;
    this.#pumping ??= this.#pump();
  }

  /** Undefined where it cannot be made: whoever takes out what is not to be read may throw. */
  #lineOf(event: RuntimeEvent): ReturnType<typeof eventLine> | undefined {
    try {
      return eventLine(event, this.#setup.tidy);
    } catch (thrown) {
      this.#trouble ??= troubleOf(thrown);
      this.#left.events += 1;
      return undefined;
    }
  }

  /** Resolves when all that was handed over so far is on the disk, or never will be. */
  async written(): Promise<void> {
    await this.#pumping;
  }

  /** Lets go of a trace whose run may go on, by somebody else: what was written stays as it is. */
  release(): void {
    if (this.#open !== undefined) closeTrace(this.#open);
  }

  /** As the process ends: whatever waits is written now, and the manifest says that the run was interrupted. */
  endAtOnce(): void {
    if (this.#isClosed || this.#trouble !== undefined) return;
    this.#isClosed = true;
    const { disk, folder } = this.#setup;
    const [first] = this.#queue;
    try {
      // It may be that not even its folder was made so far.
      const open = this.#open ?? (first && openAtOnce(disk, folder, first.event));
      if (open === undefined) return;
      const { events, steps } = this.#batch(open);
      open.events.appendAtOnce(events);
      open.steps.appendAtOnce(steps);
      disk.atOnce.replace(...this.#manifestFile(open, 'interrupted'));
    } catch {
      // Nobody is left to be told.
    }
  }

  async #pump(): Promise<void> {
    // What comes within the same turn is written together, too.
    await this.#after;
    try {
      while (this.#queue.length > 0 && !this.#isClosed) await this.#write();
      if (this.#isOver && !this.#isClosed) await this.#giveUp();
    } catch (thrown) {
      this.#trouble ??= troubleOf(thrown);
      await this.#giveUp();
    } finally {
      this.#pumping = undefined;
      if (this.#isOver) this.release();
    }
  }

  async #write(): Promise<void> {
    const { disk, folder } = this.#setup;
    const [first] = this.#queue;
    if (first === undefined) return;
    const isNew = this.#open === undefined;
    const open = (this.#open ??= await openTrace(disk, folder, first.event));
    const isSuspended = this.#queue.some(({ event }) => isSuspension(event));
    const isResting = this.#queue.some(({ event }) => RESTS.has(event.type));
    const batch = this.#batch(open);
    this.#underWay = batch.count;
    open.events.add(batch.events);
    open.steps.add(batch.steps);
    // First of all, what is run: whatever happens then, it can be told.
    if (isNew) await disk.replace(...this.#manifestFile(open, 'running'));
    await open.events.write();
    await open.steps.write();
    this.#underWay = 0;
    const hasEnded = open.account.hasEnded || isSuspended;
    if (hasEnded || isResting)
      await disk.replace(...this.#manifestFile(open, isSuspended ? 'interrupted' : 'running'));
    if (!hasEnded) return;
    this.#isClosed = true;
    await this.#readBack(open);
  }

  /** All that waits, as lines; what is there already is not written twice. */
  #batch(open: OpenTrace): Batch {
    const { tidy } = this.#setup;
    let [events, steps, count] = ['', '', 0];
    for (const { event, text } of this.#queue) {
      if (event.seq <= open.lastSeq || isSuspension(event)) continue;
      open.lastSeq = event.seq;
      open.account.take(event);
      count += 1;
      events += text;
      const step = this.#steps.take(event);
      if (step !== undefined) steps += `${printableJson(tidy(step).value)}\n`;
    }
    this.#queue = [];
    this.#waiting = 0;
    return { events, steps, count };
  }

  #manifestFile(open: OpenTrace, unended: 'running' | 'interrupted'): [file: string, text: string] {
    const { tidy, writer, facts } = this.#setup;
    const account = open.account.told(this.#runId, unended);
    const tidied = tidy(account).value;
    const manifest = {
      ...account,
      ...(isJsonObject(tidied) ? tidied : {}),
      // What it is found by, and what is counted, is as it was.
      runId: this.#runId,
      agent: account.agent,
      counts: account.counts,
      totals: account.totals,
      left: this.#left,
      trouble: this.#trouble,
      files: { events: open.events.told, steps: open.steps.told },
      writer,
      ...facts,
    };
    return [join(open.folder, traceFileNames.manifest), `${JSON.stringify(manifest, undefined, 2)}\n`];
  }

  /** A trace that is done is read as others will read it: a manifest that is not whole is trouble. */
  async #readBack({ folder }: OpenTrace): Promise<void> {
    const file = join(folder, traceFileNames.manifest);
    const text = (await this.#setup.disk.read(file))?.toString('utf8') ?? '';
    const parsed = traceManifestSchema.safeParse(JSON.parse(text));
    if (!parsed.success)
      throw new TroupeError(
        'trace.unreadable',
        `Cannot end the trace as its manifest is not one: ${z.prettifyError(parsed.error)}`,
      );
  }

  /** What is not there is counted, and the manifest says so if it can be written. */
  async #giveUp(): Promise<void> {
    const open = this.#open;
    const lost = this.#queue;
    this.#left.events += this.#underWay + lost.length;
    this.#underWay = 0;
    this.#queue = [];
    this.#waiting = 0;
    this.#isClosed = this.#isOver;
    if (open === undefined) return;
    for (const { event } of lost) open.account.take(event);
    try {
      await this.#setup.disk.replace(...this.#manifestFile(open, 'running'));
    } catch {
      // It is as it was: a run under way, to be found as interrupted.
    }
  }
}
