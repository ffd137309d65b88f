import type { Clock } from '../../../base/clock.ts';
import { whenNothingIsPutOff } from '../../../runtime/run/pacer.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
  /** It ends something that is on record, or was measured: time may pass up to it at once. */
  readonly isKnown: boolean;
}

/** The longest time, in ms, that passes at once while it is not known when something ends. */
const TICK_MS = 1_000;

/**
 * The time of a fork. It starts when the recorded run did. What is on record takes its recorded time, and nobody waits for it; what is really
 * asked takes the time that another clock measures. Nothing else takes any: so forks of the same run with the same answers have the same times.
 */
export class TrialClock implements Clock {
  readonly #outside: Clock;
  readonly #timers = new Set<Timer>();
  #now: number;
  /** Number of calls that are measured. */
  #asked = 0;
  #wake: () => void = ignore;

  constructor(startMs: number, outside: Clock) {
    this.#now = startMs;
    this.#outside = outside;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): unknown {
    return this.#arm(callback, this.#now + Math.max(0, ms), false);
  }

  clearTimeout(handle: unknown): void {
    for (const timer of this.#timers) if (timer === handle) this.#timers.delete(timer);
  }

  /** Resolves when that many ms have passed, for which nobody waits. */
  pass(ms: number): Promise<void> {
    return this.#until(this.#now + ms);
  }

  /** Does something whose time is not known before, and measures it. */
  async measure<Value>(work: () => Value | Promise<Value>): Promise<Value> {
    const [startedAt, from] = [this.#now, this.#outside.now()];
    this.#asked += 1;
    try {
      return await work();
    } finally {
      this.#asked -= 1;
      await this.#until(startedAt + Math.max(0, this.#outside.now() - from));
    }
  }

  /** Lets time pass until something has settled. */
  async passUntil<Value>(work: Promise<Value>): Promise<Value> {
    let isOver = false;
    const end = (): void => {
      isOver = true;
      this.#wake();
    };
    work.then(end, end);
    for (;;) {
      await whenQuiet();
      if (isOver) return work;
      // What is measured may end before what is known to end later.
      const known = this.#next(({ isKnown, due }) => isKnown && (this.#asked === 0 || due <= this.#now));
      if (known === undefined) await this.#passOutside();
      else await this.#advance(known.due);
    }
  }

  #until(due: number): Promise<void> {
    return new Promise((resolve) => {
      this.#arm(resolve, due, true);
    });
  }

  #arm(callback: () => void, due: number, isKnown: boolean): Timer {
    const timer = { callback, due, isKnown };
    if (due < Infinity) this.#timers.add(timer);
    this.#wake();
    return timer;
  }

  /** The earliest timer, of equals the oldest: sets keep the order in which they were armed. */
  #next(isWanted: (timer: Timer) => boolean): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers)
      if (isWanted(timer) && (next === undefined || timer.due < next.due)) next = timer;
    return next;
  }

  /** Moves time on, and fires what comes due, one after the other. */
  async #advance(end: number): Promise<void> {
    const isDue = ({ due }: Timer): boolean => due <= end;
    for (let timer = this.#next(isDue); timer !== undefined; timer = this.#next(isDue)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.due);
      timer.callback();
      await whenQuiet();
    }
    this.#now = Math.max(this.#now, end);
  }

  /** Waits until something happens. If nothing does, as much time passes here as outside. */
  async #passOutside(): Promise<void> {
    const next = this.#next(() => true);
    const ms = Math.min(TICK_MS, Math.max(0, (next?.due ?? Infinity) - this.#now));
    const hasPassed = await new Promise<boolean>((resolve) => {
      const timer = this.#outside.setTimeout(() => resolve(true), ms);
      this.#wake = () => {
        this.#outside.clearTimeout(timer);
        resolve(false);
      };
    });
    this.#wake = ignore;
    if (hasPassed) await this.#advance(this.#now + ms);
  }
}

const ignore = (): void => undefined;

/** Resolves when promises and the runtime have done what they can for now; twice, as the last work may settle other promises. */
const whenQuiet = async (): Promise<void> => {
  for (let time = 0; time < 2; time += 1) {
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
    await whenNothingIsPutOff();
  }
};
