import type { Clock } from '../../contracts/clock.ts';
import { isTroupeError, TroupeError } from '../../contracts/error.ts';
import type { Priority } from '../../contracts/priority.ts';
import { defaultPriority, priorities } from '../../contracts/priority.ts';
import { onSignal } from '../run/shared-signal.ts';

/** How somebody waits for a shared resource. */
export interface WaitOptions {
  /** Aborting it ends the wait. Read only by whoever really has to wait. */
  readonly signal?: AbortSignal | undefined;
  /** Default `peer`. */
  readonly priority?: Priority | undefined;
  /** The longest wait, in ms, `Infinity` for any. Default what the resource says. */
  readonly waitMs?: number | undefined;
}

/** Somebody who waits, with what is to be known of it. */
export interface Waiting<About> {
  readonly about: About;
}

interface Waiter<Grant, About> extends Waiting<About> {
  readonly lane: number;
  readonly leave: () => void;
  readonly resolve: (grant: Grant) => void;
  readonly reject: (error: Error) => void;
}

/** What a line needs of the resource that it leads to. */
export interface LineOptions {
  readonly clock: Clock;
  /** What the line leads to, for messages: `the pool 'openai'`. */
  readonly what: string;
  /** What whoever waited for too long is told. */
  readonly late: (waitMs: number) => TroupeError;
  /** Somebody left before it was their turn. */
  readonly onLeft: () => void;
}

/** Somebody who gives back what they lent goes before all others. */
const FRONT = 0;

/**
 * Those who wait, most urgent first, and in the order of coming among the equally urgent.
 *
 * I1  Whoever joins is served, or refused, once; after that nothing of theirs is left: no timer, no listener.
 * I2  Nobody is served before one as urgent who came earlier, unless that one has left.
 */
export class WaitingLine<Grant, About = undefined> {
  readonly #options: LineOptions;
  readonly #lanes: readonly Set<Waiter<Grant, About>>[] = [FRONT, ...priorities].map(() => new Set());
  #size = 0;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** Whose turn is next. */
  get first(): Waiting<About> | undefined {
    if (this.#size === 0) return undefined;
    for (const lane of this.#lanes) for (const waiter of lane) return waiter;
    return undefined;
  }

  /** All who wait, in their order. */
  *[Symbol.iterator](): Iterator<Waiting<About>> {
    for (const lane of this.#lanes) yield* lane;
  }

  /** Checks whether nobody who waits goes before one as urgent as this. */
  isFreeFor({ priority }: WaitOptions): boolean {
    if (this.#size === 0) return true;
    const own = laneOf(priority);
    return this.#lanes.every((lane, index) => index > own || lane.size === 0);
  }

  join(
    about: About,
    { signal, priority, waitMs = Infinity }: WaitOptions,
    isReturning = false,
  ): Promise<Grant> {
    if (signal?.aborted === true) return Promise.reject(aborted(signal, this.#options.what));
    return new Promise((resolve, reject) => {
      const { clock, what, late, onLeft } = this.#options;
      let forget = (): void => undefined;
      const timer =
        waitMs === Infinity
          ? undefined
          : clock.setTimeout(() => {
              this.#refuse(waiter, late(waitMs));
              onLeft();
            }, waitMs);
      const waiter: Waiter<Grant, About> = {
        about,
        lane: isReturning ? FRONT : laneOf(priority),
        leave: () => {
          if (timer !== undefined) clock.clearTimeout(timer);
          forget();
        },
        resolve,
        reject,
      };
      if (signal !== undefined)
        forget = onSignal(signal, () => {
          this.#refuse(waiter, aborted(signal, what));
          onLeft();
        });
      this.#lanes[waiter.lane]?.add(waiter);
      this.#size += 1;
    });
  }

  /** Lets the first go on; whoever has left by now is not there any more. */
  serve(grant: Grant): void {
    const first = this.#lanes
      .find(({ size }) => size > 0)
      ?.values()
      .next().value;
    if (first !== undefined && this.#leave(first)) first.resolve(grant);
  }

  /** Refuses one that is in the line. */
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
    if (this.#lanes[waiter.lane]?.delete(waiter) !== true) return false;
    this.#size -= 1;
    waiter.leave();
    return true;
  }
}

const laneOf = (priority: Priority = defaultPriority): number => priorities.indexOf(priority) + 1;

/** Why somebody does not wait any more, as a typed error. */
export const aborted = ({ reason }: AbortSignal, what: string): TroupeError =>
  isTroupeError(reason)
    ? reason
    : new TroupeError('run.aborted', `Cannot wait for ${what} any longer as the work was called off`, {
        cause: reason,
      });
