import type { RuntimeEvent } from '../../contracts/events/event.ts';

/**
 * Checks for an event that a process also writes as it leaves a run: it withdraws requests and cancels calls for itself alone, on no record,
 * and the process that resumes the run gives these numbers to others. The next event tells which it is.
 */
export const isLeftBehind = (event: RuntimeEvent): boolean =>
  event.type === 'request.withdrawn' ||
  (event.type === 'tool.finished' && event.synthesised === true && event.error?.code === 'tool.cancelled');
