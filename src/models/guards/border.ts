import type { Clock } from '../../base/clock.ts';
import type { Json } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { GuardPlace, GuardUse } from './guard.ts';

/** A border that texts pass: their place, and what its run does for guards. */
export interface Border extends Omit<GuardUse, 'signal'> {
  readonly signal: () => AbortSignal;
  /** Measures the time of guards. */
  readonly clock: Clock;
  /** Puts what a guard did on record. */
  readonly emit?: ((name: string, data: Json) => void) | undefined;
  /** Asks a person. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
}

const refusals: Readonly<Record<GuardPlace, (tool: string, guard: string) => string>> = {
  input: (_, guard) => `Cannot ask the model as ${guard} blocks the input`,
  output: (_, guard) => `Cannot use the answer of the model as ${guard} blocks it`,
  'tool.input': (tool, guard) => `Cannot call '${tool}' as ${guard} blocks its input`,
  'tool.output': (tool, guard) => `Cannot use the result of '${tool}' as ${guard} blocks it`,
};

/** The error of a text that does not pass. */
export const blockedError = (
  guard: string,
  { place, tool = '' }: Pick<Border, 'place' | 'tool'>,
  reason: string,
): TroupeError =>
  new TroupeError('guardrail.blocked', `${refusals[place](tool, `the guard '${guard}'`)}: ${reason}`, {
    retryable: 'no',
    details: { guard, place, reason },
  });
