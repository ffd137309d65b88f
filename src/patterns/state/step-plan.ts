import * as z from 'zod';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { RunStatus } from '../../contracts/runs/run-status.ts';
import { onDemand } from '../../base/on-demand.ts';
import { wordsOf } from '../../coordination/round/reply-text.ts';
import { saidJson, textOf } from '../../coordination/round/said-json.ts';

/** A task, and the executor that does it. */
export type PlannedStep = { readonly task: string; readonly executor: string };

/** A step that was carried out, or tried. */
export type StepResult = {
  readonly task: string;
  readonly member: string;
  readonly status: RunStatus;
  readonly output: Json;
  /** The reason for which it was not done; null if it was. */
  readonly error: string | null;
};

/** The progress of a plan. */
export type PlannerExecutorState = {
  /** Steps that are not begun; the first is next. */
  readonly plan: readonly PlannedStep[];
  /** Of all plans, in the order in which they were done or tried. */
  readonly results: readonly StepResult[];
  /** The number of new plans for the rest. */
  readonly replans: number;
};

/** The schema of a plan. */
export const stepPlanSchema = onDemand(() =>
  z.object({
    steps: z
      .array(
        z.object({
          task: z.string().describe('What to do.'),
          executor: z.string().nullable().describe('The name of an executor; null where there is only one.'),
        }),
      )
      .describe('In order: each is done when the one before is, and knows its result.'),
    answer: z.string().nullable().describe('The final answer; null while there is something to do.'),
  }),
);

/** A plan as it was read. */
export interface StepPlan {
  readonly steps: readonly PlannedStep[];
  readonly answer: string | null;
  /** The reason for which it cannot be carried out; null if it can. */
  readonly trouble: string | null;
}

/**
 * Reads a plan: steps as data, for executors that there are. Where there is only one, it need not be named.
 *
 * @example stepPlanOf('{"steps": ["look it up"]}', ['reader']).steps // => [{ task: 'look it up', executor: 'reader' }]
 */
export const stepPlanOf = (said: Json, executors: readonly string[]): StepPlan => {
  const data = saidJson(said);
  const given = isJsonObject(data) ? (data['steps'] ?? []) : data;
  const answer = isJsonObject(data) ? wordsOf(data['answer']) : null;
  if (!Array.isArray(given)) return unusable(`it is no plan: ${textOf(said).slice(0, 100)}`);
  const steps: PlannedStep[] = [];
  for (const step of given as readonly Json[]) {
    const { task, executor } = isJsonObject(step) ? step : { task: step, executor: null };
    const what = wordsOf(task);
    const who = wordsOf(executor) ?? (executors.length === 1 ? executors[0] : undefined);
    if (what === null) return unusable(`one of its steps says nothing: ${textOf(step).slice(0, 100)}`);
    if (who === undefined || !executors.includes(who))
      return unusable(
        `'${what}' is for ${who === undefined ? 'nobody' : `'${who}', who is not there`}: there are ${executors.join(', ')}`,
      );
    steps.push({ task: what, executor: who });
  }
  return { steps, answer, trouble: null };
};

const unusable = (trouble: string): StepPlan => ({ steps: [], answer: null, trouble });
