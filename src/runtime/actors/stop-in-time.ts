import type { Clock } from '../../contracts/clock.ts';
import type { LazyAbort } from '../../contracts/lazy-abort.ts';
import type { Outcome } from '../../contracts/run.ts';
import { outcomeOfFailure } from '../run/result.ts';

/** Why a child was stopped whose time was up: on record, as whoever goes through it again is told the same. */
const OUT_OF_TIME = 'its time was up';

/** Stops a child when nobody waits for it any more, or its time is up; gives what takes that back. */
export const stopInTime = (
  { clock, abort, timeoutMs = Infinity }: { clock: Clock; abort: LazyAbort; timeoutMs?: number | undefined },
  stop: (reason: string) => void,
): (() => void) => {
  const forget = abort.onAbort(() => {
    stop('the work that it was for was called off');
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

/** What whoever awaits a child is told that was stopped from outside. */
export const stoppedOutcome = (name: string, reason: string, at: number): Outcome =>
  reason === OUT_OF_TIME
    ? outcomeOfFailure('agent.timeout', `Cannot finish '${name}' as ${reason}`, at)
    : outcomeOfFailure('run.aborted', `Cannot finish '${name}' as nobody waits for it any more`, at);
