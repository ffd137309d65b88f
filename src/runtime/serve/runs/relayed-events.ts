import type { Clock } from '../../../base/clock.ts';
import { randomId } from '../../../base/random-id.ts';
import { BoundedBuffer } from '../../../base/collections/bounded-buffer.ts';
import type { DeltaEvent, LiveEvent, RuntimeEvent } from '../../../contracts/events/event.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import { DeltaOffsets } from '../../log/delta-offsets.ts';
import type { RelayedDelta } from './relayed-texts.ts';
import { HERE, NEWS, readNotice, textsOf, WANTED } from './relayed-texts.ts';
import type { StoredEvents } from './stored-events.ts';

/** Time after which texts are asked for again, in ms: less than half of what a wish is good for. */
const ASK_MS = 10_000;
/** Largest number of deltas that wait for the events before them, or for a reader. */
const MOST_WAITING = 500;
/** Largest number of ended calls that are known. */
const MOST_ENDED = 200;

/** The needs of {@link RelayedEvents}. */
export interface RelayedEventsSetup {
  readonly runId: string;
  readonly events: Pick<StoredEvents, 'next' | 'return' | 'look'>;
  readonly store: Pick<JournalStore, 'publish' | 'subscribe'>;
  readonly clock: Clock;
}

type Reading = Promise<IteratorResult<RuntimeEvent, undefined>>;

/**
 * The events of a run that another process has, with the texts that its models write, as that process passes them on.
 *
 * I1  A delta follows the events that it followed there, and precedes the end of its answer; else it is left out. Texts may be lost, events are not.
 */
export class RelayedEvents implements AsyncIterator<LiveEvent, undefined> {
  readonly #setup: RelayedEventsSetup;
  readonly #reader = randomId();
  readonly #waiting = new BoundedBuffer<RelayedDelta>(MOST_WAITING);
  /** By the key of a call, the number of the event that completed or revoked its answer. */
  readonly #ended = new Map<string, number>();
  /** Length of what was read of each answer. */
  #read = new DeltaOffsets();
  #last = -1;
  #reading: Reading | undefined;
  #wake: () => void = () => undefined;
  #unsubscribe: Promise<(() => Promise<void>) | undefined> | undefined;
  #timer: unknown;
  #isOver = false;

  constructor(setup: RelayedEventsSetup) {
    this.#setup = setup;
  }

  async next(): Promise<IteratorResult<LiveEvent, undefined>> {
    this.#unsubscribe ??= this.#subscribe();
    for (;;) {
      const delta = this.#takeDue();
      if (delta !== undefined) return { value: delta, done: false };
      const reading = (this.#reading ??= this.#setup.events.next());
      const read = await Promise.race([this.#settled(reading), this.#moved()]);
      if (read === undefined) continue;
      this.#reading = undefined;
      if (read.done !== true) this.#note(read.value);
      return read;
    }
  }

  async return(): Promise<IteratorResult<LiveEvent, undefined>> {
    await this.#end();
    await this.#setup.events.return();
    return { value: undefined, done: true };
  }

  /** Ends with the events. */
  async #settled(reading: Reading): Reading {
    let isOver = true;
    try {
      const read = await reading;
      isOver = read.done === true;
      return read;
    } finally {
      if (isOver) await this.#end();
    }
  }

  /** Resolves when a notice has come. */
  #moved(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#wake = () => {
        resolve(undefined);
      };
    });
  }

  #note(event: RuntimeEvent): void {
    this.#last = event.seq;
    if (!('key' in event) || !event.type.startsWith('model.') || event.type === 'model.asked') return;
    this.#read.end(event.key);
    this.#ended.set(event.key, event.seq);
    const [oldest = ''] = this.#ended.keys();
    if (this.#ended.size > MOST_ENDED) this.#ended.delete(oldest);
  }

  #takeDue(): DeltaEvent | undefined {
    for (;;) {
      const first = this.#waiting.peek();
      if (first === undefined || first.after > this.#last) return undefined;
      this.#waiting.shift();
      if (first.after < (this.#ended.get(first.delta.key) ?? -1)) continue;
      const news = this.#newsIn(first.delta);
      if (news !== undefined) return news;
    }
  }

  /** The part of a delta that was not read before: for a reader that begins elsewhere, all of an answer is sent once more. */
  #newsIn(event: DeltaEvent): DeltaEvent | undefined {
    const { key, offset = 0, delta } = event;
    if (delta.type === 'progress') return event;
    const known = this.#read.skip(key, delta, 0);
    const end = offset + delta.text.length;
    if (end <= known) return undefined;
    this.#read.skip(key, delta, end - known);
    if (offset >= known) return event;
    return { ...event, offset: known, delta: { ...delta, text: delta.text.slice(known - offset) } };
  }

  /** Without an answer of the store there are events only. */
  async #subscribe(): Promise<(() => Promise<void>) | undefined> {
    const { store, runId } = this.#setup;
    try {
      const end = await store.subscribe?.(textsOf(runId), (notice) => {
        this.#hear(notice);
      });
      this.#ask();
      return end;
    } catch {
      return undefined;
    }
  }

  #hear(notice: string): void {
    if (notice === HERE) {
      // It makes the calls that were under way again.
      this.#read = new DeltaOffsets();
      this.#ask();
    }
    const deltas = readNotice(notice);
    for (const delta of deltas) this.#waiting.push(delta);
    if (notice === NEWS || deltas.some(({ after }) => after > this.#last)) this.#setup.events.look();
    this.#wake();
  }

  #ask(): void {
    const { store, clock, runId } = this.#setup;
    clock.clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#timer = clock.setTimeout(() => {
      this.#ask();
    }, ASK_MS);
    Promise.resolve(store.publish?.(WANTED, `${runId} ${this.#reader}`)).catch(() => undefined);
  }

  async #end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#setup.clock.clearTimeout(this.#timer);
    await (
      await this.#unsubscribe
    )?.();
  }
}
