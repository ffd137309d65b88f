import { TroupeError } from '../../contracts/error.ts';

/** The error of a run that was aborted while its store did not answer. */
export const storeSilent = (runId: string): TroupeError =>
  new TroupeError(
    'journal.failed',
    `Cannot write how run '${runId}' ended as its store does not answer: it was aborted here, and goes on from its journal when it is resumed`,
    { runId },
  );
