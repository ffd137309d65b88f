import type { RunResult } from '../../contracts/runs/run-result.ts';
import { settledResult } from '../../runtime/journal/replay/replay.ts';
import { forkAs } from '../../runtime/journal/resume/fork.ts';
import type { ForkOptions } from '../../runtime/journal/resume/resume-options.ts';
import type { Shadow } from './shadow.ts';

/** A fork that has ended. */
export interface EndedFork {
  readonly runId: string;
  /** Undefined for a run that failed without a result. */
  readonly result: RunResult<unknown, unknown> | undefined;
}

/** Forks a run, and waits for its end, with a shadow between it and the world. */
export const shadowFork = async (
  agent: { readonly name: string },
  runId: string,
  { signal: stopping, models, execute, person, hook }: Shadow,
  { signal, ...options }: ForkOptions,
): Promise<EndedFork> => {
  const handle = await forkAs(agent, runId, {
    ...options,
    signal: signal === undefined ? stopping : AbortSignal.any([stopping, signal]),
    resources: [models],
    executor: execute,
    person,
    hooks: [hook],
  });
  return { runId: handle.runId, result: await settledResult(handle.result) };
};
