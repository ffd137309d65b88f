import { isTroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { LetterContent } from '../../journal/letters/letters.ts';
import type { Serving } from '../serving.ts';
import type { FoundRun, LiveRun } from './live-run.ts';
import { endedRun, storeMissing } from './run-errors.ts';
import { sendLetter } from './run-people.ts';

/** The store of a server. @throws {TroupeError} `engine.invalid` without one */
export const storeOf = ({ store }: Serving): JournalStore => {
  if (store === undefined) throw storeMissing('read a stored run');
  return store;
};

interface Ways {
  readonly here: (run: LiveRun) => void;
  readonly elsewhere: (store: JournalStore, runId: string) => Promise<void>;
}

/** Does something to a run here, where it is resumed if need be, or by a letter to the process that has it; true for here. */
export const hereOrElsewhere = async (
  serving: Serving,
  found: FoundRun,
  { here, elsewhere }: Ways,
): Promise<boolean> => {
  let run: LiveRun;
  try {
    run = await serving.runs.reach(found);
  } catch (thrown) {
    if (found.live !== undefined || !isTroupeError(thrown, 'journal.held')) throw thrown;
    const { runId } = found.stored;
    await elsewhere(storeOf(serving), runId);
    return false;
  }
  if (run.isOver) throw endedRun(run.runId);
  here(run);
  return true;
};

/** Posts a letter to a run that another process has. */
export const postLetter = (
  serving: Serving,
  store: JournalStore,
  runId: string,
  letter: LetterContent,
): Promise<void> => {
  const { redactor, clock, run } = serving;
  const { secretKey } = run;
  return sendLetter(store, runId, letter, {
    redactor,
    clock,
    ...(secretKey === undefined ? {} : { secretKey }),
  });
};
