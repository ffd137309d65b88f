import { TroupeError } from '../../../contracts/errors/error.ts';

/** Advice to callers that meet a full or a closing server, in ms. */
const RETRY_MS = 1_000;

/** The error for a run that there is not, or that is another tenant's. */
export const unknownRun = (): TroupeError =>
  new TroupeError('journal.unknown', 'Cannot find the run as there is none of that id');

/** The error for a run that is over. */
export const endedRun = (runId: string): TroupeError =>
  new TroupeError('run.ended', 'Cannot reach the run as it is over', { runId });

/** The error for a run that is in another store by now. */
export const movedRun = (runId: string): TroupeError =>
  new TroupeError('journal.moved', 'Cannot reach the run as it was moved to another store', { runId });

/** The error of a server that takes no more runs. */
export const drainingError = (): TroupeError =>
  new TroupeError('engine.closed', 'Cannot do that as the server is shutting down', {
    retryable: 'yes',
    retryAfterMs: RETRY_MS,
  });

/** The error of a server that has as many runs as it takes. */
export const fullError = (most: number): TroupeError =>
  new TroupeError('engine.full', `Cannot start a run as ${most} are under way`, {
    retryable: 'yes',
    retryAfterMs: RETRY_MS,
  });

/** The error for a run that this server leaves to others. */
export const heldElsewhere = (runId: string): TroupeError =>
  new TroupeError('journal.held', 'Cannot do that here as other processes execute the runs of this server', {
    runId,
  });

/** The error of a server that executes no runs. */
export const leftToOthers = (what: string): TroupeError =>
  new TroupeError(
    'engine.invalid',
    `Cannot ${what} as this server executes none: ask one that does, or use the command line`,
  );

/** The error of a server without a store. */
export const storeMissing = (what: string): TroupeError =>
  new TroupeError('engine.invalid', `Cannot ${what} as this server has no store`);
