import type { Clock } from '../../src/base/clock.ts';

/** A clock for properties: like a virtual one, but only what promises have to do is done between two timers, so that thousands are soon over. */
export const manualClock = () => {
  const timers = new Map<object, { readonly due: number; readonly callback: () => void }>();
  let now = 0;
  const clock: Clock = {
    now: () => now,
    setTimeout: (callback, ms) => {
      const handle = {};
      timers.set(handle, { due: now + Math.max(0, ms), callback });
      return handle;
    },
    clearTimeout: (handle) => {
      timers.delete(handle as object);
    },
  };
  const next = (end: number) =>
    [...timers].filter(([, { due }]) => due <= end).toSorted(([, one], [, other]) => one.due - other.due)[0];
  return {
    clock,
    get pending() {
      return timers.size;
    },
    advance: async (ms: number): Promise<void> => {
      const end = now + ms;
      await microtasks();
      for (let timer = next(end); timer !== undefined; timer = next(end)) {
        timers.delete(timer[0]);
        now = timer[1].due;
        timer[1].callback();
        await microtasks();
      }
      now = end;
    },
  };
};

/** What promises have to do is done. */
export const microtasks = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

/** How many examples a property gets: a tenth in the gate. */
export const search =
  process.env['TROUPE_FULL'] === '1' ? { numRuns: 10_000 } : { numRuns: 1_000, seed: 20_260 };
