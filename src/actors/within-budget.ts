import type { BudgetSpent } from '../contracts/runs/budget.ts';
import type { Acted, Decided, Prepared } from '../machines/agent/agent-context.ts';
import type { Ask } from '../machines/asks.ts';
import { roundOf } from '../machines/recovery/recovery.ts';
import type { BudgetAccount } from '../policy/budget-account.ts';
import type { Desk } from './desk.ts';
import { andThen } from '../base/promises/thenable.ts';

/** Executes an effect within the budgets; its answer contains their state afterwards. */
export const withinBudget = (
  ask: Ask,
  desk: Desk,
  account: BudgetAccount,
  work: (ask: Ask, desk: Desk) => unknown,
): unknown => {
  const stamp = (answer: unknown): unknown => {
    if (!isOurs(answer)) return answer;
    return { ...answer, budget: account.use(pathOf(ask), spentLimitOf(answer)) };
  };
  switch (ask.port) {
    case 'decide': {
      // A retried step is charged once.
      const stopReason = roundOf(ask.input) === undefined ? desk.take('steps') : undefined;
      return stopReason === undefined
        ? andThen(work(ask, desk), stamp)
        : stamp({ kind: 'spent', stopReason, isUnbegun: true } satisfies Decided);
    }
    case 'prepare':
    case 'act':
    case 'tool':
    case 'model':
      return andThen(work(ask, desk), stamp);
    default:
      return work(ask, desk);
  }
};

type Answer = (Exclude<Decided | Acted, { kind: 'trouble' }> | Prepared) & { readonly budget?: unknown };

/** The answers of these ports; trouble is not an answer yet. */
const isOurs = (answer: unknown): answer is Answer =>
  typeof answer === 'object' && answer !== null && !('kind' in answer && answer.kind === 'trouble');

const spentLimitOf = (answer: Answer): BudgetSpent | undefined => {
  if (!('kind' in answer)) return undefined;
  if (answer.kind === 'spent') return answer.stopReason;
  return answer.kind === 'result' ? answer.spent : undefined;
};

/** The agent's address, also if a call actor performs the effect. */
const pathOf = (ask: Ask): string => {
  if (ask.port === 'act' || ask.port === 'tool' || ask.port === 'model') return ask.input.context.run.path;
  return ask.path;
};
