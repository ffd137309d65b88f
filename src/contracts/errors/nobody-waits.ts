import { TroupeError } from './error.ts';

/** The error of work whose result has no reader any more. */
export const nobodyWaits = (doing: string): TroupeError =>
  new TroupeError('run.aborted', `Cannot ${doing} as nobody waits for it any more`);
