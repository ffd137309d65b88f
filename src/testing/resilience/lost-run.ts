import { isTroupeError } from '../../contracts/errors/error.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';

/** Checks for an end that the store made: the run can be resumed. */
export const isLost = (thrown: unknown, result: RunResult<unknown, unknown> | undefined): boolean =>
  isTroupeError(thrown, 'run.suspended') ||
  (isTroupeError(thrown) && thrown.code.startsWith('journal.')) ||
  (result?.error?.code.startsWith('journal.') ?? false);
