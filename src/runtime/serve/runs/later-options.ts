import type { LaterLimits, RunOptions } from '../../../contracts/runs/run-options.ts';
import type { ForkOptions } from '../../journal/resume/resume-options.ts';

/** The options of a run that a fork takes, too. */
export const laterOptions = ({
  runId: _runId,
  history: _history,
  thread: _thread,
  threads: _threads,
  task: _task,
  inspect: _inspect,
  paused: _paused,
  model: _model,
  limits,
  ...options
}: RunOptions): Omit<ForkOptions, 'store'> => ({
  ...options,
  ...(limits === undefined ? {} : { limits: withoutUndefined(limits.concurrency, limits.messages) }),
});

const withoutUndefined = (
  concurrency: number | undefined,
  messages: LaterLimits['messages'],
): LaterLimits => ({
  ...(concurrency === undefined ? {} : { concurrency }),
  ...(messages === undefined ? {} : { messages }),
});
