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
  now: clock.now.bind(clock),
  setTimeout: (callback, ms) =>
    ms > LONGEST_TIMER_MS ? new LongWait(clock, callback, ms) : clock.setTimeout(callback, ms),
  clearTimeout: (handle) => {
    clock.clearTimeout(handle instanceof LongWait ? handle.timer : handle);
  },
});

/** A wait in parts. */
class LongWait {
  /** That of the current part; none if the wait is for ever. */
  timer: unknown;

  constructor(clock: Clock, callback: () => void, ms: number) {
    const arm = (left: number): void => {
      const part = Math.min(left, LONGEST_TIMER_MS);
      this.timer = clock.setTimeout(
        left > part
          ? () => {
              arm(left - part);
            }
          : callback,
        part,
      );
    };
    if (ms !== Infinity) arm(ms);
  }
}

/** A time that never comes, in ms since 1970: JSON has no infinity. */
export const NEVER_AT = 9_007_199_254_740_991;

/** The platform's clock, with the limits of its timers. */
export const platformClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (handle) => {
    clearTimeout(handle as ReturnType<typeof setTimeout>);
  },
};

/** The machine's own clock. */
export const systemClock: Clock = /* @__PURE__ */ patientClock(platformClock);
