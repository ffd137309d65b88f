import type { Clock } from '../../base/clock.ts';
import { patientClock } from '../../base/clock.ts';

/** Something that wants to be called at a time. */
export interface Awaited {
  /** In ms since 1970; `Infinity` for never. */
  readonly wakeAt: number;
  wake(): void;
}

/**
 * The one timer of many waits, armed for the nearest of them, and at most for `mostMs` at a time: a machine's clock may be set while a timer runs, which
 * does not notice. If the clock went back meanwhile, all are called.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #mostMs: number;
  readonly #waits: () => Iterable<Awaited>;
  #timer: unknown;
  #armedAt = -Infinity;
  #isStopped = false;

  constructor(clock: Clock, mostMs: number, waits: () => Iterable<Awaited>) {
    this.#clock = patientClock(clock);
    this.#mostMs = mostMs;
    this.#waits = waits;
  }

  /** Arms the timer anew, as a wait has changed. */
  arm(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isStopped) return;
    let nearest = Infinity;
    for (const { wakeAt } of this.#waits()) nearest = Math.min(nearest, wakeAt);
    if (nearest === Infinity) return;
    const now = this.#clock.now();
    this.#armedAt = now;
    const ms = Math.min(Math.max(0, nearest - now), this.#mostMs);
    this.#timer = this.#clock.setTimeout(() => {
      this.#fire();
    }, ms);
  }

  stop(): void {
    this.#isStopped = true;
    this.arm();
  }

  #fire(): void {
    const now = this.#clock.now();
    const isBack = now < this.#armedAt;
    for (const wait of this.#waits()) if (isBack || wait.wakeAt <= now) wait.wake();
    this.arm();
  }
}
