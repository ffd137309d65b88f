import type { Observable } from 'rxjs';
import { isThenable } from '../../base/promises/thenable.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { EventMiddleware } from './middleware.ts';
import { through } from './middleware.ts';
import type { BufferOptions } from './overflow-buffer.ts';
import { OverflowBuffer } from './overflow-buffer.ts';

/** Consumes events one at a time, at its own pace. */
export interface Consumer extends BufferOptions {
  readonly name: string;
  /** Selects events. Default: all. */
  readonly filter?: ((event: LiveEvent) => boolean) | undefined;
  /** Steps applied to its events first, in order. */
  readonly middleware?: readonly EventMiddleware[] | undefined;
  consume(event: LiveEvent): void | Promise<void>;
}

/** Statistics of a consumer, in events. */
export interface ConsumerStats {
  readonly name: string;
  /** Started, including failed ones. */
  readonly handled: number;
  /** Threw or rejected, in the consumer or its filter. */
  readonly failed: number;
  /** Dropped, as too many were waiting. */
  readonly dropped: number;
  readonly waiting: number;
}

/** Consumers of a stream. */
export interface Multiplexed {
  /** Statistics of every consumer, in the order given. */
  readonly stats: readonly ConsumerStats[];
  /** Resolves once the stream has ended and every consumer has handled its buffer. Never rejects. */
  readonly done: Promise<void>;
  /** Drops all buffers, and accepts no more events. */
  close(): void;
}

/** Options of {@link multiplex}. */
export interface MultiplexOptions {
  /** Called for every exception and rejection, for a failed stream, and for an overflow, which ends its consumer only. Default: ignored. */
  readonly onFailure?: ((consumer: string, error: unknown) => void) | undefined;
}

/**
 * Passes one stream to several consumers, each with its own filter, buffer and overflow policy: a slow one delays neither the others nor
 * the run, and uses no more memory than its buffer.
 *
 * An idle consumer is called synchronously; events for a busy one are buffered. A consumer that never returns keeps `done` pending until
 * `close()`.
 *
 * @example
 * const watching = multiplex(handle.events$, [
 * { name: 'screen', overflow: 'latest', consume: draw },
 * { name: 'audit', filter: ({ type }) => type === 'tool.finished', capacity: 10_000, consume: write },
 * ]);
 * await watching.done;
 * console.table(watching.stats);
 *
 * @throws {TroupeError} `publishing.invalid` for a capacity below 1.
 */
export const multiplex = (
  events$: Observable<LiveEvent>,
  consumers: readonly Consumer[],
  { onFailure = () => undefined }: MultiplexOptions = {},
): Multiplexed => {
  const lanes = consumers.map((consumer) => new ConsumerLane(consumer, onFailure));
  for (const lane of lanes) lane.follow(events$);
  return {
    get stats() {
      return lanes.map((lane) => lane.stats);
    },
    done: Promise.all(lanes.map((lane) => lane.done)).then(() => undefined),
    close: () => {
      for (const lane of lanes) lane.close();
    },
  };
};

/** One consumer and its buffer. */
class ConsumerLane {
  readonly done: Promise<void>;
  readonly #consumer: Consumer;
  readonly #onFailure: (consumer: string, error: unknown) => void;
  readonly #waiting: OverflowBuffer<LiveEvent>;
  #finish!: () => void;
  #leave: () => void = () => undefined;
  #isBusy = false;
  #hasEnded = false;
  #handled = 0;
  #failed = 0;

  constructor(consumer: Consumer, onFailure: (consumer: string, error: unknown) => void) {
    this.#consumer = consumer;
    this.#onFailure = onFailure;
    this.#waiting = new OverflowBuffer(consumer.name, consumer);
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  get stats(): ConsumerStats {
    const { name } = this.#consumer;
    const { dropped, waiting } = this.#waiting;
    return { name, handled: this.#handled, failed: this.#failed, dropped, waiting };
  }

  follow(events$: Observable<LiveEvent>): void {
    const { middleware = [] } = this.#consumer;
    const end = (): void => {
      this.#hasEnded = true;
      if (!this.#isBusy) this.#finish();
    };
    const following = through(...middleware)(events$).subscribe({
      next: (event) => {
        if (!this.#hasEnded && this.#wants(event)) this.#offer(event);
      },
      error: (error: unknown) => {
        this.#report(error);
        end();
      },
      complete: end,
    });
    this.#leave = () => {
      following.unsubscribe();
    };
    // It may have failed within `subscribe`.
    if (this.#hasEnded) this.#leave();
  }

  close(): void {
    this.#hasEnded = true;
    this.#leave();
    this.#waiting.clear();
    this.#finish();
  }

  #wants(event: LiveEvent): boolean {
    try {
      return this.#consumer.filter?.(event) ?? true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  #offer(event: LiveEvent): void {
    if (!this.#isBusy) {
      this.#isBusy = true;
      this.#work(event);
      return;
    }
    const overflown = this.#waiting.offer(event);
    if (overflown === undefined) return;
    this.#report(overflown);
    this.#hasEnded = true;
    this.#leave();
  }

  /** A loop instead of a recursion, as a thousand synchronous events would overflow the stack. */
  #work(first: LiveEvent): void {
    let event: LiveEvent | undefined = first;
    while (event !== undefined) {
      this.#handled += 1;
      const pending = this.#consume(event);
      if (pending !== undefined) {
        void Promise.resolve(pending)
          .catch((error: unknown) => {
            this.#fail(error);
          })
          .then(() => {
            this.#goOn();
          });
        return;
      }
      event = this.#waiting.take();
    }
    this.#isBusy = false;
    if (this.#hasEnded) this.#finish();
  }

  #goOn(): void {
    const next = this.#waiting.take();
    if (next !== undefined) {
      this.#work(next);
      return;
    }
    this.#isBusy = false;
    if (this.#hasEnded) this.#finish();
  }

  #consume(event: LiveEvent): PromiseLike<unknown> | undefined {
    try {
      const returned: unknown = this.#consumer.consume(event);
      return isThenable(returned) ? returned : undefined;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #fail(error: unknown): void {
    this.#failed += 1;
    this.#report(error);
  }

  #report(error: unknown): void {
    try {
      this.#onFailure(this.#consumer.name, error);
    } catch {
      // A failing failure handler cannot be reported.
    }
  }
}
