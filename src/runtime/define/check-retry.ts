import { TroupeError } from '../../contracts/error.ts';
import { foundText } from '../../contracts/found-text.ts';
import type { ModelRetry } from '../../contracts/model.ts';

const WAYS: readonly unknown[] = [undefined, 'restart', 'continue'];

const ADAPTIVE: readonly string[] = ['rateLimitWaitMs', 'invalidWaitMs', 'steps'];

/**
 * In JavaScript anything may stand where a way should: one that nobody knows would be a restart in silence, and a wait that is no
 * number one that never ends.
 */
export const checkRetry = (retry: ModelRetry | undefined, agent: string): ModelRetry | undefined => {
  const problem = WAYS.includes(retry?.onBreak)
    ? adaptiveProblem(retry?.adaptive)
    : `retry.onBreak is neither restart nor continue: ${foundText(retry?.onBreak)}`;
  if (problem === undefined) return retry;
  throw new TroupeError('agent.invalid', `Cannot define the agent '${agent}' as ${problem}`);
};

const adaptiveProblem = (adaptive: unknown): string | undefined => {
  if (adaptive === undefined || typeof adaptive === 'boolean') return undefined;
  if (typeof adaptive !== 'object' || adaptive === null || Array.isArray(adaptive))
    return `retry.adaptive is neither a boolean nor an object: ${foundText(adaptive)}`;
  for (const [name, value] of Object.entries(adaptive)) {
    if (!ADAPTIVE.includes(name)) return `retry.adaptive has no option '${name}': ${ADAPTIVE.join(', ')}`;
    if (value === undefined) continue;
    if (name === 'steps' && !(Number.isInteger(value) && value >= 1))
      return `retry.adaptive.steps is no whole number from 1: ${foundText(value)}`;
    if (!(Number.isFinite(value) && value >= 0))
      return `retry.adaptive.${name} is no number of ms from 0: ${foundText(value)}`;
  }
  return undefined;
};
