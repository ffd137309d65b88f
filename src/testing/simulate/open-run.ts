import type { Json } from '../../base/json/json.ts';
import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import { journaledDefinition } from '../../runtime/journal/resume/resume.ts';
import { resumeOrStart } from '../../runtime/journal/resume/run-or-resume.ts';
import { startRun } from '../../runtime/run/start-run.ts';
import type { EvaluatedAgent } from '../evals/eval-options.ts';
import type { SimulateOptions } from './simulate-options.ts';
import type { SimulatedProcess } from './world/simulated-world.ts';

/** The run that a process opens. */
interface OpenedRun {
  readonly agent: EvaluatedAgent;
  readonly input: Json;
  readonly run: SimulateOptions['run'];
  readonly random: () => number;
}

/** Starts the run in its first process, and resumes it in another one; a run that was killed before its first record is started again. */
export const openRun = async (
  { agent, input, run, random }: OpenedRun,
  { options }: SimulatedProcess,
  isFirst: boolean,
): Promise<RunHandle<unknown, unknown>> => {
  const { resources = [], ...given } = run ?? {};
  const all = { ...given, ...options, resources: [...resources, ...(options.resources ?? [])] };
  const start = () =>
    startRun<unknown, unknown>(journaledDefinition(agent), input, all, { isAttended: true, random });
  return isFirst ? start() : resumeOrStart<unknown, unknown, unknown>(agent, all, start, { random });
};
