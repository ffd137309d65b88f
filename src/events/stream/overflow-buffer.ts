import { TroupeError } from '../../contracts/errors/error.ts';
import { BoundedBuffer } from '../../base/collections/bounded-buffer.ts';

/**
 * The policy of a full buffer: `dropOldest` and `dropNewest` drop an event, `latest` keeps the newest only, and `fail` ends it with
 * `publishing.overflow`. Nothing waits for room, as a run never waits for observers.
 */
export type EventOverflow = 'dropOldest' | 'dropNewest' | 'latest' | 'fail';

/** Limits of a buffer, and its policy. */
export interface BufferOptions {
  /** Largest number of waiting events. Default 1,000; for `latest`, 1. */
  readonly capacity?: number | undefined;
  /** Default `dropOldest`. */
  readonly overflow?: EventOverflow | undefined;
}

/** The bounded buffer of one consumer, with a policy and statistics. */
export class OverflowBuffer<T> {
  readonly #name: string;
  readonly #capacity: number;
  readonly #overflow: EventOverflow;
  readonly #items: BoundedBuffer<T>;
  #dropped = 0;

  constructor(name: string, { capacity = 1_000, overflow = 'dropOldest' }: BufferOptions) {
    if (!(capacity >= 1))
      throw new TroupeError(
        'publishing.invalid',
        `Cannot buffer for '${name}' as a capacity is at least 1: ${String(capacity)}`,
      );
    this.#name = name;
    this.#overflow = overflow;
    this.#capacity = overflow === 'latest' ? 1 : Math.floor(capacity);
    this.#items = new BoundedBuffer(this.#capacity);
  }

  get waiting(): number {
    return this.#items.length;
  }

  /** Total number of dropped events. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Returns an error if the buffer is full and its policy is to fail. */
  offer(item: T): TroupeError | undefined {
    if (this.#items.length >= this.#capacity && this.#overflow !== 'latest') {
      if (this.#overflow === 'fail') return this.#overflown();
      if (this.#overflow === 'dropNewest') {
        this.#dropped += 1;
        return undefined;
      }
    }
    if (this.#items.push(item)) this.#dropped += 1;
    return undefined;
  }

  take(): T | undefined {
    return this.#items.shift();
  }

  /** Drops all waiting events. */
  clear(): void {
    this.#dropped += this.#items.length;
    this.#items.clear();
  }

  #overflown(): TroupeError {
    const message = `Cannot keep more for '${this.#name}' as it does not keep up: ${this.#capacity} events wait`;
    return new TroupeError('publishing.overflow', message);
  }
}
