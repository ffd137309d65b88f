import type { Recorder } from './stage.ts';

/** Does what somebody wants who looks on: he may do so in the midst of a job, and what comes of it is no part of that. */
export const aside = (journal: Pick<Recorder, 'aside'> | undefined, work: () => void): void => {
  if (journal === undefined) work();
  else journal.aside(work);
};
