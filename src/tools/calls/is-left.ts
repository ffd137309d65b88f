import { isTroupeError } from '../../contracts/errors/error.ts';

/** Checks whether a call was aborted as its run is not kept here any more, and may continue elsewhere. */
export const isLeft = (reason: unknown): boolean =>
  isTroupeError(reason) && (reason.code === 'run.suspended' || reason.code.startsWith('journal.'));
