import { TroupeError } from '../contracts/error.ts';
import { BoundedBuffer } from './bounded-buffer.ts';

/**
 * What becomes of an event for a buffer that is full: `dropOldest` lets the oldest go, `dropNewest` the one that came, `latest` keeps
 * none but the newest, and `fail` ends it with `publishing.overflow`. Nothing ever waits for room: a run does not wait for observers.
 */
export type EventOverflow = 'dropOldest' | 'dropNewest' | 'latest' | 'fail';

/** The limits of a buffer, and what is dropped past them. */
export interface BufferOptions {
  /** Events that wait at most. Default 1,000; of `latest`, 1. */
  readonly capacity?: number | undefined;
  /** Default `dropOldest`. */
  readonly overflow?: EventOverflow | undefined;
}

/** What waits for one consumer: bounded, with a policy for too much, and counted. */
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

  /** The number of events dropped since the beginning. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Gives the error where the policy is to fail, and it is full. */
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

  /** Lets all go that waits. */
  clear(): void {
    this.#dropped += this.#items.length;
    this.#items.clear();
  }

  #overflown(): TroupeError {
    const message = `Cannot keep more for '${this.#name}' as it does not keep up: ${this.#capacity} events wait`;
    return new TroupeError('publishing.overflow', message);
  }
}
