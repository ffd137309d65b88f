import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { toJson } from '../../base/json/json.ts';
import type { StepRecord } from '../../contracts/runs/run.ts';
import type { StepView } from './step-view.ts';
import { stepAfter, stepKeyOf, stepNamed } from './step-view.ts';
import type { TraceStep } from './trace-schema.ts';
import { TRACE_VERSION } from './trace-schema.ts';

/** Adds up what belongs to each step, and gives a line for it once it has ended. */
export class StepLines {
  readonly #open = new Map<string, StepView>();

  /** The line of the step that this event ends. */
  take(event: RuntimeEvent): TraceStep | undefined {
    const key = stepKeyOf(event);
    if (key === undefined) return undefined;
    const view = stepAfter(this.#open.get(key) ?? stepNamed(event), event);
    if (event.type !== 'step.ended') {
      // Of an end that never comes, nothing is to be kept but sums.
      if (view !== undefined) this.#open.set(key, view);
      return undefined;
    }
    this.#open.delete(key);
    return view === undefined ? undefined : stepLine(view, event.seq);
  }
}

/** A step that has ended as a line of `steps.jsonl`; undefined for one that has not. */
export const stepLine = (view: StepView, seq: number): TraceStep | undefined => {
  const { record, modelCalls, tokens, costUsd } = view;
  if (record === undefined) return undefined;
  return { ...lineOf(record), v: TRACE_VERSION, modelCalls, tokens, costUsd, seq };
};

const lineOf = ({ observation, decision, branch, results, critiques, diff, ...who }: StepRecord) => ({
  ...who,
  observation,
  decision: decision === undefined ? undefined : { ...decision },
  branch: branch === undefined ? undefined : toJson(branch),
  results: results.map((result) => ({ ...result })),
  critiques: critiques.map((critique) => ({ ...critique })),
  diff: Object.fromEntries(Object.entries(diff).map(([key, change]) => [key, toJson(change)])),
});
