import type { Clock } from '../../base/clock.ts';
import { BoundedBuffer } from '../../base/collections/bounded-buffer.ts';
import type { DeliverySettings } from './delivery.ts';
import { Delivery } from './delivery.ts';
import type { Draft, Publication } from './publication.ts';
import type { PublishedBatch, Publisher } from './publisher.ts';

/** Settings for batching, overflow and failures. */
export interface OutboxSettings extends DeliverySettings {
  readonly batchMs: number;
  readonly maxBatch: number;
  readonly capacity: number;
  readonly overflow: 'dropOldest' | 'dropNewest';
  readonly flushMs: number;
}

/** Parameters of an outbox, with its failure callbacks. */
export interface OutboxSetup extends OutboxSettings {
  readonly runId: string;
  readonly publisher: Publisher;
  readonly clock: Clock;
  /** Redacts a publication. */
  readonly cleared: (publication: Publication) => Publication;
  /** Called once for each time that the publisher starts to fail. */
  readonly failed: (error: unknown) => void;
  readonly dropped: (count: number) => void;
  readonly published: (count: number) => void;
}

interface Waiting {
  draft: Draft;
}

/**
 * Pending publications of one run.
 *
 * I1  One batch is in flight at a time; it keeps its numbers however often it is retried.
 * I2  At most `capacity` drafts wait, and one batch is in flight.
 */
export class Outbox {
  readonly #setup: OutboxSetup;
  readonly #waiting: BoundedBuffer<Waiting>;
  readonly #delivery: Delivery;
  /** By key, the waiting draft of a text: a newer one replaces it. */
  readonly #contents = new Map<string, Waiting>();
  #seq = 0;
  #dueAt = Infinity;
  #timer: unknown;
  #lastAt = -Infinity;
  #isSending = false;
  /** Losses not reported in a batch yet; and not reported to the run yet. */
  #lost = 0;
  #untold = 0;
  #end: { readonly done: Promise<void>; readonly finish: () => void } | undefined;
  #isOver = false;

  constructor(setup: OutboxSetup) {
    this.#setup = setup;
    this.#waiting = new BoundedBuffer(setup.capacity);
    this.#delivery = new Delivery(setup);
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** `isUrgent`: sent as soon as `batchMs` have passed since the last batch; others wait for more to arrive. */
  add(draft: Draft, isUrgent: boolean): void {
    if (this.#isOver || this.#end !== undefined) return;
    if (!this.#replaced(draft)) this.#append(draft);
    const { batchMs, clock } = this.#setup;
    const now = clock.now();
    this.#dueAt = Math.min(this.#dueAt, isUrgent ? Math.max(now, this.#lastAt + batchMs) : now + batchMs);
    this.#goOn();
  }

  /** Sends everything pending, and accepts no more; resolves when done, or abandoned after `flushMs`. Never rejects. */
  end(): Promise<void> {
    if (this.#end !== undefined) return this.#end.done;
    let finish = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.#end = { done, finish };
    const { clock, flushMs } = this.#setup;
    const patience = clock.setTimeout(() => {
      this.#giveUpAll();
    }, flushMs);
    void done.then(() => {
      clock.clearTimeout(patience);
    });
    this.#goOn();
    return done;
  }

  #replaced(draft: Draft): boolean {
    if (draft.type !== 'content') return false;
    const waiting = this.#contents.get(draft.key);
    if (waiting === undefined) return false;
    waiting.draft = draft;
    return true;
  }

  #append(draft: Draft): void {
    const { capacity, overflow } = this.#setup;
    // The end of the run is published whatever else is dropped.
    if (this.#waiting.length >= capacity) {
      if (overflow === 'dropNewest' && draft.type !== 'completion') {
        this.#lose(1);
        return;
      }
      this.#taken(this.#waiting.shift());
      this.#lose(1);
    }
    const waiting = { draft };
    this.#waiting.push(waiting);
    if (draft.type === 'content') this.#contents.set(draft.key, waiting);
  }

  #taken(waiting: Waiting | undefined): Draft | undefined {
    if (waiting?.draft.type === 'content') this.#contents.delete(waiting.draft.key);
    return waiting?.draft;
  }

  #goOn(): void {
    if (this.#isSending || this.#isOver) return;
    const { clock } = this.#setup;
    clock.clearTimeout(this.#timer);
    if (this.#waiting.length === 0) {
      if (this.#end !== undefined) this.#finish();
      return;
    }
    const left = this.#end === undefined ? this.#dueAt - clock.now() : 0;
    if (left > 0) {
      this.#timer = clock.setTimeout(() => {
        this.#goOn();
      }, left);
      return;
    }
    this.#isSending = true;
    const batch = this.#seal();
    void this.#delivery.deliver(batch).then((isThrough) => {
      this.#isSending = false;
      if (isThrough) this.#setup.published(batch.publications.length);
      else this.#lose(batch.publications.length, batch.dropped);
      this.#tellLost();
      this.#goOn();
    });
  }

  #seal(): PublishedBatch {
    const { runId, maxBatch, cleared, clock } = this.#setup;
    const publications: Publication[] = [];
    while (publications.length < maxBatch) {
      const draft = this.#taken(this.#waiting.shift());
      if (draft === undefined) break;
      this.#seq += 1;
      publications.push(cleared({ ...draft, seq: this.#seq }));
    }
    const dropped = this.#lost;
    this.#lost = 0;
    this.#lastAt = clock.now();
    this.#dueAt = this.#waiting.length === 0 ? Infinity : this.#lastAt;
    return { runId, publications, dropped };
  }

  /** `again`: losses that were reported in a batch which is lost itself. */
  #lose(count: number, again = 0): void {
    this.#lost += count + again;
    this.#untold += count;
  }

  #tellLost(): void {
    const count = this.#untold;
    this.#untold = 0;
    if (count > 0) this.#setup.dropped(count);
  }

  #giveUpAll(): void {
    this.#lose(this.#waiting.length);
    this.#waiting.clear();
    this.#delivery.stop();
    this.#goOn();
  }

  #finish(): void {
    this.#isOver = true;
    this.#setup.clock.clearTimeout(this.#timer);
    this.#tellLost();
    this.#end?.finish();
  }
}
