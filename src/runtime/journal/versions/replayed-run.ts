import type { Began, JournalRecord } from '../../../contracts/journals/journal-record.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import type { OpenedJournal } from '../../../persistence/journal-codec.ts';
import type { Definition } from '../../define/definition.ts';
import type { Run } from '../../run/run.ts';
import { beginAgain, createJournaledRun, optionsOf } from '../resume/stored-run.ts';

/** The journal of a run, as it was read. */
export interface ReadJournal {
  readonly records: readonly JournalRecord[];
  readonly began: Began;
  readonly opened: OpenedJournal;
}

/** A run that is at rest where its journal ends. */
export type ReplayedRun = Pick<Run, 'actors' | 'host' | 'log'>;

/**
 * Replays a run as resuming it would, by which prompts and tools may have changed, and stops where its journal ends: nothing is executed, and
 * nothing is written.
 *
 * @throws {DeterminismError} where the agents do something else.
 */
export const replayToEnd = (
  definition: Definition,
  { records, began, opened }: ReadJournal,
  options: RunOptions,
): ReplayedRun => {
  const { run, journal } = createJournaledRun(
    definition,
    optionsOf(began, options),
    { isAttended: true, isReplayed: true },
    {
      onEnd: () => {
        throw new AtEnd();
      },
      onRead: () => undefined,
    },
  );
  run.secrets.know(opened.fields);
  try {
    journal.rerun(records, () => {
      beginAgain(run, began);
    });
  } catch (thrown) {
    if (!(thrown instanceof AtEnd)) throw thrown;
  }
  return run;
};

/** The replay reached the end of the journal. */
class AtEnd extends Error {}
