import type { Clock } from '../../base/clock.ts';
import type { LazyAbort } from '../../base/promises/lazy-abort.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import { outcomeOfFailure } from '../run/result.ts';

/** Reason of a stop by timeout. Recorded, and compared on replay. */
const OUT_OF_TIME = 'its time was up';

/** Stops a child when its effect is cancelled or its time is up; returns a function that removes both triggers. */
export const stopInTime = (
  { clock, abort, timeoutMs = Infinity }: { clock: Clock; abort: LazyAbort; timeoutMs?: number | undefined },
  stop: (reason: string) => void,
): (() => void) => {
  const forget = abort.onAbort(() => {
    stop('the work that it was for was cancelled');
  });
  if (timeoutMs === Infinity) return forget;
  const timer = clock.setTimeout(() => {
    stop(OUT_OF_TIME);
  }, timeoutMs);
  return () => {
    forget();
    clock.clearTimeout(timer);
  };
};

/** The outcome that the effect receives for a stopped child. */
export const stoppedOutcome = (name: string, reason: string, at: number): Outcome =>
  reason === OUT_OF_TIME
    ? outcomeOfFailure('agent.timeout', `Cannot finish '${name}' as ${reason}`, at)
    : outcomeOfFailure('run.aborted', `Cannot finish '${name}' as nobody waits for it any more`, at);
