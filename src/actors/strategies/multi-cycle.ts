import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { Strategy } from '../../contracts/agents/strategy.ts';
import type { Convergence } from './convergence.ts';
import { converges } from './convergence.ts';

/** Native tool calls in a loop until the model answers: the behaviour without a strategy. */
export const nativeCalls = (): Strategy => ({ name: 'native-calls' });

/** Options of {@link multiCycle}. */
export interface MultiCycleOptions {
  /** Total number of answers, including the first. Default 5. */
  readonly cycles?: number | undefined;
  /** Judges an answer. Without it the first answer counts. */
  readonly until?: Convergence | undefined;
}

/**
 * Repeats until an answer converges; each one that does not costs a step and is sent back with what is missing. After the last the run ends
 * `rejected` with the candidate kept.
 *
 * @example agent({ name: 'coder', strategy: multiCycle({ until: testsPass(compiles, isShort) }) })
 *
 * @throws {TroupeError} `agent.invalid` for less than one cycle.
 */
export const multiCycle = ({ cycles = 5, until }: MultiCycleOptions = {}): Strategy => {
  if (!Number.isInteger(cycles) || cycles < 1)
    throw new TroupeError(
      'agent.invalid',
      `Cannot repeat as the number of cycles is not 1 or more: ${foundText(cycles)}`,
    );
  return {
    name: 'multi-cycle',
    ...(until === undefined ? {} : { critics: [converges(until)], maxRejections: cycles - 1 }),
  };
};
