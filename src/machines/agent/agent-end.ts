import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { effectKey } from '../../contracts/runs/effect.ts';
import { errorData } from '../../contracts/errors/error.ts';
import type { AgentContext, End } from './agent-context.ts';

/** The end of a run with an error. */
export const failure = (error: ErrorData): End => ({
  status: 'failed',
  stopReason: { kind: 'failed' },
  error,
});

/** All problems as one error. */
export const problemOf = (problems: readonly ErrorData[], first: ErrorData): ErrorData =>
  problems.length === 1
    ? first
    : {
        ...first,
        message: problems.map((problem) => problem.message).join('; '),
        details: problems.map(({ code, message, details }) => ({
          code,
          message,
          ...(details === undefined ? {} : { details }),
        })),
      };

/** Ends a run whose definition has a function that threw. */
export const threw = ({ run, step }: AgentContext, thrown: unknown, what: string, phase: string): End => {
  // REDUCE has advanced the counter, but CHECK_STOP still belongs to the previous step.
  const at = phase === 'CHECK_STOP' ? step - 1 : step;
  const message = `Cannot finish step ${at} of '${run.agent}' as its ${what} threw`;
  const where = { phase, step: at, path: run.path, runId: run.runId };
  const errorId = effectKey({ ...where, index: 0, attempt: 1 });
  return failure(errorData(thrown, 'agent.threw', { message, ...where, operation: what, errorId }));
};
