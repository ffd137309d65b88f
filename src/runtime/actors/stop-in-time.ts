import type { LazyAbort } from '../../base/promises/lazy-abort.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { PersonTime } from '../people/person-time.ts';
import { outcomeOfFailure } from '../run/result.ts';

/** Reason of a stop by timeout. Recorded, and compared on replay. */
const OUT_OF_TIME = 'its time was up';

interface StopTriggers {
  readonly time: Pick<PersonTime, 'afterWork'>;
  readonly abort: LazyAbort;
  /** Time of its work: waits for people do not count. */
  readonly timeoutMs?: number | undefined;
}

/** Stops a child when its effect is cancelled or its time is up; returns a function that removes both triggers. */
export const stopInTime = (
  path: string,
  { time, abort, timeoutMs = Infinity }: StopTriggers,
  stop: (reason: string) => void,
): (() => void) => {
  const forget = abort.onAbort(() => {
    stop('the work that it was for was cancelled');
  });
  if (timeoutMs === Infinity) return forget;
  const stopTimer = time.afterWork(path, timeoutMs, () => {
    stop(OUT_OF_TIME);
  });
  return () => {
    forget();
    stopTimer();
  };
};

/** The outcome that the effect receives for a stopped child. */
export const stoppedOutcome = (name: string, reason: string, at: number): Outcome =>
  reason === OUT_OF_TIME
    ? outcomeOfFailure('agent.timeout', `Cannot finish '${name}' as ${reason}`, at)
    : outcomeOfFailure('run.aborted', `Cannot finish '${name}' as nobody waits for it any more`, at);
