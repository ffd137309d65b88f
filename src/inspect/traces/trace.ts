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
  /** Observations, decisions and actions of each agent, step by step, in the order in which the steps started. */
  readonly steps: readonly StepView[];
  /**
   * The resumptions of the run by another process, as its log tells them: the time, and the number of the first event after it. Absent
   * without any.
   */
  readonly resumed?: readonly { readonly seq: number; readonly at: number }[] | undefined;
  /** Problems of its file, as far as they kept something from being read; see `checkTrace` for all. */
  readonly damage: readonly TraceProblem[];
}

/**
 * The trace of a run by its events alone, of a result, a stored run or a log: without files.
 *
 * Of a run whose last event is missing, the status is `interrupted`.
 *
 * @example
 * const { events } = await desk.run('How are retries configured?');
 * await writeFile('run.jsonl', await formatTrace(traceOf(events), { as: 'trace' }));
 */
export const traceOf = (events: readonly RuntimeEvent[]): Trace => ({
  account: accountOf(events, 'interrupted'),
  events,
  steps: stepsIn(events),
  damage: [],
});
