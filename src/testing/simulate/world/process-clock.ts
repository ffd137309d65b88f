import type { Clock } from '../../../base/clock.ts';
import type { DrivenClock } from '../../resilience/driven-clock.ts';

/** The clock as one part of a simulated world has it: a process, whose timers die with it, or the agent's own code. */
export class ProcessClock implements Clock {
  readonly #clock: DrivenClock;
  readonly #timers = new Map<unknown, number>();
  #isDead = false;

  constructor(clock: DrivenClock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  setTimeout(callback: () => void, ms: number, label?: string): unknown {
    if (this.#isDead) return undefined;
    const timer: unknown = this.#clock.setTimeout(
      () => {
        this.#timers.delete(timer);
        callback();
      },
      ms,
      label,
    );
    if (ms < Infinity) this.#timers.set(timer, ms);
    return timer;
  }

  clearTimeout(handle: unknown): void {
    this.#timers.delete(handle);
    this.#clock.clearTimeout(handle);
  }

  during<Value>(work: () => Value | PromiseLike<Value>, name?: string): Promise<Value> {
    return this.#clock.during(work, name);
  }

  /** The lengths of the timers that are set, in ms. */
  get pending(): readonly number[] {
    return [...this.#timers.values()];
  }

  /** Clears all timers, and sets no more. */
  kill(): void {
    this.#isDead = true;
    for (const timer of this.#timers.keys()) this.#clock.clearTimeout(timer);
    this.#timers.clear();
  }
}
