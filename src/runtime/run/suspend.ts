import { TroupeError } from '../../contracts/error.ts';
import type { Run } from './run.ts';

/** The time that what is under way may take to finish, in ms, where nobody said. */
export const SUSPEND_MS = 10_000;

/** Stops a stored run here: what is under way finishes, all is written, and whoever resumes it goes on. */
export const suspend = async (run: Run, withinMs: number): Promise<void> => {
  const { journal, gate, clock, runId } = run;
  if (run.isOver)
    throw new TroupeError('run.ended', `Cannot suspend run '${runId}' as it is over`, { runId });
  if (!journal.keeps) {
    const message = `Cannot suspend run '${runId}' as it is kept in no store: it could not be resumed`;
    throw new TroupeError('journal.unknown', message, { runId });
  }
  // Not an event: of the run itself, nothing happens.
  gate.pause();
  let timer: unknown;
  const late = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, withinMs);
  });
  await Promise.race([gate.whenQuiet(), late]);
  clock.clearTimeout(timer);
  await journal.leave(
    new TroupeError('run.suspended', `Run '${runId}' goes on when it is resumed`, { runId }),
  );
};
