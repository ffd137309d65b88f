import type { DeltaEvent, LiveEvent, RuntimeEvent } from '../../contracts/events/event.ts';
import { BoundedBuffer } from '../../base/collections/bounded-buffer.ts';
import type { EventSource } from '../../events/stream/event-source.ts';

/** A delta that waits for the events before it. */
interface WaitingDelta {
  readonly delta: DeltaEvent;
  /** Number of events of the log before it. */
  readonly after: number;
}

/** Largest number of waiting deltas; their offsets show observers gaps. */
const MOST_WAITING = 1_000;

/**
 * The committed part of a log, which observers may see, with the deltas that belong to it.
 *
 * I1 While a store does not answer, the newest deltas are kept, up to a fixed number.
 */
export class CommittedLog implements EventSource {
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

  /** Checks whether a delta has to wait; if so, it follows all events that the log has now. */
  holds(delta: DeltaEvent): boolean {
    const after = this.#log.length;
    if (this.#waiting.length === 0 && this.#length >= after) return false;
    this.#waiting.push({ delta, after });
    return true;
  }

  /**
   * Advances to the first `count` events; yields the new ones as they become visible, and the deltas that waited for them, in order. Events
   * that nobody wants are not built.
   */
  *upTo(count: number, isWanted: (seq: number) => boolean): Iterable<LiveEvent> {
    for (;;) {
      for (let delta = this.#takeDue(); delta !== undefined; delta = this.#takeDue()) yield delta;
      if (this.#length >= count) return;
      const seq = this.#length;
      const event = isWanted(seq) ? this.#log.at(seq) : undefined;
      this.#length += 1;
      if (event !== undefined) yield event;
    }
  }

  /** Takes the next delta whose events are all visible. */
  #takeDue(): DeltaEvent | undefined {
    const first = this.#waiting.peek();
    if (first === undefined || first.after > this.#length) return undefined;
    this.#waiting.shift();
    return first.delta;
  }
}
