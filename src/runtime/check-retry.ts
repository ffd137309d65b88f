import { messageOf, TroupeError } from '../contracts/error.ts';
import type { ModelRetry } from '../contracts/model.ts';

const WAYS: readonly unknown[] = [undefined, 'restart', 'continue'];

/** In JavaScript anything may stand where a way should: one that nobody knows would be a restart in silence. */
export const checkRetry = (retry: ModelRetry | undefined, agent: string): ModelRetry | undefined => {
  if (WAYS.includes(retry?.onBreak)) return retry;
  throw new TroupeError(
    'agent.invalid',
    `Cannot define the agent '${agent}' as retry.onBreak is neither restart nor continue: ${messageOf(retry?.onBreak)}`,
  );
};
