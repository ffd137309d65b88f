import type { FailureEntry } from '../../contracts/agents/recovery.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import { entryOf } from '../../machines/recovery/failure-report.ts';
import type { LazyLog } from '../log/lazy-log.ts';

/** Number of failures kept for the report. */
const MAX_FAILURES = 100;

/**
 * Adds the failures of memories to the report of an outcome, of those events from `since` on that are wanted. They end
 * nothing, so no machine knows of them: they are read from the events, which a replay repeats.
 */
export const withMemoryFailures = (
  outcome: Outcome,
  log: Pick<LazyLog, 'memoryFailures'>,
  isWanted: (event: { readonly path: string }) => boolean = () => true,
  since = 0,
): Outcome => {
  const found = log
    .memoryFailures(since)
    .filter(isWanted)
    .map(({ path, error }): FailureEntry => ({ path, ...entryOf(error, 0, 'skip') }));
  if (found.length === 0) return outcome;
  const { failures, omitted } = outcome.report ?? { failures: [], omitted: 0 };
  const kept = found.slice(-MAX_FAILURES);
  return {
    ...outcome,
    report: { failures: [...failures, ...kept], omitted: omitted + found.length - kept.length },
  };
};
