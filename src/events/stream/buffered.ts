import type { Observable } from 'rxjs';
import type { BufferOptions } from './overflow-buffer.ts';
import { OverflowBuffer } from './overflow-buffer.ts';

/** A stream that can be listened to: an observable is one, and so are the events of a run of a server. */
export interface Subscribable<T> {
  subscribe(observer: { next(value: T): void; error(thrown: unknown): void; complete(): void }): {
    unsubscribe(): void;
  };
}

/** A bounded pull stream for `for await`. */
export interface Buffered<T> extends AsyncIterableIterator<T, undefined> {
  /** Number of waiting events. */
  readonly waiting: number;
  /** Number of dropped events. */
  readonly dropped: number;
}

/**
 * Converts a stream to a pull stream with a bounded buffer: the stream never waits, and overflow is handled by the given policy.
 *
 * It subscribes at its first `next()`, and unsubscribes at `return()` (`break`). An error of the stream rejects `next()` after the waiting
 * events are pulled; with `overflow: 'fail'` that is `publishing.overflow`.
 *
 * @example
 * const latest = buffered(handle.events$, { overflow: 'latest' });
 * for await (const event of latest) await draw(event); // however slow: it draws what is newest
 * console.log(latest.dropped);
 *
 * @throws {TroupeError} `publishing.invalid` for a capacity below 1.
 */
export const buffered = <T>(
  events$: Observable<T> | Subscribable<T>,
  options: BufferOptions = {},
): Buffered<T> => new PulledStream(events$, options);

type Result<T> = IteratorResult<T, undefined>;

const DONE = { value: undefined, done: true } as const;

interface Waiter<T> {
  resolve(result: Result<T>): void;
  reject(error: unknown): void;
}

class PulledStream<T> implements Buffered<T> {
  readonly #events$: Subscribable<T>;
  readonly #buffer: OverflowBuffer<{ readonly value: T }>;
  readonly #waiters: Waiter<T>[] = [];
  #listening: { unsubscribe(): void } | undefined;
  #isEnded = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(events$: Subscribable<T>, options: BufferOptions) {
    this.#events$ = events$;
    this.#buffer = new OverflowBuffer('iterator', options);
  }

  get waiting(): number {
    return this.#buffer.waiting;
  }

  get dropped(): number {
    return this.#buffer.dropped;
  }

  next(): Promise<Result<T>> {
    this.#listen();
    const item = this.#buffer.take();
    if (item !== undefined) return Promise.resolve({ value: item.value, done: false });
    if (this.#failure !== undefined) {
      const { error } = this.#failure;
      this.#failure = undefined;
      return Promise.reject(error);
    }
    if (this.#isEnded) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
    });
  }

  return(): Promise<Result<T>> {
    this.#failure = undefined;
    this.#buffer.clear();
    this.#end();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #listen(): void {
    if (this.#listening !== undefined || this.#isEnded) return;
    this.#listening = this.#events$.subscribe({
      next: (value) => {
        this.#receive(value);
      },
      error: (error: unknown) => {
        this.#fail(error);
      },
      complete: () => {
        this.#end();
      },
    });
    // It may have ended within `subscribe`.
    if (this.#isEnded) this.#listening.unsubscribe();
  }

  #receive(value: T): void {
    if (this.#isEnded) return;
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) {
      waiter.resolve({ value, done: false });
      return;
    }
    const overflown = this.#buffer.offer({ value });
    if (overflown !== undefined) this.#fail(overflown);
  }

  #fail(error: unknown): void {
    const waiter = this.#waiters.shift();
    if (waiter === undefined) this.#failure = { error };
    else waiter.reject(error);
    this.#end();
  }

  #end(): void {
    this.#isEnded = true;
    this.#listening?.unsubscribe();
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(DONE);
  }
}
