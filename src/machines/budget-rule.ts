import type { BudgetUse } from '../contracts/budget.ts';
import type { StopReason, StopRule, Tally } from '../contracts/stop.ts';

/** A tally with how the budgets stand now; that something was refused is not forgotten. */
export const withBudget = (tally: Tally, use: BudgetUse | undefined): Tally => {
  if (use === undefined) return tally;
  const spent = use.spent ?? tally.budget?.spent;
  return { ...tally, budget: spent === use.spent ? use : { ...use, spent } };
};

/** Every further step would need more of these; tool calls it may do without. */
const NEEDED = ['steps', 'tokens', 'usd'] as const;

/** Finds the budget that ends the run: something was refused, or nothing is left for another step. Time is compared with `>`. */
export const budgetEnd = ({ budget, now }: Tally): StopReason | undefined => {
  if (budget === undefined) return undefined;
  if (budget.spent !== undefined) return budget.spent;
  const { timeMs, at } = budget;
  if (timeMs !== undefined && timeMs.used + now - at > timeMs.limit) {
    const { limit, path } = timeMs;
    return { kind: 'budget', budget: 'timeMs', limit, used: timeMs.used + now - at, path };
  }
  for (const kind of NEEDED) {
    const line = budget[kind];
    // A limit of 0 forbids what costs something, which has been refused if it was wanted.
    if (line === undefined || line.used === 0 || line.used < line.limit) continue;
    return { kind: 'budget', budget: kind, limit: line.limit, used: line.used, path: line.path };
  }
  return undefined;
};

/** The budgets as a rule: an agent that wraps up does so before they are spent, too. */
export const budgetRule: StopRule = {
  name: 'budget',
  check: ({ tally }) => budgetEnd(tally),
  pressure: ({ tally }) => budgetPressure(tally),
};

/** The part of the tightest budget that is used, from 0; 1 where the step to come is the last. A rule's `pressure`. */
const budgetPressure = ({ budget, now }: Tally): number => {
  if (budget === undefined) return 0;
  const { steps, timeMs, tokens, usd, toolCalls, at } = budget;
  return Math.max(
    steps === undefined
      ? 0
      : Math.min(1, (steps.used + 1 >= steps.limit ? steps.limit : steps.used) / steps.limit),
    timeMs === undefined ? 0 : share(timeMs.used + now - at, timeMs.limit),
    // A budget of 0 forbids what costs something, and is no reason to hurry.
    ...[tokens, usd, toolCalls].map((line) =>
      line === undefined || line.limit === 0 ? 0 : Math.min(1, line.fraction),
    ),
  );
};

const share = (used: number, limit: number): number => (limit === 0 ? 1 : Math.min(1, used / limit));
