import { LONGEST_TIMER_MS, systemClock } from '../clock.ts';
import { releaseProcess } from '../release-process.ts';

/**
 * Makes a signal that is aborted after a time in ms; one beyond what timers hold (24.8 days) never comes.
 *
 * Its timer holds it: Node 20 loses an `AbortSignal.timeout` that only `AbortSignal.any` refers to when it collects garbage, and the work waits for ever.
 */
export const timeLimit = (ms: number): AbortSignal => {
  const controller = new AbortController();
  const abort = (): void =>
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  if (ms <= LONGEST_TIMER_MS) releaseProcess(systemClock.setTimeout(abort, ms));
  return controller.signal;
};
