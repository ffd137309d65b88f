import type { RuntimeEvent } from '../contracts/event.ts';
import type { EventSource } from '../events/event-source.ts';

/** A log as far as observers may see it: what a store does not have yet is not told. */
export class ToldLog implements EventSource {
  readonly #log: EventSource;
  #length = 0;

  constructor(log: EventSource) {
    this.#log = log;
  }

  get length(): number {
    return this.#length;
  }

  at(index: number): RuntimeEvent | undefined {
    return index < this.#length ? this.#log.at(index) : undefined;
  }

  /** From now on the first `count` are told; gives those that were not, one after the other as they become visible. */
  *upTo(count: number): Iterable<RuntimeEvent> {
    while (this.#length < count) {
      const event = this.#log.at(this.#length);
      this.#length += 1;
      if (event !== undefined) yield event;
    }
  }
}
