import { TroupeError } from '../../contracts/error.ts';
import { foundText } from '../../contracts/found-text.ts';
import type { RecoveryPolicy } from '../../contracts/recovery.ts';
import { checkCount } from './check-count.ts';

/** Checks what an agent says of failures and of its patience; in JavaScript anything may stand there. */
export const checkRecovery = (
  name: string,
  recovery: Partial<Record<keyof RecoveryPolicy, unknown>> | undefined,
  timeoutMs: unknown,
): void => {
  const refuse = (what: string, found: unknown): never => {
    throw new TroupeError(
      'agent.invalid',
      `Cannot define the agent '${name}' as its ${what}: ${foundText(found)}`,
    );
  };
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0))
    refuse('timeoutMs is no time above 0', timeoutMs);
  if (recovery === undefined) return;
  if (typeof recovery !== 'object' || recovery === null) refuse('recovery is no policy', recovery);
  const { limit = 1, handle } = recovery;
  if (handle !== undefined && typeof handle !== 'function') refuse('recovery.handle is no function', handle);
  // What is no number fails the check as one.
  checkCount(limit as number, 1, 'recovery.limit', { code: 'agent.invalid', owner: `the agent '${name}'` });
};
