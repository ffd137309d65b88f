import type { Arrived, Happened } from '../../../contracts/journals/journal-record.ts';
import type { Scope } from '../write/scope.ts';

/**
 * Checks whether a run that is over leaves publishing its end to the journal, because resources had to be released first. Where the journal
 * stops before that, calls `close` after the replay: the resources are gone with their process.
 */
export const awaitsEnd = ({ rerun }: Scope, close: () => void): boolean => {
  if (rerun === undefined) return false;
  const recordedEnd = rerun.rest.find(
    (record) =>
      record.kind !== 'began' && record.kind !== 'followed' && record.scope === undefined && tellsEnd(record),
  );
  if (recordedEnd?.kind === 'event') return false;
  // A replay that waits for records waits for those of the end, too.
  if (recordedEnd === undefined && rerun.ahead === undefined)
    rerun.jobs.push({
      work: close,
      leave: () => {
        queueMicrotask(close);
      },
    });
  return true;
};

const tellsEnd = (record: Happened | Arrived): boolean =>
  record.kind === 'event' ? record.event.type === 'run.ended' : record.arrival.type === 'closed';
