import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isBounded, randomMachines } from './random-machines.ts';
import { beginTwins, moveTwins } from './side-by-side.ts';
import { sized } from '../support/thorough.ts';

const seed = Number(process.env['TROUPE_SEED'] ?? 20_261);
const MACHINES = sized(75, 10_000);

/** Kinds of what a machine throws. */
const kindOf = (thrown: string): 'endless' | 'guards' | 'threw' => {
  if (thrown.includes('Infinite loop')) return 'endless';
  return thrown.includes('Unable to evaluate guard') ? 'guards' : 'threw';
};

test.runIf(isBounded)(
  `the table means the same as XState on ${MACHINES} machines that nobody wrote (seed ${seed})`,
  {
    timeout: 600_000,
  },
  () => {
    const seen = { moves: 0, threw: 0, guards: 0, endless: 0, ended: 0, regions: 0 };
    fc.assert(
      fc.property(randomMachines, ({ machine, events }) => {
        let twins = beginTwins(machine, 3);
        for (const event of events) {
          if (typeof twins === 'string' || twins.byXState.status !== 'active') break;
          if (/[{,].*,/.test(JSON.stringify(twins.byXState.value))) seen.regions += 1;
          twins = moveTwins(twins, event);
          seen.moves += 1;
        }
        if (typeof twins === 'string') seen[kindOf(twins)] += 1;
        else if (twins.byXState.status === 'done') seen.ended += 1;
      }),
      { seed, numRuns: MACHINES },
    );
    // All that can happen has happened, and often.
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(MACHINES / 100);
  },
);
