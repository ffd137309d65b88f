/** Source of time: the real clock, or a simulated one that tests advance. Milliseconds since 1970. */
export interface Clock {
  now(): number;
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
}

/**
 * Longest delay of a platform's timer, in ms (24.8 days): platforms keep delays in 32 bits, so a longer one, or
 * `Infinity`, fires at once.
 */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Wraps a clock so that timers of any length work, although the platform's are limited; `Infinity` never fires. */
export const patientClock = (clock: Clock): Clock => ({
  now: () => clock.now(),
  setTimeout: (callback, ms) =>
    ms > LONGEST_TIMER_MS ? new LongWait(clock, callback, ms) : clock.setTimeout(callback, ms),
  clearTimeout: (handle) => {
    if (handle instanceof LongWait) handle.stop();
    else clock.clearTimeout(handle);
  },
});

/** A wait in parts. */
class LongWait {
  readonly #clock: Clock;
  #timer: unknown;

  constructor(clock: Clock, callback: () => void, ms: number) {
    this.#clock = clock;
    if (ms !== Infinity) this.#arm(callback, ms);
  }

  stop(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
  }

  #arm(callback: () => void, left: number): void {
    this.#timer =
      left > LONGEST_TIMER_MS
        ? this.#clock.setTimeout(() => {
            this.#arm(callback, left - LONGEST_TIMER_MS);
          }, LONGEST_TIMER_MS)
        : this.#clock.setTimeout(callback, left);
  }
}

/** A time that never comes, in ms since 1970: JSON has no infinity. */
export const NEVER_AT = 9_007_199_254_740_991;

/** The machine's own clock. */
export const systemClock: Clock = patientClock({
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (handle) => {
    clearTimeout(handle as ReturnType<typeof setTimeout>);
  },
});
