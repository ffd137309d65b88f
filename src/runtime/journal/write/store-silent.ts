import { TroupeError } from '../../../contracts/error.ts';

/** Why a store is not waited for any longer. */
export type WhyHurried = 'it was aborted' | 'its time was up';

/** The error of a run that had to end while its store did not answer. */
export const storeSilent = (runId: string, why: WhyHurried): TroupeError =>
  new TroupeError(
    'journal.failed',
    `Cannot write how run '${runId}' ended as its store does not answer: ${why} here, and it goes on from its journal when it is resumed`,
    { runId },
  );

/** The error of a run that had to end before its store had taken it in: nothing of it was done. */
export const storeUnopened = (runId: string, why: WhyHurried): TroupeError =>
  new TroupeError(
    'journal.failed',
    `Cannot begin run '${runId}' as its store does not answer: ${why} before it began`,
    { runId, retryable: 'maybe' },
  );

/** The error of a run that nobody waits for any more before its store has given it, to be resumed or forked. */
export const storeWithheld = (
  runId: string,
  why: WhyHurried,
  wanted: 'resume' | 'fork' = 'resume',
): TroupeError =>
  new TroupeError(
    'journal.failed',
    `Cannot ${wanted} run '${runId}' as its store does not answer: ${why} before the store gave it`,
    { runId, retryable: 'maybe' },
  );
