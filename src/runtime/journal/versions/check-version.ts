import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import { journaledDefinition } from '../resume/resume.ts';
import { assertOwn } from '../resume/resumed-run.ts';
import { knownSecrets, recordsIn } from '../resume/stored-run.ts';
import type { UnfitCall } from './open-calls.ts';
import { unfitCalls } from './open-calls.ts';
import { replayToEnd } from './replayed-run.ts';

/**
 * Replays a run as resuming it by a version of its agent would, and returns the calls without a result that this version cannot make: nothing is
 * executed, and nothing is written.
 *
 * @throws {DeterminismError} where the agents do something else; {@link TroupeError} those of reading the journal.
 */
export const checkVersion = async (
  agent: { readonly name: string },
  runId: string,
  { store, ...options }: RunOptions & { readonly store: JournalStore },
): Promise<readonly UnfitCall[]> => {
  const definition = journaledDefinition(agent);
  const journal = await recordsIn(store, runId, knownSecrets(definition, options));
  assertOwn(journal.began, definition);
  return unfitCalls(replayToEnd(definition, journal, options));
};
