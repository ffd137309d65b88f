import type { Allotment, Budget, BudgetKind } from '../contracts/runs/budget.ts';
import { budgetKinds } from '../contracts/runs/budget.ts';
import type { ErrorCode } from '../contracts/errors/error-data.ts';
import { checkOptions } from '../contracts/errors/check-options.ts';
import { onDemand } from '../base/on-demand.ts';
import { optionsSchema } from '../base/schemas/option-schemas.ts';
import { allotmentSchema } from './budget-schema.ts';
import type { BudgetAccount } from './budget-account.ts';
import type { BudgetLimits } from './budget-limits.ts';
import { budgetLimits } from './budget-limits.ts';

const givenSchema = onDemand(() =>
  optionsSchema<{ readonly budget: Allotment }>({ budget: allotmentSchema() }),
);

/** Validates a part of a budget: amounts, or a share. */
export const checkAllotment = (
  part: Allotment | undefined,
  { code, owner }: { readonly code: ErrorCode; readonly owner: string },
): void => {
  if (part !== undefined) checkOptions(givenSchema(), { budget: part }, { code, owner });
};

/** The limits of a child: the tighter of its own and its part's. */
export const allottedLimits = (
  own: BudgetLimits | undefined,
  part: Allotment | undefined,
  above: BudgetAccount | undefined,
  owner: string,
): BudgetLimits | undefined => {
  if (part === undefined) return own;
  const code = 'budget.invalid';
  const given = isShare(part) ? shareOf(part.share, above) : part;
  const limits = budgetLimits(given, { code, owner });
  if (limits === undefined || own === undefined) return limits ?? own;
  const tighter = budgetKinds.flatMap((kind) => {
    const limit = Math.min(own[kind] ?? Infinity, limits[kind] ?? Infinity);
    return limit === Infinity ? [] : [[kind, limit] as const];
  });
  return { ...own, ...Object.fromEntries(tighter) };
};

const isShare = (part: Allotment): part is { readonly share: number } =>
  typeof part === 'object' && part !== null && 'share' in part;

/** The share of each of the giver's limits; at least one step, as no agent can do with less. */
const shareOf = (share: number, above: BudgetAccount | undefined): Budget => {
  const parts: Partial<Record<BudgetKind, number>> = {};
  for (const kind of budgetKinds) {
    const part = (above?.limitFor(kind) ?? Infinity) * share;
    if (part !== Infinity)
      parts[kind] = WHOLE[kind] === undefined ? part : Math.max(WHOLE[kind], Math.floor(part));
  }
  return parts;
};

/** Kinds that are integers, and their minimum. */
const WHOLE: Readonly<Partial<Record<BudgetKind, number>>> = { steps: 1, tokens: 1, toolCalls: 0 };
