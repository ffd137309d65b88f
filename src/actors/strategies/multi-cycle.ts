import { TroupeError } from '../../contracts/error.ts';
import { foundText } from '../../contracts/found-text.ts';
import type { Strategy } from '../../contracts/strategy.ts';
import type { Convergence } from './convergence.ts';
import { converges } from './convergence.ts';

/** Native tool calls, round and round until the model answers: what every agent does without a strategy. */
export const nativeCalls = (): Strategy => ({ name: 'native-calls' });

/** Knobs of {@link multiCycle}. */
export interface MultiCycleOptions {
  /** Answers in all, the first included. Default 5. */
  readonly cycles?: number | undefined;
  /** When an answer is good enough. Without it the first answer is. */
  readonly until?: Convergence | undefined;
}

/**
 * Round and round until an answer converges; each that does not costs a step and goes back with what is missing. After the
 * last the run ends `rejected`, and the candidate is kept.
 *
 * @example agent({ name: 'coder', strategy: multiCycle({ until: testsPass(compiles, isShort) }) })
 *
 * @throws {TroupeError} `agent.invalid` for less than one cycle.
 */
export const multiCycle = ({ cycles = 5, until }: MultiCycleOptions = {}): Strategy => {
  if (!Number.isInteger(cycles) || cycles < 1)
    throw new TroupeError(
      'agent.invalid',
      `Cannot go in cycles as their number is not 1 or more: ${foundText(cycles)}`,
    );
  return {
    name: 'multi-cycle',
    ...(until === undefined ? {} : { critics: [converges(until)], maxRejections: cycles - 1 }),
  };
};
