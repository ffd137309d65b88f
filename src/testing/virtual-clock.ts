import type { Clock } from '../contracts/clock.ts';
import { whenNothingIsPutOff } from '../runtime/run/pacer.ts';

/** A clock that stands still until a test moves it. */
export interface VirtualClock extends Clock {
  /** The number of timers that are armed: 0 means that nothing was forgotten. */
  readonly pending: number;
  /**
   * Moves time on by `ms`, firing what comes due in order of its time; between two timers, everything that promises
   * have to do is done first, so a timer that is armed by a reaction to another one fires too if it comes due.
   */
  advance(ms: number): Promise<void>;
}

/**
 * A {@link Clock} for tests, starting at `startMs` (ms since 1970, default 0).
 *
 * It knows only what is asked of it: the platform's own `setTimeout` and network I/O go on in real time.
 *
 * @example
 * const clock = virtualClock();
 * clock.setTimeout(() => console.log('a minute later'), 60_000);
 * await clock.advance(60_000); // at once
 */
export const virtualClock = (startMs = 0): VirtualClock => {
  interface Timer {
    readonly due: number;
    readonly callback: () => void;
  }
  let now = startMs;
  const timers = new Set<Timer>();

  /** The earliest by time, then by age: sets keep the order in which timers were armed. */
  const nextUntil = (end: number): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.due <= end && (next === undefined || timer.due < next.due)) next = timer;
    }
    return next;
  };

  return {
    now: () => now,
    setTimeout: (callback, ms) => {
      const timer: Timer = { due: now + Math.max(0, ms), callback };
      // What never comes is not waited for.
      if (timer.due < Infinity) timers.add(timer);
      return timer;
    },
    clearTimeout: (handle) => {
      // A handle is whatever our own setTimeout gave out; anything else is not in the set.
      timers.delete(handle as Timer);
    },
    get pending() {
      return timers.size;
    },
    advance: async (ms) => {
      const end = now + ms;
      await settled();
      for (let timer = nextUntil(end); timer !== undefined; timer = nextUntil(end)) {
        timers.delete(timer);
        now = timer.due;
        timer.callback();
        await settled();
      }
      now = end;
    },
  };
};

/**
 * Resolves when the microtask queue has run dry, as a macrotask comes after all of it, and the runtime has put nothing off
 * to a later turn of the event loop: how much it does in one turn depends on how busy the machine is. Twice, as what is
 * done last may settle what others wait for.
 */
const settled = async (): Promise<void> => {
  for (let time = 0; time < 2; time += 1) {
    await macrotask();
    await whenNothingIsPutOff();
  }
};

const macrotask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
