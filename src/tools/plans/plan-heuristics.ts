import type { Heuristic } from '../../contracts/agents/ending.ts';
import { nextStep, planIn, planStatus } from './plan-state.ts';

/**
 * Sends an answer back while the plan in the agent's state has open steps; for `bySupervisor`.
 *
 * @example
 * agent({ name: 'coder', tools: [plan, edit], reduce: ({ state, results }) => withPlan(state, results), stop: { ends: bySupervisor([unfinishedPlan]) } });
 */
export const unfinishedPlan: Heuristic = {
  name: 'unfinishedPlan',
  check: ({ state }) => {
    const plan = planIn(state);
    if (plan === undefined || planStatus(plan) === 'completed') return undefined;
    return `Your plan is not done: '${nextStep(plan)?.title ?? ''}' comes next. Go on, or mark what is done or no longer needed with the tool plan.`;
  },
};

/**
 * Asks once for a plan after a number of calls (default 5) without one; for `bySupervisor`.
 *
 * @example
 * bySupervisor([wantsPlan(3), unfinishedPlan])
 */
export const wantsPlan = (after = 5): Heuristic => ({
  name: 'wantsPlan',
  on: 'calls',
  check: ({ state, tally }) =>
    tally.toolCalls >= after && planIn(state) === undefined
      ? `You have made ${tally.toolCalls} calls without a plan. Make one with the tool plan, then go on.`
      : undefined,
});
