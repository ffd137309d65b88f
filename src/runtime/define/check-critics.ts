import type { Critic } from '../../contracts/critique.ts';
import { TroupeError } from '../../contracts/error.ts';
import { foundText } from '../../contracts/found-text.ts';

/**
 * Checks critics where an agent is defined.
 *
 * @throws {TroupeError} `agent.invalid` for what is no critic, and for a time-out, a `each` or an `ifBroken` that there is not.
 */
export const checkCritics = (critics: readonly Critic[], agent: string): readonly Critic[] => {
  for (const [index, critic] of critics.entries()) {
    const problem = problemOf(critic);
    if (problem !== undefined)
      throw new TroupeError(
        'agent.invalid',
        `Cannot define the agent '${agent}' as its critic ${String(critic?.name ?? index)} ${problem}`,
      );
  }
  return critics;
};

/** Untyped, as a critic may be anybody's object. */
const problemOf = (critic: Partial<Critic> | undefined): string | undefined => {
  const { name, critique, timeoutMs, each = 'answer', every, ifBroken = 'accept' } = critic ?? {};
  if (typeof name !== 'string' || name === '') return `has no name: ${String(name)}`;
  if (typeof critique !== 'function') return `has no function 'critique': ${typeof critique}`;
  // Untyped: a text of digits is no time.
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0))
    return `has a timeoutMs that is no time above 0: ${foundText(timeoutMs)}`;
  if (!['answer', 'step'].includes(each))
    return `looks at each '${String(each)}', which is neither answer nor step`;
  if (every !== undefined && !(Number.isSafeInteger(every) && every >= 1))
    return `looks at every ${foundText(every)} steps, which is no whole number from 1`;
  if (every !== undefined && each !== 'step')
    return `looks at every ${every} steps, and yet at answers only: give it each 'step'`;
  if (!['accept', 'stop'].includes(ifBroken))
    return `counts as '${String(ifBroken)}' if it is broken, which is neither accept nor stop`;
  return undefined;
};
