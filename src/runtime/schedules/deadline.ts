import type { Clock } from '../../base/clock.ts';
import { patientClock } from '../../base/clock.ts';

/** Something that wants to be called at a time. */
export interface Awaited {
  /** In ms since 1970; `Infinity` for never. */
  readonly wakeAt: number;
  wake(): void;
}

/**
 * The one timer of many waits, armed for the nearest of them.
 *
 * A timer counts the time that passes, and does not notice that the machine's clock is set. Where it was set back, the times of all waits are further away than
 * they were meant to be: all are called.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #waits: () => Iterable<Awaited>;
  #timer: unknown;
  #seenAt = -Infinity;
  #isStopped = false;

  constructor(clock: Clock, waits: () => Iterable<Awaited>) {
    this.#clock = patientClock(clock);
    this.#waits = waits;
  }

  /** Arms the timer anew, as a wait has changed; calls those that are due. */
  arm(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isStopped) return;
    const now = this.#clock.now();
    const isBack = now < this.#seenAt;
    this.#seenAt = now;
    for (const wait of this.#waits()) if (isBack || wait.wakeAt <= now) wait.wake();
    let nearest = Infinity;
    for (const { wakeAt } of this.#waits()) nearest = Math.min(nearest, wakeAt);
    if (nearest === Infinity) return;
    this.#timer = this.#clock.setTimeout(
      () => {
        this.arm();
      },
      Math.max(0, nearest - now),
    );
  }

  stop(): void {
    this.#isStopped = true;
    this.arm();
  }
}
