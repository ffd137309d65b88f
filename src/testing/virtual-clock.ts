import type { Clock } from '../base/clock.ts';
import { TroupeError } from '../contracts/errors/error.ts';
import { foundText } from '../contracts/errors/found-text.ts';
import { whenNothingIsPutOff } from '../runtime/run/pacer.ts';

/** A clock that only a test advances. */
export interface VirtualClock extends Clock {
  /** Number of armed timers: 0 means that none was leaked. */
  readonly pending: number;
  /**
   * Moves time on by `ms`, firing what comes due in order of its time; between two timers, everything that promises
   * have to do is done first, so a timer that is armed by a reaction to another one fires too if it comes due. Rejects
   * with `input.invalid` for anything but a number from 0.
   */
  advance(ms: number): Promise<void>;
}

/**
 * A {@link Clock} for tests, starting at `startMs` (ms since 1970, default 0).
 *
 * It controls only its own timers: the platform's `setTimeout` and network I/O run in real time.
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
      // A handle comes from our own setTimeout; any other value is not in the set.
      timers.delete(handle as Timer);
    },
    get pending() {
      return timers.size;
    },
    advance: async (ms) => {
      if (!(typeof ms === 'number' && ms >= 0))
        throw new TroupeError(
          'input.invalid',
          `Cannot advance the clock as its time is not a number of ms from 0: found ${foundText(ms)}`,
        );
      const end = now + ms;
      await untilSettled();
      for (let timer = nextUntil(end); timer !== undefined; timer = nextUntil(end)) {
        timers.delete(timer);
        now = timer.due;
        timer.callback();
        await untilSettled();
      }
      now = end;
    },
  };
};

/**
 * Resolves when the microtask queue is empty and the runtime has deferred nothing to a later turn of the event loop:
 * the amount of work in one turn depends on the load of the machine. Twice, as the last work may settle other promises.
 */
const untilSettled = async (): Promise<void> => {
  for (let time = 0; time < 2; time += 1) {
    await macrotask();
    await whenNothingIsPutOff();
  }
};

const macrotask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
