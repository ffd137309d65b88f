import type { Json } from '../../base/json/json.ts';
import { isTroupeError } from '../../contracts/errors/error.ts';
import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import { resumedRun } from '../../runtime/journal/resume/resumed-run.ts';
import { acquireRun, knownSecrets } from '../../runtime/journal/resume/stored-run.ts';
import { Handle } from '../../runtime/run/handle.ts';
import { startRun } from '../../runtime/run/start-run.ts';
import { clientTool } from '../../tools/define/client-tool.ts';
import type { SimulateOptions } from './simulate-options.ts';
import type { SimulatedProcess } from './world/simulated-world.ts';
import { RUN_ID } from './world/simulated-world.ts';

/** The run that a process opens. */
interface OpenedRun {
  readonly definition: Definition;
  readonly input: Json;
  readonly run: SimulateOptions['run'];
  readonly random: () => number;
}

/** Starts the run in its first process, and resumes it in another one; a run that was killed before its first record is started again. */
export const openRun = async (
  { definition, input, run, random }: OpenedRun,
  { options }: SimulatedProcess,
  isFirst: boolean,
): Promise<RunHandle<unknown, unknown>> => {
  const { resources = [], ...given } = run ?? {};
  const all = { ...given, ...options, resources: [...resources, ...(options.resources ?? [])] };
  const start = () => startRun<unknown, unknown>(definition, input, all, { isAttended: true, random });
  if (isFirst) return start();
  try {
    const taken = await acquireRun(options.store, RUN_ID, knownSecrets(definition, all));
    const { run: resumed, go } = await resumedRun(definition, taken, all, { makeTool: clientTool, random });
    go();
    return new Handle<unknown, unknown>(resumed);
  } catch (thrown) {
    if (!isTroupeError(thrown, 'journal.unknown')) throw thrown;
    return start();
  }
};
