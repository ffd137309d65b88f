import type { DeltaEvent, LiveEvent } from '../../contracts/events/event.ts';
import { EVENT_VERSION } from '../../contracts/events/event-version.ts';
import { BoundedBuffer } from '../../base/collections/bounded-buffer.ts';
import type { EventSource } from './event-source.ts';
import type { Watcher } from './watcher.ts';

type Result = IteratorResult<LiveEvent, undefined>;

interface WaitingDelta {
  readonly event: DeltaEvent;
  /** Number of events of the log before it. */
  readonly after: number;
}

/** A stream that can be watched from now on. */
interface WatchedStream {
  watch(watcher: Watcher, replay: boolean): () => void;
}

const NAME = 'iterator';

const NOT_WATCHING = { stop: (): void => undefined };

/**
 * The events of a stream as an async iterator. It reads durable events from the log, and buffers deltas only, the newest `capacity` of
 * them.
 *
 * It subscribes at the first `next()`, so that an unused one costs nothing.
 */
export class EventIterator implements AsyncIterableIterator<LiveEvent, undefined> {
  readonly #log: EventSource;
  readonly #stream: WatchedStream;
  readonly #deltas: BoundedBuffer<WaitingDelta>;
  readonly #waiters: ((result: Result) => void)[] = [];
  /** Absent until it watches. A function in a field of its own would be taken for long-lived, and the run with it. */
  #watching: { readonly stop: () => void } | undefined;
  /** Number of the log's events that were returned, and of those that have happened. */
  #given = 0;
  #happened = 0;
  #dropped = 0;
  #isEnded = false;

  constructor(log: EventSource, capacity: number, stream: WatchedStream) {
    this.#log = log;
    this.#deltas = new BoundedBuffer(capacity);
    this.#stream = stream;
  }

  next(): Promise<Result> {
    this.#start();
    const event = this.#take();
    if (event !== undefined) return Promise.resolve({ value: event, done: false });
    if (this.#isEnded) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  /** Called by `break`: unsubscribes, and completes all pending `next()` calls. */
  return(): Promise<Result> {
    this.#watching?.stop();
    this.#watching = NOT_WATCHING;
    this.#given = this.#happened;
    this.#dropped = 0;
    this.#deltas.clear();
    this.#end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #start(): void {
    if (this.#watching !== undefined) return;
    this.#watching = NOT_WATCHING;
    this.#happened = this.#log.length;
    const watcher: Watcher = {
      name: NAME,
      wantsDeltas: true,
      next: (event) => {
        this.#receive(event);
        this.#serve();
      },
      complete: () => {
        this.#end();
      },
    };
    this.#watching = { stop: this.#stream.watch(watcher, false) };
  }

  #receive(event: LiveEvent): void {
    if (event.type !== 'model.delta') {
      this.#happened = event.seq - (this.#log.at(0)?.seq ?? 0) + 1;
    } else if (this.#deltas.push({ event, after: this.#happened })) {
      this.#dropped += 1;
    }
  }

  #serve(): void {
    while (this.#waiters.length > 0) {
      const event = this.#take();
      if (event === undefined) return;
      this.#waiters.shift()?.({ value: event, done: false });
    }
  }

  #end(): void {
    this.#isEnded = true;
    for (const waiter of this.#waiters.splice(0)) waiter({ value: undefined, done: true });
  }

  #take(): LiveEvent | undefined {
    const delta = this.#deltas.peek();
    if (delta !== undefined && delta.after <= this.#given) {
      return this.#dropped > 0 ? this.#takeLoss(delta.event) : this.#deltas.shift()?.event;
    }
    if (this.#given >= this.#happened) return undefined;
    const event = this.#log.at(this.#given);
    this.#given += 1;
    return event;
  }

  /** Reports dropped deltas before `delta`. It is in no log, so it has the number of the event before it. */
  #takeLoss({ at, runId, path, agent }: DeltaEvent): LiveEvent {
    const count = this.#dropped;
    this.#dropped = 0;
    const seq = (this.#given === 0 ? undefined : this.#log.at(this.#given - 1))?.seq ?? 0;
    return { v: EVENT_VERSION, seq, at, runId, path, agent, type: 'observer.dropped', observer: NAME, count };
  }
}
