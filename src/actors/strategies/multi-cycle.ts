import { objectWith, optional, wholeNumber } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
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

const check = optionsCheck<MultiCycleOptions>(
  { code: 'agent.invalid', owner: 'the strategy multiCycle' },
  () => ({
    cycles: optional(wholeNumber(1)),
    until: optional(objectWith(['check'], 'not a convergence: write one such as convergence.tests(…)')),
  }),
);

/**
 * Repeats until an answer converges; each one that does not costs a step and is sent back with what is missing. After the last the run ends
 * `rejected` with the candidate kept.
 *
 * @example agent({ name: 'coder', strategy: multiCycle({ until: convergence.tests(compiles, isShort) }) })
 *
 * @throws {TroupeError} `agent.invalid` for options that do not fit.
 */
export const multiCycle = (options: MultiCycleOptions = {}): Strategy => {
  const { cycles = 5, until } = check(options);
  return {
    name: 'multi-cycle',
    ...(until === undefined ? {} : { critics: [converges(until)], maxRejections: cycles - 1 }),
  };
};
