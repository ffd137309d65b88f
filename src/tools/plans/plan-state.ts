import * as z from 'zod';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { onDemand } from '../../base/on-demand.ts';
import { schemaOnDemand } from '../../base/schemas/schema-on-demand.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';

/** The status of a step. */
const stepStatus = onDemand(() => z.enum(['pending', 'active', 'done', 'skipped']));

/** See {@link planSchema}. */
const planStepSchema = onDemand(() =>
  z.object({
    title: z.string().trim().min(1, 'a step needs a title'),
    status: stepStatus().default('pending'),
  }),
);

/** A plan as a model writes it: three to six steps, and risks. */
export const planInputSchema = onDemand(() =>
  z.object({
    steps: z.array(planStepSchema()).min(3, 'a plan has 3 to 6 steps').max(6, 'a plan has 3 to 6 steps'),
    risks: z.array(z.string().trim().min(1)).default([]),
  }),
);

/** See {@link planInputSchema}. */
export type PlanInput = z.output<ReturnType<typeof planInputSchema>>;

/** A plan as part of an agent's state. `revision` counts from 1; `cursor` is the first step that is not over. */
export const planSchema = schemaOnDemand(() =>
  planInputSchema().extend({
    revision: z.number().int().positive(),
    cursor: z.number().int().nonnegative(),
  }),
);

/** See {@link planSchema}. */
export type Plan = z.output<typeof planSchema>;

/** One step of a plan. */
export type PlanStep = Plan['steps'][number];

/** The status of a whole plan. */
export type PlanStatus = 'idle' | 'executing' | 'completed';

const isOver = ({ status }: PlanStep): boolean => status === 'done' || status === 'skipped';

/** Builds the next revision of a plan. Pure. */
export const revisedPlan = (said: PlanInput, before?: Plan): Plan => ({
  ...said,
  revision: (before?.revision ?? 0) + 1,
  cursor: firstOpen(said.steps),
});

/** Returns the status: `idle` before the first step has started, `completed` once every step is done or skipped. */
export const planStatus = ({ steps }: Plan): PlanStatus => {
  if (steps.every(isOver)) return 'completed';
  return steps.every(({ status }) => status === 'pending') ? 'idle' : 'executing';
};

/** Returns the next step; undefined if none is left. */
export const nextStep = ({ steps, cursor }: Plan): PlanStep | undefined => steps[cursor];

/**
 * Changes the status of one step (from 0), and moves the cursor to the first unfinished one.
 *
 * @throws `tool.input-invalid` for an unknown step.
 */
export const markStep = (plan: Plan, index: number, status: PlanStep['status']): Plan => {
  const step = plan.steps[index];
  if (!Number.isInteger(index) || index < 0 || step === undefined)
    throw new TroupeError(
      'tool.input-invalid',
      `Cannot mark step ${index} as the plan has the steps 0 to ${plan.steps.length - 1}`,
    );
  const steps = plan.steps.with(index, { ...step, status });
  return { ...plan, steps, cursor: firstOpen(steps) };
};

const firstOpen = (steps: readonly PlanStep[]): number => {
  const index = steps.findIndex((step) => !isOver(step));
  return index < 0 ? steps.length : index;
};

/** Returns the plan in an agent's state; undefined if there is none. */
export const planIn = (state: Json): Plan | undefined => {
  const parsed = planSchema.safeParse(isJsonObject(state) ? state['plan'] : undefined);
  return parsed.success ? parsed.data : undefined;
};

/** The name of the tool whose results change the plan. */
export const PLAN_TOOL = 'plan';

/** Updates the state after a step: its `plan` is the plan tool's latest input. Pure; for an agent's `reduce`. */
export const withPlan = (state: Json, results: readonly ToolResult[]): Json => {
  const said = results.findLast((result) => result.ok && result.tool === PLAN_TOOL);
  if (said?.ok !== true) return state;
  const parsed = planInputSchema().safeParse(said.value);
  if (!parsed.success) return state;
  const base: JsonObject = isJsonObject(state) ? state : {};
  return { ...base, plan: revisedPlan(parsed.data, planIn(state)) };
};
