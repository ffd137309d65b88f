import { findSmallest } from '../blame/find-smallest.ts';
import type { Decision } from './decision.ts';

/** A script that still fails the same, and the runs that it took to find it. */
export interface Shrunk {
  readonly decisions: readonly Decision[];
  readonly runs: number;
}

/**
 * Finds a shortest script that fails the same: without any one of its decisions it does not, and no time or turn in it can be smaller. It makes
 * `most` runs at most.
 */
export const shrinkScript = async (
  decisions: readonly Decision[],
  fails: (decisions: readonly Decision[]) => Promise<boolean>,
  most: number,
): Promise<Shrunk> => {
  let runs = 0;
  const stillFails = async (candidate: readonly Decision[]): Promise<boolean> => {
    if (runs >= most) return false;
    runs += 1;
    return fails(candidate);
  };
  if (decisions.length === 0 || (await stillFails([]))) return { decisions: [], runs };
  const smallest = await findSmallest(decisions, stillFails);
  const simplest = await simplify(smallest, stillFails);
  // What is simpler may need less beside it.
  const left = simplest === smallest ? smallest : await findSmallest(simplest, stillFails);
  return { decisions: left, runs };
};

/** The same decisions, each in the simplest form that still fails. */
const simplify = async (
  decisions: readonly Decision[],
  stillFails: (candidate: readonly Decision[]) => Promise<boolean>,
): Promise<readonly Decision[]> => {
  let left = decisions;
  for (const decision of decisions)
    for (const simpler of simplerThan(decision)) {
      const candidate = left.map((each) => (each === decision ? simpler : each));
      if (!(await stillFails(candidate))) continue;
      left = candidate;
      break;
    }
  return left;
};

/** Simpler forms of a decision, the simplest first. */
const simplerThan = (decision: Decision): readonly Decision[] => {
  switch (decision.what) {
    case 'afterMs':
      return SIMPLE_MS.filter((ms) => ms < decision.value).map((value) => ({ ...decision, value }));
    case 'turn': {
      const value = Math.sign(decision.value);
      return value === decision.value ? [] : [{ ...decision, value }];
    }
    case 'calls':
      return decision.value.length < 2 ? [] : decision.value.map((call) => ({ ...decision, value: [call] }));
    default:
      return [];
  }
};

const SIMPLE_MS = [1, 1_000, 60_000, 3_600_000] as const;
