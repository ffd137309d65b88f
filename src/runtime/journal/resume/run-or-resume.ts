import type { RunOrResumeOptions } from './resume-options.ts';
import { checkRunOrResume } from './resume-schema.ts';
import { take } from 'rxjs';
import type { Agent } from '../../../contracts/agents/agent.ts';
import { isTroupeError } from '../../../contracts/errors/error.ts';
import type { RunHandle } from '../../../contracts/runs/run-handle.ts';
import type { JournaledSetup } from './stored-run.ts';
import { startStored } from './stored-run.ts';
import { journaledDefinition, resumeWith } from './resume.ts';

/**
 * Starts a run, or resumes it where its journal ends; for a run that is over, the handle gives the result.
 *
 * Idempotent by `runId`, so that a server may call it at each attempt of a request: a run whose process died before the first record is
 * started, and of several concurrent callers one starts it while the others are refused until its lease is free. `input` and the other
 * starting options count only if the run is started.
 *
 * @example
 * const store = sqliteStore('./runs.db');
 * const handle = await runOrResume(clerk, 'Order 17', { store, runId: 'order-17' });
 * const { output } = await handle.result;
 *
 * @throws {TroupeError} `journal.held` while somebody has the run; `journal.failed` where the store cannot be used; `journal.corrupt`,
 * `journal.version`; {@link DeterminismError} (`journal.diverged`) where the agents do something else than the journal says.
 */
export const runOrResume = async <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  input: Input,
  options: RunOrResumeOptions,
): Promise<RunHandle<Output, State>> =>
  resumeOrStart(agent, checkRunOrResume(options), () =>
    startStored(journaledDefinition(agent), input, options, { isAttended: true }),
  );

/** Resumes a run where its journal ends; if it has not begun, starts it by `start`, which says how. */
export const resumeOrStart = async <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  { runId, ...given }: RunOrResumeOptions,
  start: () => RunHandle<Output, State> | Promise<RunHandle<Output, State>>,
  setup?: Pick<JournaledSetup, 'random'>,
): Promise<RunHandle<Output, State>> => {
  try {
    return await resumeWith(agent, runId, given, setup);
  } catch (thrown) {
    if (!isTroupeError(thrown, 'journal.unknown')) throw thrown;
  }
  const handle = await start();
  try {
    await awaitStart(handle);
    return handle;
  } catch (thrown) {
    // Another process created the run first, and may have finished it by now.
    if (isTroupeError(thrown, 'journal.exists')) return resumeWith(agent, runId, given, setup);
    throw thrown;
  }
};

/** Resolves when a run has published its first event; rejects if it ends before that. */
const awaitStart = (handle: Pick<RunHandle<unknown, unknown>, 'events$' | 'result'>): Promise<unknown> => {
  let hasStarted = false;
  const started = new Promise<void>((resolve) => {
    // A run that the store refused ends without it.
    handle.events$.pipe(take(1)).subscribe(({ type }) => {
      if (type !== 'run.started') return;
      hasStarted = true;
      resolve();
    });
  });
  const over = handle.result.catch((thrown: unknown) => {
    // A failure after the start is reported by the result.
    if (!hasStarted) throw thrown;
  });
  return Promise.race([started, over]);
};
