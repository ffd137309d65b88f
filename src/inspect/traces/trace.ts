import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { StepView } from './step-view.ts';
import { stepsIn } from './step-view.ts';
import type { TraceAccount } from './trace-account.ts';
import { accountOf } from './trace-account.ts';
import type { TraceProblem } from './trace-problem.ts';

/** A run as its trace has it. */
export interface Trace {
  readonly account: TraceAccount;
  /** By their numbers, each once. */
  readonly events: readonly RuntimeEvent[];
  /** What each agent saw, decided and did, step by step, in the order in which the steps began. */
  readonly steps: readonly StepView[];
  /** What was wrong with its file, as far as it kept something from being read; see `checkTrace` for all. */
  readonly damage: readonly TraceProblem[];
}

/**
 * The trace of a run by its events alone, of a result, a stored run or a log: for whoever wants to look at it without files.
 *
 * Of a run whose last event is missing, the status is `interrupted`.
 *
 * @example
 * const { events } = await desk.run('How are retries configured?');
 * await writeFile('run.jsonl', traceText(traceOf(events)));
 */
export const traceOf = (events: readonly RuntimeEvent[]): Trace => ({
  account: accountOf(events, 'interrupted'),
  events,
  steps: stepsIn(events),
  damage: [],
});
