import { take } from 'rxjs';
import type { Agent } from '../../../contracts/agent.ts';
import { isTroupeError } from '../../../contracts/error.ts';
import type { JournalStore } from '../../../contracts/journal.ts';
import type { RunHandle, RunOptions } from '../../../contracts/run.ts';
import { startStored } from './stored-run.ts';
import { journaledDefinition, resume } from './resume.ts';

/** Options with which a run is begun or resumed. Of one that is resumed, what it was begun with is its journal's to say. */
export type RunOrResumeOptions = Omit<RunOptions, 'runId' | 'store' | 'inspect' | 'paused'> & {
  readonly store: JournalStore;
  /** The name of the run: the same name is the same run, however often it is asked for. */
  readonly runId: string;
};

/**
 * Begins a run, or resumes it where its journal ends, whichever is due; of a run that is over, the handle gives the result.
 *
 * Idempotent by `runId`, so that a server may do it at each attempt of a request: a run whose process died before the first
 * record begins, and of several processes that ask at once one begins it, and the others are refused while that one has it. The
 * `input`, and what else a run begins with, counts only where it begins.
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
): Promise<RunHandle<Output, State>> => {
  const { runId, ...given } = options;
  try {
    return await resume(agent, runId, given);
  } catch (thrown) {
    if (!isTroupeError(thrown, 'journal.unknown')) throw thrown;
  }
  const handle = startStored<Output, State>(journaledDefinition(agent), input, options, { isAttended: true });
  try {
    await begun(handle);
    return handle;
  } catch (thrown) {
    // Somebody else was faster, and may be through by now.
    if (isTroupeError(thrown, 'journal.exists')) return resume(agent, runId, given);
    throw thrown;
  }
};

/** Resolves when a run has published its first event; rejects if it is over before. */
const begun = (handle: Pick<RunHandle<unknown, unknown>, 'events$' | 'result'>): Promise<unknown> => {
  let hasTold = false;
  const told = new Promise<void>((resolve) => {
    // One that could not be entered in the store ends without it.
    handle.events$.pipe(take(1)).subscribe(({ type }) => {
      if (type !== 'run.started') return;
      hasTold = true;
      resolve();
    });
  });
  const over = handle.result.catch((thrown: unknown) => {
    // That it failed after it had begun is its result's to say.
    if (!hasTold) throw thrown;
  });
  return Promise.race([told, over]);
};
