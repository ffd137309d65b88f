import { TroupeError } from '../../contracts/errors/error.ts';
import type { Run } from './run.ts';

/** Default grace period for work in progress, in ms. */
export const SUSPEND_MS = 10_000;

/**
 * Suspends a stored run in this process: work in progress may finish, everything is committed, and the run continues when it is resumed.
 */
export const suspend = async (run: Run, withinMs: number): Promise<void> => {
  const { journal, gate, clock, runId } = run;
  if (run.isOver)
    throw new TroupeError('run.ended', `Cannot suspend run '${runId}' as it is over`, { runId });
  if (!journal.keeps) {
    const message = `Cannot suspend run '${runId}' as it has no store: it could not be resumed`;
    throw new TroupeError('journal.unknown', message, { runId });
  }
  // No event, as nothing happens in the run itself.
  gate.pause();
  let timer: unknown;
  const late = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, withinMs);
  });
  await Promise.race([gate.whenQuiet(), late]);
  clock.clearTimeout(timer);
  await journal.leave(
    new TroupeError('run.suspended', `Run '${runId}' continues when it is resumed`, { runId }),
  );
};
