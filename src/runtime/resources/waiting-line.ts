import type { Clock } from '../../base/clock.ts';
import { KeyedQueue } from '../../base/collections/keyed-queue.ts';
import { isTroupeError, TroupeError } from '../../contracts/errors/error.ts';
import type { Priority } from '../../contracts/messages/priority.ts';
import { defaultPriority, priorities } from '../../contracts/messages/priority.ts';
import { onSignal } from '../run/shared-signal.ts';

/** Options of a wait for a shared resource. */
export interface WaitOptions {
  /** Aborting it ends the wait. Read only if the call has to wait. */
  readonly signal?: AbortSignal | undefined;
  /** Default `peer`. */
  readonly priority?: Priority | undefined;
  /** Longest wait, in ms, or `Infinity`. Default: the resource's. */
  readonly waitMs?: number | undefined;
  /** The `context` of the run for which the call is made; read only by a resource with `by`. */
  readonly context?: unknown;
}

/** Options of a wait in a line. */
export interface JoinOptions extends Omit<WaitOptions, 'context'> {
  /** Keys of the same priority take turns. Default: one key for all. */
  readonly key?: string | undefined;
  /** Acquires a lent slot again, before all others. */
  readonly isReturning?: boolean | undefined;
}

/** A waiting call, with the caller's data. */
export interface Waiting<About> {
  readonly about: About;
}

interface Waiter<Grant, About> extends Waiting<About> {
  readonly lane: number;
  readonly key: string;
  readonly leave: () => void;
  readonly resolve: (grant: Grant) => void;
  readonly reject: (error: Error) => void;
}

/** The calls that a queue needs of its resource. */
export interface LineOptions<About> {
  readonly clock: Clock;
  /** The resource, for messages: `the pool 'openai'`. */
  readonly what: string;
  /** The error for a wait that timed out. */
  readonly late: (waitMs: number, about: About) => TroupeError;
  /** Called when a call leaves before its turn. */
  readonly onLeft: () => void;
}

/** The lane of calls that acquire a lent slot again. */
const FRONT = 0;

/**
 * A queue of waiting calls by priority; within each, keys take turns, first come, first served within a key.
 *
 * I1 Each call is served or rejected once; after that, no timer or listener of it is left.
 * I2 No call is served before an earlier one of the same priority and key, unless that one has left.
 * I3 Between two calls of a key, each other key of the same priority that waits is served at most once.
 */
export class WaitingLine<Grant, About = undefined> {
  readonly #options: LineOptions<About>;
  readonly #lanes = [FRONT, ...priorities].map(() => new KeyedQueue<Waiter<Grant, About>>());
  #size = 0;

  constructor(options: LineOptions<About>) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** The call whose turn is next. */
  get first(): Waiting<About> | undefined {
    if (this.#size === 0) return undefined;
    for (const lane of this.#lanes) for (const waiter of lane) return waiter;
    return undefined;
  }

  /** All waiting calls in order. */
  *[Symbol.iterator](): Iterator<Waiting<About>> {
    for (const lane of this.#lanes) yield* lane;
  }

  /** Checks whether no call of the same or a higher priority waits. */
  isFreeFor({ priority }: WaitOptions): boolean {
    if (this.#size === 0) return true;
    const own = laneOf(priority);
    return this.#lanes.every((lane, index) => index > own || lane.size === 0);
  }

  join(about: About, options: JoinOptions): Promise<Grant> {
    const { signal, priority, waitMs = Infinity, key = '', isReturning = false } = options;
    if (signal?.aborted === true) return Promise.reject(abortError(signal, this.#options.what));
    return new Promise((resolve, reject) => {
      const { clock, what, late, onLeft } = this.#options;
      let forget = (): void => undefined;
      const timer =
        waitMs === Infinity
          ? undefined
          : clock.setTimeout(() => {
              this.#refuse(waiter, late(waitMs, about));
              onLeft();
            }, waitMs);
      const waiter: Waiter<Grant, About> = {
        about,
        lane: isReturning ? FRONT : laneOf(priority),
        key,
        leave: () => {
          if (timer !== undefined) clock.clearTimeout(timer);
          forget();
        },
        resolve,
        reject,
      };
      if (signal !== undefined)
        forget = onSignal(signal, () => {
          this.#refuse(waiter, abortError(signal, what));
          onLeft();
        });
      this.#lanes[waiter.lane]?.add(waiter, key);
      this.#size += 1;
    });
  }

  /** Serves the first call. */
  serve(grant: Grant): void {
    for (const lane of this.#lanes)
      for (const waiter of lane) {
        lane.take(waiter, waiter.key);
        this.#forget(waiter);
        waiter.resolve(grant);
        return;
      }
  }

  /** Rejects a waiting call. */
  refuse(waiting: Waiting<About>, error: TroupeError): void {
    for (const lane of this.#lanes)
      for (const waiter of lane) if (waiter === waiting) this.#refuse(waiter, error);
  }

  refuseAll(error: TroupeError): void {
    for (const lane of this.#lanes) for (const waiter of lane) this.#refuse(waiter, error);
  }

  #refuse(waiter: Waiter<Grant, About>, error: TroupeError): void {
    if (this.#leave(waiter)) waiter.reject(error);
  }

  #leave(waiter: Waiter<Grant, About>): boolean {
    if (this.#lanes[waiter.lane]?.delete(waiter, waiter.key) !== true) return false;
    this.#forget(waiter);
    return true;
  }

  #forget(waiter: Waiter<Grant, About>): void {
    this.#size -= 1;
    waiter.leave();
  }
}

const laneOf = (priority: Priority = defaultPriority): number => priorities.indexOf(priority) + 1;

/** The error of an aborted wait. */
export const abortError = ({ reason }: AbortSignal, what: string): TroupeError =>
  isTroupeError(reason)
    ? reason
    : new TroupeError('run.aborted', `Cannot wait for ${what} any longer as the work was cancelled`, {
        cause: reason,
      });
