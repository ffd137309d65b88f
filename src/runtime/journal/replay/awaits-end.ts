import type { Arrived, Happened } from '../../../contracts/journal-record.ts';
import type { Scope } from '../write/scope.ts';

/**
 * Checks whether the end of a run that is over is its journal's to publish, as what was set up had to be released first. Where the
 * journal stops before that, `close` is called once it is gone through: what was set up is gone with its process.
 */
export const awaitsEnd = ({ rerun }: Scope, close: () => void): boolean => {
  if (rerun === undefined) return false;
  const told = rerun.rest.find(
    (record) =>
      record.kind !== 'began' && record.kind !== 'followed' && record.scope === undefined && tellsEnd(record),
  );
  if (told?.kind === 'event') return false;
  if (told === undefined)
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
