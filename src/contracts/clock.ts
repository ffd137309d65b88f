/** Where time comes from: the real one, or a simulated one that tests move. Milliseconds since 1970. */
export interface Clock {
  now(): number;
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
}

/** Platforms keep a delay in 32 bits: a timer that is set for longer, or for `Infinity`, fires at once. In ms, 24.8 days. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A clock that waits as long as it is told to, by one whose timers count no further than a platform's; `Infinity` never comes. */
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

/** The machine's own clock. */
export const systemClock: Clock = patientClock({
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (handle) => {
    clearTimeout(handle as ReturnType<typeof setTimeout>);
  },
});
