import { errorData, toError, TroupeError } from '../../../contracts/errors/error.ts';
import type { Began } from '../../../contracts/journals/journal-record.ts';
import type { RunHandle } from '../../../contracts/runs/run-handle.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import type { Definition } from '../../define/definition.ts';
import { Handle } from '../../run/handle.ts';
import { hideInput } from '../../secrets/hide-fields.ts';
import { joinThread } from '../../thread/run-thread.ts';
import type { Run } from '../../run/run.ts';
import { assertJudged } from './assert-judged.ts';
import type { AcquiredRun, JournaledSetup } from './stored-run.ts';
import { beginAgain, createJournaledRun, keepIn, opening, optionsOf } from './stored-run.ts';

/** Resumes a run whose lease and journal were acquired. */
export const resumeTaken = async <Output, State>(
  definition: Definition,
  taken: AcquiredRun,
  options: RunOptions,
  further: Pick<JournaledSetup, 'makeTool' | 'random'> = {},
): Promise<RunHandle<Output, State>> => {
  const { run, go } = await resumedRun(definition, taken, options, further);
  try {
    go();
  } catch (thrown) {
    await taken.store.release(taken.lease);
    throw thrown;
  }
  return new Handle<Output, State>(run);
};

/** Refuses the run of another agent. @throws `journal.diverged` */
export const assertOwn = ({ runId, agent }: Began, { name }: Pick<Definition, 'name'>): void => {
  if (agent === name) return;
  const message = `Cannot replay run '${runId}' as its agent is '${agent}': found '${name}'`;
  throw new TroupeError('journal.diverged', message, { runId });
};

/** Creates a run from an acquired journal. `go` replays the records and continues; it throws if they do not match. */
export const resumedRun = async (
  definition: Definition,
  { store, lease, records, began, opened, key }: AcquiredRun,
  options: RunOptions,
  further: Pick<JournaledSetup, 'watch' | 'makeTool' | 'random'>,
): Promise<{ readonly run: Run; readonly go: () => void }> => {
  try {
    assertOwn(began, definition);
    assertJudged(began, records, options, 'resume');
  } catch (thrown) {
    await store.release(lease);
    throw thrown;
  }
  const given = { ...optionsOf(began, options), store };
  const { run, journal } = createJournaledRun(definition, given, {
    isAttended: true,
    tenant: began.tenant,
    ...further,
  });
  run.secrets.know(opened.fields);
  hideInput(run.secrets, definition, began.input);
  joinThread(run, began.input, given);
  const failed = (thrown: unknown): void => {
    run.ending.lose(toError(errorData(thrown, 'journal.failed', { message: 'Cannot resume the run' })));
  };
  try {
    // An imported run holds nothing yet.
    await run.content.refer(records);
    const heartbeat = await keepIn({ store, lease, run, journal, key, after: opened });
    const letters = await opening(run, key)(await store.letters(began.runId));
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
              if (!run.isOver) run.log.resumed(journal.arrive(undefined, { type: 'resumed' }));
            },
          },
        );
        // First, so that letters sent in time are not late.
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
