import type { ExaminedRun } from '../../contracts/tasks/evaluator.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { StoredRun } from '../../runtime/journal/replay/read-stored-run.ts';

/**
 * Reads from the journal of a run what evaluators look at. The code of its agents is not needed, and nothing is asked or executed.
 *
 * @throws {TroupeError} `journal.corrupt` for a damaged one, `input.invalid` for a run that has not ended.
 */
export const examinedRun = ({ entry, events, damage }: StoredRun): ExaminedRun => {
  if (damage !== undefined) throw damage;
  const { runId, status } = entry;
  const [started] = events;
  const ended = events.findLast((event) => event.type === 'run.ended');
  if (ended?.type !== 'run.ended' || started?.type !== 'run.started')
    throw new TroupeError(
      'input.invalid',
      `Cannot grade run '${runId}' as it has not ended: it is ${status}`,
      {
        runId,
      },
    );
  const { stopReason, output, error, totals, path } = ended;
  return {
    runId,
    ...(started.task === undefined ? {} : { task: started.task }),
    status: ended.status,
    output,
    stopReason,
    error,
    records: events.flatMap((event) =>
      event.type === 'step.ended' && event.path === path ? [event.record] : [],
    ),
    events,
    totals,
  };
};
