import type { DeltaEvent, LiveEvent, RuntimeEvent } from '../../contracts/event.ts';
import { BoundedBuffer } from '../../events/bounded-buffer.ts';
import type { EventSource } from '../../events/event-source.ts';

/** A delta that waits for the events before it. */
interface WaitingDelta {
  readonly delta: DeltaEvent;
  /** The number of events of the log that come before it. */
  readonly after: number;
}

/** Deltas that wait for a store at most; their offsets show observers what is missing. */
const MOST_WAITING = 1_000;

/**
 * A log as far as observers may see it: what a store does not have yet is not told, nor what a model said after it.
 *
 * I1  Of the deltas that wait for a store that does not answer it keeps the newest, so many and no more.
 */
export class ToldLog implements EventSource {
  readonly #log: EventSource;
  #length = 0;
  readonly #waiting = new BoundedBuffer<WaitingDelta>(MOST_WAITING);

  constructor(log: EventSource) {
    this.#log = log;
  }

  get length(): number {
    return this.#length;
  }

  at(index: number): RuntimeEvent | undefined {
    return index < this.#length ? this.#log.at(index) : undefined;
  }

  /** Checks whether a delta has to wait; if so, it comes after all events that the log has now. */
  holds(delta: DeltaEvent): boolean {
    const after = this.#log.length;
    if (this.#waiting.length === 0 && this.#length >= after) return false;
    this.#waiting.push({ delta, after });
    return true;
  }

  /**
   * From now on the first `count` are told; gives those that were not, one after the other as they become visible, and the deltas
   * that waited for them, in order. An event that nobody wants is not built.
   */
  *upTo(count: number, isWanted: (seq: number) => boolean): Iterable<LiveEvent> {
    for (;;) {
      yield* this.#due();
      if (this.#length >= count) return;
      const seq = this.#length;
      const event = isWanted(seq) ? this.#log.at(seq) : undefined;
      this.#length += 1;
      if (event !== undefined) yield event;
    }
  }

  *#due(): Iterable<DeltaEvent> {
    for (let first = this.#waiting.peek(); first !== undefined; first = this.#waiting.peek()) {
      if (first.after > this.#length) return;
      this.#waiting.shift();
      yield first.delta;
    }
  }
}
