import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Began, JournalRecord } from '../../../contracts/journals/journal-record.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';

/** Refuses to continue a run whose calls were judged where nobody would judge them. A run that is over makes no call. */
export const assertJudged = (
  { runId, judged }: Began,
  records: readonly JournalRecord[],
  { safety }: Pick<RunOptions, 'safety'>,
  verb: 'resume' | 'fork',
): void => {
  if (judged !== true || safety !== undefined || (verb === 'resume' && isOver(records))) return;
  const message = `Cannot ${verb} run '${runId}' as a safety strategy judged its calls, and none was given: pass its \`safety\`, such as the policy, again`;
  throw new TroupeError('policy.missing', message, { runId });
};

const isOver = (records: readonly JournalRecord[]): boolean =>
  records.findLast((record) => record.kind === 'event' && record.event.type === 'run.ended') !== undefined;
