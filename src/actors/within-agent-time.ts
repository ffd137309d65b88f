import { TroupeError } from '../contracts/error.ts';
import { withinTime } from '../contracts/within-time.ts';
import type { Desk } from './desk.ts';

/** What one of an agent's own functions gives, within the time that the agent allows it; late, it is `agent.timeout`. */
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
