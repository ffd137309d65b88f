import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import { isLeftBehind } from './left-behind.ts';
import type { OpenTrace, TracePlace } from './open-trace.ts';
import { closeTrace, openAtOnce, openTrace } from './open-trace.ts';
import type { TraceAccount } from './trace-account.ts';
import type { TraceDisk } from './trace-disk.ts';
import type { TraceNote } from './trace-record.ts';
import { eventRecord, headLine, recordText, rowLine } from './trace-text.ts';
import type { Tidied } from './tidy-event.ts';

/** The settings that the traces of one hook share. */
export interface TraceSetup {
  readonly disk: TraceDisk;
  /** Of all traces. */
  readonly folder: string;
  readonly tidy: (value: unknown) => Tidied<Json>;
  /** Of the events of one run on disk, in characters. */
  readonly maxBytes: number;
  /** Of what waits for the disk, in characters. */
  readonly maxWaiting: number;
  readonly writer: NonNullable<TraceAccount['writer']>;
  readonly facts: Pick<TraceAccount, 'facts' | 'factsHash'>;
}

interface Waiting {
  readonly event: RuntimeEvent;
  readonly text: string;
}

/** Rows that are written together. */
interface Batch {
  readonly lines: string;
  /** Of events. */
  readonly count: number;
  readonly lastAt: number;
  /** True if nothing comes after it. */
  readonly isLast: boolean;
}

/** The event type that observers receive where a stored run is to continue elsewhere: it is not an end, and in no journal. */
const isSuspension = (event: RuntimeEvent): boolean =>
  event.type === 'run.ended' && event.error?.code === 'run.suspended';

/** Characters of a row beside its records. */
const AROUND = 60;

const troubleOf = (thrown: unknown): string => `Cannot write the trace whole: ${messageOf(thrown)}`;

/**
 * Writes the trace of one run: what is handed over waits in memory for the disk, within bounds, and the run never waits for it.
 *
 * What the disk refuses is lost and counted, as is all that follows, except the end of the run, which is tried again.
 */
export class TraceWriter {
  readonly #setup: TraceSetup;
  readonly #after: Promise<void>;
  #queue: Waiting[] = [];
  #waiting = 0;
  /** Characters of all events. */
  #taken = 0;
  #open: OpenTrace | undefined;
  #pumping: Promise<void> | undefined;
  /** Events that are the process's own if it leaves the run, until the next one tells. */
  #held: RuntimeEvent[] = [];
  #left = { events: 0, cut: 0 };
  #trouble: string | undefined;
  /** Events that may or may not be on the disk. */
  #underWay = 0;
  #isOver = false;
  #end: Waiting | undefined;
  /** Nothing is written any more. */
  #isClosed = false;

  /** It begins `after` the trace of an earlier run of that id is done. */
  constructor(setup: TraceSetup, after: Promise<void> = Promise.resolve()) {
    this.#setup = setup;
    this.#after = after;
  }

  /** Its file; undefined until it is made. */
  get file(): string | undefined {
    return this.#open?.log.file;
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
    if (isSuspension(event)) this.#held = [];
    else if (isLeftBehind(event)) {
      this.#held.push(event);
      return;
    }
    this.#addHeld();
    this.#add(event);
  }

  #addHeld(): void {
    for (const event of this.#held.splice(0)) this.#add(event);
  }

  #add(event: RuntimeEvent): void {
    const { maxBytes, maxWaiting } = this.#setup;
    const isEnd = event.type === 'run.ended';
    this.#isOver ||= isEnd;
    const line = this.#lineOf(event);
    if (line === undefined) {
      if (isEnd) this.#pumping ??= this.#pump();
      return;
    }
    const { text, cut } = line;
    const length = text.length + AROUND;
    const isTooMuch = this.#waiting + length > maxWaiting || this.#taken + length > maxBytes;
    // The end of a run is written in any case.
    if (!isEnd && (this.#trouble !== undefined || isTooMuch)) {
      this.#left.events += 1;
      return;
    }
    this.#left.cut += cut;
    if (isEnd && !isSuspension(event)) this.#end = { event, text };
    this.#queue.push({ event, text });
    this.#waiting += length;
    this.#taken += length;
    this.#pumping ??= this.#pump();
  }

