import { TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalRecord } from '../../../contracts/journals/journal-record.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import { openRequestsOf } from '../letters/requests.ts';
import { journaledDefinition } from '../resume/resume.ts';
import { knownSecrets, recordsIn } from '../resume/stored-run.ts';
import type { UnfitCall } from './open-calls.ts';
import { triedWords } from './held-marks.ts';
import { isHeldFor, unfitCalls } from './open-calls.ts';
import { replayToEnd } from './replayed-run.ts';

/**
 * Refuses to go on with a run with a call that waits, for a person or its next attempt, whose tool is gone or takes another input: its result
 * would be an error, for good. Of a run without such a call the journal is read, and not replayed.
 *
 * @throws (rejects with) {TroupeError} `tool.missing`; {@link DeterminismError}; those of reading the journal
 */
export const assertCallsKept = async (
  agent: { readonly name: string },
  runId: string,
  { store, ...options }: RunOptions & { readonly store: JournalStore },
): Promise<void> => {
  const definition = journaledDefinition(agent);
  const journal = await recordsIn(store, runId, knownSecrets(definition, options));
  if (!hasWaitingCall(journal.records)) return;
  // Looked at without the observers of the run.
  const { context, model } = options;
  assertTools(runId, await unfitCalls(replayToEnd(definition, journal, { context, model })));
};

/** Refuses to go on with a run with a call whose tool is gone, or takes another input than it waits with. @throws {TroupeError} `tool.missing` */
export const assertTools = (
  runId: string,
  calls: readonly UnfitCall[],
  tried: readonly string[] = [],
): void => {
  const held = calls.find(isHeldFor);
  if (held === undefined) return;
  const { tool, path, problem, reason } = held;
  const why =
    problem === 'missing'
      ? `as a call of '${path}' waits whose tool '${tool}' is missing. The run is held; resume it with an agent that has the tool`
      : `as a call of '${path}' waits whose input the tool '${tool}' does not take any more: ${reason}. The run is held; resume it with an agent whose tool takes it, such as the one of then, exported in \`versions\``;
  throw new TroupeError('tool.missing', `Cannot resume run '${runId}' ${why}${triedWords(tried)}`, {
    runId,
    tool,
    path,
  });
};

/** Checks whether a call waits for an approval or for its next attempt, without a replay. */
const hasWaitingCall = (records: readonly JournalRecord[]): boolean => {
  const retrying = new Set<string>();
  for (const record of records) {
    if (record.kind !== 'event') continue;
    const { event } = record;
    if (event.type === 'tool.retrying') retrying.add(`${event.path} ${event.callId}`);
    else if (event.type === 'tool.started' || event.type === 'tool.finished')
      retrying.delete(`${event.path} ${event.callId}`);
  }
  return retrying.size > 0 || openRequestsOf(records).some(({ kind }) => kind !== 'question');
};
