import { isLogged } from '../contracts/events/is-logged.ts';
import type { ErrorData } from '../contracts/errors/error-data.ts';
import { isTroupeError, messageOf, TroupeError } from '../contracts/errors/error.ts';
import type { LiveEvent } from '../contracts/events/event.ts';
import type { Progress } from '../events/progress/progress.ts';
import { foldProgress, noProgress } from '../events/progress/progress.ts';
import type { Connection, ReadRunOptions } from './read-run.ts';
import { deliver, readRun } from './read-run.ts';
import { addressOrPath } from './run-address.ts';

/** An observer of events: part of an RxJS observer. */
export interface EventObserver {
  next(event: LiveEvent): void;
  error(thrown: unknown): void;
  complete(): void;
}

/** A run in this process: a `RunHandle` is one. */
export interface LocalRun {
  readonly events$: { subscribe(observer: EventObserver): { unsubscribe(): void } };
}

/** A run of a server: one of `connect` is one. */
export interface ReadableRun {
  /** The address of its events. */
  readonly url: string;
  read(options: ReadRunOptions): AsyncIterable<readonly LiveEvent[]>;
}

/** A run's handle, or the URL that serves its events. */
export type RunSource = LocalRun | ReadableRun | URL | string;

/** Options of {@link followRun}. */
export type FollowOptions = Omit<ReadRunOptions, 'after' | 'signal' | 'onConnection'>;

/** The current state of a followed run; the same object as long as nothing changes. */
export interface FollowedRun {
  readonly progress: Progress;
  readonly connection: Connection;
  /** The reason why it is no longer followed: not an error of the run. */
  readonly failure: ErrorData | undefined;
}

/** The state before anything is known. */
export const notFollowed: FollowedRun = { progress: noProgress, connection: 'idle', failure: undefined };

/**
 * Follows a run wherever it is, while there are subscribers: for user interfaces.
 *
 * The first subscriber connects; the connection is closed when the last one has left for more than a microtask (so that leaving and
 * returning at once costs nothing), and continued by the next. Subscribers are notified at most once for simultaneous changes.
 *
 * @example
 * const run = followRun('/runs/r1/events');
 * const stop = run.subscribe(() => draw(run.current.progress));
 *
 * @throws {TroupeError} `stream.invalid` for what is neither a run nor a URL.
 */
export const followRun = (source: RunSource, options: FollowOptions = {}): RunFollower =>
  new RunFollower(source, options);

/** A followed run; see {@link followRun}. */
class RunFollower {
  readonly #connect: (following: Following) => void;
  readonly #listeners = new Set<() => void>();
  #current = notFollowed;
  #last = -1;
  /** Ends the current connection. */
  #ending: AbortController | undefined;
  #isNotifying = false;

  constructor(source: RunSource, options: FollowOptions) {
    this.#connect = connectionTo(source, options);
  }

  get current(): FollowedRun {
    return this.#current;
  }

  /** The same as a function that needs no `this`. */
  readonly getSnapshot = (): FollowedRun => this.#current;

  /** Calls `listener` after each change. Returns a function that unsubscribes. */
  readonly subscribe = (listener: () => void): (() => void) => {
    // Wrapped, as the same function may subscribe twice.
    const each = (): void => {
      listener();
    };
    this.#listeners.add(each);
    this.#begin();
    return () => {
      this.#listeners.delete(each);
      queueMicrotask(() => {
        if (this.#listeners.size === 0) this.#leave();
      });
    };
  };

  #begin(): void {
    if (this.#ending !== undefined || this.#current.connection === 'closed') return;
    const ending = new AbortController();
    const { signal } = ending;
    const change = (news: Partial<FollowedRun>): void => {
      if (!signal.aborted) this.#change(news);
    };
    this.#connect({
      last: this.#last,
      signal,
      take: (events) => {
        if (!signal.aborted) this.#take(events);
      },
      connection: (connection) => {
        change({ connection });
      },
      failed: (thrown) => {
        const { data: error } = isTroupeError(thrown)
          ? thrown
          : new TroupeError('stream.invalid', messageOf(thrown), { cause: thrown });
        change({ failure: error, connection: 'closed' });
        // A run of which nothing is known is not said to be running.
        if (this.#last < 0) change({ progress: { ...noProgress, status: 'failed', error } });
      },
    });
    this.#ending = ending;
  }

  #leave(): void {
    this.#ending?.abort();
    this.#ending = undefined;
    if (this.#current.connection !== 'closed') this.#change({ connection: 'idle' });
  }

  #take(events: readonly LiveEvent[]): void {
    let { progress } = this.#current;
    for (const event of events) {
      if (isLogged(event)) {
        if (event.seq <= this.#last) continue;
        this.#last = event.seq;
      }
      progress = foldProgress(progress, event);
    }
    if (progress !== this.#current.progress) this.#change({ progress });
  }

  #change(news: Partial<FollowedRun>): void {
    this.#current = { ...this.#current, ...news };
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    queueMicrotask(() => {
      this.#isNotifying = false;
      for (const listener of this.#listeners) listener();
    });
  }
}

interface Following {
  readonly last: number;
  readonly signal: AbortSignal;
  readonly take: (events: readonly LiveEvent[]) => void;
  readonly connection: (connection: Connection) => void;
  readonly failed: (thrown: unknown) => void;
}

const connectionTo = (source: RunSource, options: FollowOptions): ((following: Following) => void) => {
  if (typeof source === 'string' || source instanceof URL) {
    const address = addressOrPath(source);
    return readFrom((more) => readRun(address, { ...options, ...more }));
  }
  if (hasMethod(source, 'read')) return readFrom((more) => source.read({ ...options, ...more }));
  if (hasMethod(Reflect.get(Object(source), 'events$'), 'subscribe')) return listenTo(source);
  const found = source === null ? 'null' : typeof source;
  throw new TroupeError(
    'stream.invalid',
    `Cannot follow a run as it is neither a handle nor a URL: ${found}`,
  );
};

const hasMethod = <Name extends string>(
  value: unknown,
  name: Name,
): value is { readonly [Method in Name]: (...given: never[]) => unknown } =>
  typeof Reflect.get(Object(value), name) === 'function';

const readFrom =
  (read: ReadableRun['read']) =>
  ({ last: after, signal, ...following }: Following): void => {
    const onConnection = following.connection;
    void deliver(() => read({ after, signal, onConnection }), signal, {
      next: following.take,
      error: following.failed,
      // Its reader says so.
      complete: () => undefined,
    });
  };

const listenTo =
  ({ events$ }: LocalRun) =>
  ({ signal, ...following }: Following): void => {
    following.connection('open');
    const listening = events$.subscribe({
      next: (event) => {
        following.take([event]);
      },
      error: following.failed,
      complete: () => {
        following.connection('closed');
      },
    });
    signal.addEventListener('abort', () => {
      listening.unsubscribe();
    });
  };
