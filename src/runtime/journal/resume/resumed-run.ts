import { errorData, toError, TroupeError } from '../../../contracts/error.ts';
import type { RunHandle, RunOptions } from '../../../contracts/run.ts';
import type { Definition } from '../../define/definition.ts';
import { Handle } from '../../run/handle.ts';
import { hideInput } from '../../secrets/hide-fields.ts';
import { joinThread } from '../../thread/run-thread.ts';
import type { Run } from '../../run/run.ts';
import type { Watch } from '../../turn/watch.ts';
import type { Taken } from './stored-run.ts';
import { beginAgain, journaled, keepIn, opening, optionsOf } from './stored-run.ts';

/** Goes on with a run whose journal was taken over. */
export const resumeTaken = async <Output, State>(
  definition: Definition,
  taken: Taken,
  options: RunOptions,
): Promise<RunHandle<Output, State>> => {
  const { run, go } = await resumedRun(definition, taken, options);
  try {
    go();
  } catch (thrown) {
    await taken.store.release(taken.lease);
    throw thrown;
  }
  return new Handle<Output, State>(run);
};

/** Makes a run of a journal that was taken over; `go` goes on with it where its records end, and throws where they do not fit. */
export const resumedRun = async (
  definition: Definition,
  { store, lease, records, began, opened, key }: Taken,
  options: RunOptions,
  watch?: Watch,
): Promise<{ readonly run: Run; readonly go: () => void }> => {
  const { runId, agent } = began;
  if (agent !== definition.name) {
    await store.release(lease);
    const message = `Cannot resume run '${runId}' as it is one of '${agent}': found '${definition.name}'`;
    throw new TroupeError('journal.diverged', message, { runId });
  }
  const given = { ...optionsOf(began, options), store };
  const { run, journal } = journaled(definition, given, { isAttended: true, watch });
  run.secrets.know(opened.fields);
  hideInput(run.secrets, definition, began.input);
  joinThread(run, began.input, given);
  const failed = (thrown: unknown): void => {
    run.ending.lose(toError(errorData(thrown, 'journal.failed', { message: 'Cannot resume the run' })));
  };
  try {
    const heartbeat = await keepIn({ store, lease, run, journal, key, after: opened });
    const letters = await opening(run, key)(await store.letters(runId));
    const go = (): void => {
      try {
        journal.rerun(
          records,
          () => {
            beginAgain(run, began);
          },
          {
            inHand: new Map(),
            before: () => {
              if (!run.isOver) journal.arrive(undefined, { type: 'resumed' });
            },
          },
        );
        // Before anything can be too late: they came in time.
        heartbeat.take(letters);
      } catch (thrown) {
        failed(thrown);
        throw thrown;
      }
    };
    return { run, go };
  } catch (thrown) {
    failed(thrown);
    await store.release(lease);
    throw thrown;
  }
};
