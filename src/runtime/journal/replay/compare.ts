import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import type { RunComparison } from './compared-runs.ts';
import { ComparedRuns } from './compared-runs.ts';

/** A run that can be compared: a result or a replay. */
export interface Comparable {
  readonly events: readonly RuntimeEvent[];
}

/**
 * Compares two runs: finds the first difference, and gives path, messages, calls, cost and output of each after it.
 *
 * Events are compared per address, in order, ignoring times and ids, since agents that work concurrently may interleave differently.
 *
 * @example
 * const { parted, totals } = compare(await replay(clerk, 'run-17', { store }), await replay(clerk, 'fork-1', { store }));
 * if (parted !== undefined) console.log(`${parted.path} parts in step ${parted.step}`, totals.left.costUsd, totals.right.costUsd);
 */
export const compare = (left: Comparable, right: Comparable): RunComparison => {
  const compared = new ComparedRuns();
  for (const event of left.events) compared.take('left', event);
  for (const event of right.events) compared.take('right', event);
  return compared.comparison;
};
