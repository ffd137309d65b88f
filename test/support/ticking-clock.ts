import type { VirtualClock } from '../../src/testing/virtual-clock.ts';

/**
 * A virtual clock that is one millisecond later at each reading: two readings of one moment are found out, as they never are
 * the same.
 */
export const tickingClock = (clock: VirtualClock): VirtualClock => {
  let readings = 0;
  return {
    ...clock,
    now: () => clock.now() + readings++,
    get pending() {
      return clock.pending;
    },
  };
};
