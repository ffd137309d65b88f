import { TroupeError } from '../contracts/errors/error.ts';
import { withinTime } from '../base/promises/within-time.ts';
import type { Desk } from './desk.ts';

/** Limits an agent's own function to the agent's timeout; after it, rejects with `agent.timeout`. */
export const withinAgentTime = <T>(
  given: T | Promise<T>,
  name: string,
  { clock, definition, abort }: Pick<Desk, 'clock' | 'definition' | 'abort'>,
): T | Promise<T> => {
  const { timeoutMs: ms } = definition;
  const late = (): TroupeError => {
    const message = `Cannot wait for '${name}' of '${definition.name}' any longer as it is past its time-out: ${ms} ms`;
    return new TroupeError('agent.timeout', message, { retryable: 'yes' });
  };
  return withinTime(given, { ms, clock, late, abort });
};
