import type { Observable } from 'rxjs';
import { isThenable } from '../contracts/thenable.ts';
import type { LiveEvent } from '../contracts/event.ts';
import type { EventMiddleware } from './middleware.ts';
import { through } from './middleware.ts';
import type { BufferOptions } from './overflow-buffer.ts';
import { OverflowBuffer } from './overflow-buffer.ts';

/** Somebody who is handed events one at a time, at a pace of its own. */
export interface Consumer extends BufferOptions {
  readonly name: string;
  /** Which events it wants. Default: all. */
  readonly filter?: ((event: LiveEvent) => boolean) | undefined;
  /** What its events go through first, in order. */
  readonly middleware?: readonly EventMiddleware[] | undefined;
  consume(event: LiveEvent): void | Promise<void>;
}

/** How a consumer has fared so far, in events. */
export interface ConsumerStats {
  readonly name: string;
  /** Taken up by it, the failed ones included. */
  readonly handled: number;
  /** It, or its filter, threw or rejected. */
  readonly failed: number;
  /** It never had them, as too many waited. */
  readonly dropped: number;
  readonly waiting: number;
}

/** Consumers at work. */
export interface Multiplexed {
  /** Of every consumer, in the order given. */
  readonly stats: readonly ConsumerStats[];
  /** Resolves once the stream has ended, and everybody has had what waited for it. Never rejects. */
  readonly done: Promise<void>;
  /** Lets go of all that waits, and takes no more. */
  close(): void;
}

/** Who is told of what consumers fail with. */
export interface MultiplexOptions {
  /** Told of every throw and rejection, of a stream that failed, and of an overflow, which ends its consumer only. Default: nobody. */
  readonly onFailure?: ((consumer: string, error: unknown) => void) | undefined;
}

/**
 * Hands one stream to several consumers, each with a filter, a buffer and an overflow policy of its own: a slow one delays neither the
 * others nor the run, and none takes more memory than its buffer.
 *
 * A consumer that is idle is called at once, within the event; one that is busy finds it in its buffer. One that never comes back
 * keeps `done` open until `close()`.
 *
 * @example
 * const watching = multiplex(handle.events$, [
 *   { name: 'screen', overflow: 'latest', consume: draw },
 *   { name: 'audit', filter: ({ type }) => type === 'tool.finished', capacity: 10_000, consume: write },
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

/** One consumer and what waits for it. */
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
        this.#tell(error);
        end();
      },
      complete: end,
    });
    this.#leave = () => {
      following.unsubscribe();
    };
    // It may have failed on what it was handed at once.
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
    this.#tell(overflown);
    this.#hasEnded = true;
    this.#leave();
  }

  /** A loop and not a recursion: a thousand events that are handled at once must not eat the stack. */
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
    this.#tell(error);
  }

  #tell(error: unknown): void {
    try {
      this.#onFailure(this.#consumer.name, error);
    } catch {
      // Whoever is told of failures has none left to tell of its own.
    }
  }
}
