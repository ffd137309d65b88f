import { TroupeError } from '../../../contracts/errors/error.ts';

/** The reason for no longer waiting for a store. */
export type WhyHurried = 'it was aborted' | 'its time was up';

/** The error of a run that ended while its store did not answer. */
export const storeSilent = (runId: string, why: WhyHurried): TroupeError =>
  new TroupeError(
    'journal.failed',
    `Cannot record the end of run '${runId}' as its store does not answer: ${why} here, and the run continues from its journal when it is resumed`,
    { runId },
  );

/** The error of a run that ended before its store accepted it: nothing of it was executed. */
export const storeUnopened = (runId: string, why: WhyHurried): TroupeError =>
  new TroupeError(
    'journal.failed',
    `Cannot start run '${runId}' as its store does not answer: ${why} before it started`,
    { runId, retryable: 'maybe' },
  );

/** The error of a resume or fork that ended before its store answered. */
export const storeWithheld = (
  runId: string,
  why: WhyHurried,
  wanted: 'resume' | 'fork' = 'resume',
): TroupeError =>
  new TroupeError(
    'journal.failed',
    `Cannot ${wanted} run '${runId}' as its store does not answer: ${why} before the run was loaded`,
    { runId, retryable: 'maybe' },
  );
