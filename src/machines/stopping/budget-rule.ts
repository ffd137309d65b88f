import type { BudgetUse } from '../../contracts/runs/budget.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import type { StopRule } from '../../contracts/agents/stop-rule.ts';
import type { Tally } from '../../contracts/agents/tally.ts';

/** Updates the budgets in a tally, keeping an earlier refusal. */
export const withBudget = (tally: Tally, use: BudgetUse | undefined): Tally => {
  if (use === undefined) return tally;
  const spent = use.spent ?? tally.budget?.spent;
  return { ...tally, budget: spent === use.spent ? use : { ...use, spent } };
};

/** Kinds that every further step needs; tool calls are optional. */
const NEEDED = ['steps', 'tokens', 'usd'] as const;

/**
 * The budget that ends the run: one that refused something, or one without anything left for another step. Time is compared with `>`, as it
 * was with the last answer: only the run knows how much of what has passed since is a wait for a person, and has a timer for it.
 */
export const budgetEnd = ({ budget, now }: Tally): StopReason | undefined => {
  if (budget === undefined) return undefined;
  if (budget.spent !== undefined) return budget.spent;
  const { timeMs } = budget;
  const used = workedMs(budget, now);
  if (timeMs !== undefined && used > timeMs.limit) {
    const { limit, path } = timeMs;
    return { kind: 'budget', budget: 'timeMs', limit, used, path };
  }
  for (const kind of NEEDED) {
    const line = budget[kind];
    // A limit of 0 forbids work with a cost, and has refused it if it was requested.
    if (line === undefined || line.used === 0 || line.used < line.limit) continue;
    return { kind: 'budget', budget: kind, limit: line.limit, used: line.used, path: line.path };
  }
  return undefined;
};

/** The time that is used; in journals that say when it was read, all that has passed since counts, as it did then. */
const workedMs = ({ timeMs, at }: BudgetUse, now: number): number =>
  timeMs === undefined ? 0 : timeMs.used + (at === undefined ? 0 : now - at);

/** The budgets as a stop rule, for wrapping up before they are spent. */
export const budgetRule: StopRule = {
  name: 'budget',
  check: ({ tally }) => budgetEnd(tally),
  pressure: ({ tally }) => budgetPressure(tally),
};

/** The used share of the tightest budget, from 0; 1 if the next step is the last. The rule's `pressure`. */
const budgetPressure = ({ budget, now }: Tally): number => {
  if (budget === undefined) return 0;
  const { steps, tokens, usd, toolCalls } = budget;
  return Math.max(
    steps === undefined
      ? 0
      : Math.min(1, (steps.used + 1 >= steps.limit ? steps.limit : steps.used) / steps.limit),
    timeShare(budget, now) ?? 0,
    // A budget of 0 forbids work with a cost, and is no reason to wrap up.
    ...[tokens, usd, toolCalls].map((line) =>
      line === undefined || line.limit === 0 ? 0 : Math.min(1, line.fraction),
    ),
  );
};

/** The used part of the time, from 0 to 1; undefined without a limit. */
export const timeShare = (budget: BudgetUse, now: number): number | undefined =>
  budget.timeMs && share(workedMs(budget, now), budget.timeMs.limit);

const share = (used: number, limit: number): number => (limit === 0 ? 1 : Math.min(1, used / limit));
