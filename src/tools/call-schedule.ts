import type { ToolCall } from '../contracts/tool.ts';

/** Calls of one step under way at the same time, where nothing else is said. */
export const DEFAULT_TOOL_CONCURRENCY = 4;

/** Where a call stands. */
export type CallState = 'waiting' | 'running' | 'done';

/**
 * The calls of one step as plain JSON: which run alone, how many may run at once, where each stands.
 *
 * A call is its index; results are kept by index, which is why they come out in call order.
 */
export interface CallPlan {
  readonly exclusive: readonly boolean[];
  readonly states: readonly CallState[];
  readonly cap: number;
}

/**
 * Plans the calls of a step, none of them started.
 *
 * @example
 * const plan = planCalls([false, false, true, false]);
 * startable(plan) // => [0, 1]: the third runs alone, the fourth after it
 */
export const planCalls = (exclusive: readonly boolean[], cap = DEFAULT_TOOL_CONCURRENCY): CallPlan => ({
  exclusive,
  states: exclusive.map(() => 'waiting'),
  // Less than one would never get done.
  cap: Math.max(1, Math.floor(cap) || 1),
});

/**
 * The calls to start now, in call order; none of them is started by asking.
 *
 * An exclusive call is a barrier: it starts when all before it are done, and nothing after it starts before it is.
 */
export const startable = ({ exclusive, states, cap }: CallPlan): number[] => {
  const found: number[] = [];
  let underWay = 0;
  for (const state of states) if (state === 'running') underWay += 1;
  let isAllDone = true;
  for (let index = 0; index < states.length; index += 1) {
    const state = states[index];
    if (state === 'done') continue;
    if (exclusive[index] === true) {
      if (isAllDone && state === 'waiting') found.push(index);
      break;
    }
    isAllDone = false;
    if (state === 'running') continue;
    if (underWay >= cap) break;
    underWay += 1;
    found.push(index);
  }
  return found;
};

/** The plan after these calls were started. */
export const started = (plan: CallPlan, indexes: readonly number[]): CallPlan =>
  marked(plan, indexes, 'running');

/** The plan after this call came to an end, however it ended. */
export const finished = (plan: CallPlan, index: number): CallPlan => marked(plan, [index], 'done');

/** The plan with all that has not started given up: what "fail fast" does after a failure. */
export const givenUp = (plan: CallPlan): CallPlan => ({
  ...plan,
  states: plan.states.map((state) => (state === 'waiting' ? 'done' : state)),
});

/** Whether every call came to an end. */
export const isDone = (plan: CallPlan): boolean => plan.states.every((state) => state === 'done');

const marked = (plan: CallPlan, indexes: readonly number[], state: CallState): CallPlan => {
  const states = [...plan.states];
  for (const index of indexes) if (index in states) states[index] = state;
  return { ...plan, states };
};

/**
 * Gives the calls of a step ids of our own: models repeat theirs, within one answer and across steps.
 *
 * @example
 * numberCalls([{ name: 'add', input: {} }], 2)[0]?.id // => 'call_2_0'
 */
export const numberCalls = (calls: readonly Omit<ToolCall, 'id'>[], step: number): ToolCall[] =>
  calls.map((call, index) => ({ ...call, id: `call_${step}_${index}` }));