  /** Undefined where it cannot be made: a redaction of the caller may throw. */
  #lineOf(event: RuntimeEvent): { readonly text: string; readonly cut: number } | undefined {
    try {
      const { value, cut } = this.#setup.tidy(event);
      return { text: recordText(eventRecord(event, value)), cut };
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

  /** Releases a trace whose run another writer may continue: what was written stays as it is. */
  release(): void {
    if (this.#open !== undefined) closeTrace(this.#open);
  }

  /** At the end of the process: writes what waits, and that nothing more follows. */
  endAtOnce(): void {
    if (this.#isClosed || this.#trouble !== undefined) return;
    this.#addHeld();
    this.#isClosed = true;
    const [first] = this.#queue;
    try {
      // It may be that not even its file was made so far.
      const open = this.#open ?? (first && this.#began(openAtOnce(this.#placeOf(first.event)), first.event));
      if (open === undefined) return;
      const { lines, lastAt } = this.#batch(open);
      open.log.appendAtOnce(lines + this.#closing(open, lastAt));
    } catch {
      // No observer is left.
    }
  }

  async #pump(): Promise<void> {
    // What comes within the same turn is written together, too.
    await this.#after;
    try {
      while (this.#queue.length > 0 && !this.#isClosed) await this.#write();
    } catch (thrown) {
      this.#trouble ??= troubleOf(thrown);
      await this.#giveUp();
    } finally {
      this.#pumping = undefined;
      if (this.#isOver) this.release();
    }
  }

  async #write(): Promise<void> {
    const [first] = this.#queue;
    if (first === undefined) return;
    const open = (this.#open ??= this.#began(await openTrace(this.#placeOf(first.event)), first.event));
    const { lines, count, lastAt, isLast } = this.#batch(open);
    this.#underWay = count;
    open.log.add(isLast ? lines + this.#closing(open, lastAt) : lines);
    await open.log.write();
    this.#underWay = 0;
    if (!isLast) return;
    this.#isClosed = true;
    // A trace that is done is read as others will read it.
    if (!(await open.log.isWhole()))
      throw new TroupeError('trace.unreadable', 'the file is not as it was written');
  }

  #placeOf(next: RuntimeEvent): TracePlace {
    const { disk, folder, tidy, facts } = this.#setup;
    const { runId, agent, at } = next;
    const input = next.type === 'run.started' ? tidy(next.input).value : undefined;
    return { disk, folder, next, head: headLine({ runId, agent, startedAt: at, input, ...facts }) };
  }

  /** Writes a note of its writer. */
  #began(open: OpenTrace, { at }: RuntimeEvent): OpenTrace;
  #began(open: OpenTrace | undefined, { at }: RuntimeEvent): OpenTrace | undefined;
  #began(open: OpenTrace | undefined, { at }: RuntimeEvent): OpenTrace | undefined {
    const note: TraceNote = { kind: 'opened', at, ...this.#setup.writer };
    open?.log.add(rowLine(open.seal, recordText(note)));
    return open;
  }

  #closing({ seal }: OpenTrace, at: number): string {
    const trouble = this.#trouble === undefined ? {} : { trouble: this.#trouble };
    const note: TraceNote = { kind: 'closed', at, left: this.#left, ...trouble };
    return rowLine(seal, recordText(note));
  }
  /** All that waits, as lines; what is there already is not written twice. */
  #batch(open: OpenTrace): Batch {
    const queue = this.#queue;
    let [lines, count] = ['', 0];
    for (const { event, text } of queue) {
      if (event.seq <= open.lastSeq || isSuspension(event)) continue;
      open.lastSeq = event.seq;
      count += 1;
      lines += rowLine(open.seal, text);
    }
    this.#queue = [];
    this.#waiting = 0;
    const ends = queue.filter(({ event }) => event.type === 'run.ended');
    return { lines, count, lastAt: queue.at(-1)?.event.at ?? 0, isLast: ends.length > 0 };
  }

  /** Counts what is missing; the end of the run is tried again. */
  async #giveUp(): Promise<void> {
    const open = this.#open;
    const end = this.#end;
    this.#left.events += this.#underWay + this.#queue.length;
    this.#underWay = 0;
    this.#queue = [];
    this.#waiting = 0;
    open?.log.drop();
    if (!this.#isOver || this.#isClosed) return;
    this.#isClosed = true;
    if (open === undefined || end === undefined) return;
    this.#left.events -= 1;
    open.log.add(rowLine(open.seal, end.text) + this.#closing(open, end.event.at));
    // Where that fails, too, it is found as interrupted.
    await open.log.write().catch(() => undefined);
  }
}
