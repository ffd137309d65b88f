import type { Allotment, Budget, BudgetKind } from '../contracts/budget.ts';
import { budgetKinds } from '../contracts/budget.ts';
import type { ErrorCode } from '../contracts/error.ts';
import { foundText } from '../contracts/found-text.ts';
import { TroupeError } from '../contracts/error.ts';
import type { BudgetAccount } from './budget-account.ts';
import type { BudgetLimits } from './budget-limits.ts';
import { budgetLimits } from './budget-limits.ts';

/** A part of a budget, checked: amounts, or a share. */
export const checkAllotment = (
  part: Allotment | undefined,
  { code, owner }: { readonly code: ErrorCode; readonly owner: string },
): void => {
  if (part === undefined) return;
  if (!isShare(part)) {
    budgetLimits(part, { code, owner });
    return;
  }
  if (typeof part.share === 'number' && part.share > 0 && part.share <= 1) return;
  throw new TroupeError(
    code,
    `Cannot define ${owner} as its share of a budget is no number above 0 and at most 1: ${foundText(part.share)}`,
  );
};

/** The limits of a child: its own, and those of the part that it was given, whichever is tighter. */
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

/** Of each limit that holds for the giver; a share of a step is one, as nobody can do with less. */
const shareOf = (share: number, above: BudgetAccount | undefined): Budget => {
  const parts: Partial<Record<BudgetKind, number>> = {};
  for (const kind of budgetKinds) {
    const part = (above?.limitFor(kind) ?? Infinity) * share;
    if (part !== Infinity)
      parts[kind] = WHOLE[kind] === undefined ? part : Math.max(WHOLE[kind], Math.floor(part));
  }
  return parts;
};

/** Kinds that are counted, and the least that there can be of them. */
const WHOLE: Readonly<Partial<Record<BudgetKind, number>>> = { steps: 1, tokens: 1, toolCalls: 0 };
