import { TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalRecord } from '../../../contracts/journals/journal-record.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import type { Definition } from '../../define/definition.ts';
import { openRequestsOf } from '../letters/requests.ts';
import type { AcquiredRun } from '../resume/stored-run.ts';
import type { UnfitCall } from './open-calls.ts';
import { missingCalls } from './open-calls.ts';
import { replayToEnd } from './replayed-run.ts';

/**
 * Refuses to resume a run with a call that waits, for a person or its next attempt, whose tool is gone: its result would be that there is no such
 * tool, for good. The lease of the run is then released.
 *
 * @throws (rejects with) {TroupeError} `tool.missing`; {@link DeterminismError}
 */
export const assertCallsKept = async (
  definition: Definition,
  { store, lease, ...journal }: AcquiredRun,
  { context, model }: RunOptions,
): Promise<void> => {
  if (!hasWaitingCall(journal.records)) return;
  try {
    // Looked at without the observers of the run.
    const [missing] = missingCalls(replayToEnd(definition, journal, { context, model }));
    if (missing !== undefined) throw missingError(journal.began.runId, missing);
  } catch (thrown) {
    await store.release(lease);
    throw thrown;
  }
};

const missingError = (runId: string, { tool, path }: UnfitCall): TroupeError =>
  new TroupeError(
    'tool.missing',
    `Cannot resume run '${runId}' as a call of '${path}' waits whose tool '${tool}' is missing. The run is held; resume it with an agent that has the tool`,
    { runId, tool, path },
  );

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
