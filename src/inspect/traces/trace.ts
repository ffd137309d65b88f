import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { StepLines } from './step-line.ts';
import { TraceAccount } from './trace-account.ts';
import type { RunAccount } from './trace-account.ts';
import type { TraceProblem } from './trace-problem.ts';
import type { TraceManifest, TraceStep } from './trace-schema.ts';

/** What there is to know of a run whose files may be missing: that of its manifest which follows from the events. */
export type TraceFacts = RunAccount & Partial<TraceManifest>;

/** A run as its trace has it. */
export interface Trace {
  /** Where it was read; absent where it was made of events. */
  readonly folder?: string | undefined;
  readonly manifest: TraceFacts;
  /** By their numbers, each once. */
  readonly events: readonly RuntimeEvent[];
  readonly steps: readonly TraceStep[];
  /** What was wrong with its files, as far as it kept something from being read; see `checkTrace` for all. */
  readonly damage: readonly TraceProblem[];
}

/**
 * The trace of a run by its events alone, of a result, a stored run or a log: for whoever wants to look at it without files.
 *
 * Of a run whose last event is missing, the status is `interrupted`.
 *
 * @example
 * const { events } = await desk.run('How are retries configured?');
 * await writeFile('run.html', traceAsHtml(traceOf(events)));
 */
export const traceOf = (events: readonly RuntimeEvent[]): Trace => {
  const account = new TraceAccount();
  const lines = new StepLines();
  const steps: TraceStep[] = [];
  for (const event of events) {
    account.take(event);
    const step = lines.take(event);
    if (step !== undefined) steps.push(step);
  }
  return { manifest: account.told(events[0]?.runId ?? '', 'interrupted'), events, steps, damage: [] };
};
