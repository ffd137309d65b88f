import type { Budget, BudgetKind } from '../contracts/runs/budget.ts';
import { budgetKinds } from '../contracts/runs/budget.ts';
import type { ErrorCode } from '../contracts/errors/error-data.ts';
import { checkOptions } from '../contracts/errors/check-options.ts';
import { onDemand } from '../base/on-demand.ts';
import { optionsSchema } from '../base/schemas/option-schemas.ts';
import { budgetSchema } from './budget-schema.ts';

/** A validated budget: finite limits only, with defaults. */
export interface BudgetLimits extends Readonly<Partial<Record<BudgetKind, number>>> {
  readonly warnAt: number;
  readonly unpriced: 'refuse' | 'ignore';
}

const DEFAULT_WARN_AT = 0.8;

const givenSchema = onDemand(() => optionsSchema<{ readonly budget: Budget }>({ budget: budgetSchema() }));

/**
 * The limits of a budget; undefined if it limits nothing.
 *
 * @example
 * budgetLimits({ tokens: 1_000, steps: Infinity }, { code: 'agent.invalid', owner: `the agent 'a'` })
 * // => { tokens: 1000, warnAt: 0.8, unpriced: 'refuse' }
 *
 * @throws {TroupeError} of the code given, for what is no limit: NaN, a part of a step, less than there can be.
 */
export const budgetLimits = (
  budget: Budget | undefined,
  { code, owner }: { readonly code: ErrorCode; readonly owner: string },
): BudgetLimits | undefined => {
  if (budget === undefined) return undefined;
  checkOptions(givenSchema(), { budget }, { code, owner });
  const { warnAt = DEFAULT_WARN_AT, unpriced = 'refuse' } = budget;
  const limits: Partial<Record<BudgetKind, number>> = {};
  for (const kind of budgetKinds) {
    const limit = budget[kind];
    // Dropped, as nothing has to be counted, and Infinity does not survive as JSON in a tally.
    if (limit !== undefined && limit !== Infinity) limits[kind] = limit;
  }
  return Object.keys(limits).length === 0 ? undefined : { ...limits, warnAt, unpriced };
};

/** Merges two budgets: the limits of `over` win, and `Infinity` lifts a limit. */
export const overriding = (base: Budget | undefined, over: Budget | undefined): Budget | undefined => {
  if (base === undefined || over === undefined) return over ?? base;
  const set = Object.fromEntries(Object.entries(over).filter(([, value]) => value !== undefined));
  return { ...base, ...set };
};
