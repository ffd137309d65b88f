import type { Clock } from '../../base/clock.ts';
import { whenNothingIsPutOff } from '../../runtime/run/pacer.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** Turns of the event loop with nothing to do, after which time moves on: what promises have to do is done by then. */
const QUIET_TURNS = 2;

/** Time that genuine work may take while nothing of the run is due, in ms of the platform. */
const GENUINE_MS = 120_000;

/** Time that is waited for work that nothing is known of, in ms of the platform: a file that is read, a process. */
const UNKNOWN_MS = 500;

/**
 * A clock whose time moves on by itself to the next timer, as soon as the run has nothing else to do: an hour of waiting takes no time. While a
 * model or a tool itself is at work, which takes the time of the platform, it stands still.
 */
export class DrivenClock implements Clock {
  readonly #timers = new Set<Timer>();
  #now: number;
  #working = 0;

  constructor(startMs: number) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): unknown {
    const timer: Timer = { due: this.#now + Math.max(0, ms), callback };
    if (timer.due < Infinity) this.#timers.add(timer);
    return timer;
  }

  clearTimeout(handle: unknown): void {
    for (const timer of this.#timers) if (timer === handle) this.#timers.delete(timer);
  }

  /** Holds the clock while genuine work lasts. */
  async during<Value>(work: () => Value | PromiseLike<Value>): Promise<Value> {
    this.#working += 1;
    try {
      return await work();
    } finally {
      this.#working -= 1;
    }
  }

  /**
   * Moves time on until `work` settles. Returns false if it does not by `untilMs`, or if nothing is left that it could wait for: it `isWaiting` for
   * somebody who is not there.
   */
  async drive(
    work: Promise<unknown>,
    untilMs: number,
    isWaiting: () => boolean = () => false,
  ): Promise<boolean> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    work.then(settle, settle);
    // The platform's time, as the clock itself stands still meanwhile.
    let idleSince = performance.now();
    for (;;) {
      await quiet();
      if (isSettled) return true;
      const next = this.#next();
      if (this.#working === 0 && next !== undefined) {
        if (next.due > untilMs) return false;
        this.#timers.delete(next);
        this.#now = next.due;
        next.callback();
        idleSince = performance.now();
        continue;
      }
      if (this.#working === 0 && isWaiting()) return false;
      const limit = this.#working > 0 ? GENUINE_MS : UNKNOWN_MS;
      if (performance.now() - idleSince > limit) return false;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** The earliest timer, of one time the one that was set first. */
  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.due < next.due) next = timer;
    return next;
  }
}

const quiet = async (): Promise<void> => {
  for (let turn = 0; turn < QUIET_TURNS; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    await whenNothingIsPutOff();
  }
};
