import type { Budget, BudgetKind } from '../contracts/budget.ts';
import { budgetKinds } from '../contracts/budget.ts';
import type { ErrorCode } from '../contracts/error.ts';
import { foundText } from '../contracts/found-text.ts';
import { TroupeError } from '../contracts/error.ts';

/** A checked budget: finite limits only, defaults filled in. */
export interface BudgetLimits extends Readonly<Partial<Record<BudgetKind, number>>> {
  readonly warnAt: number;
  readonly unpriced: 'refuse' | 'ignore';
}

const DEFAULT_WARN_AT = 0.8;

/**
 * The limits of a budget; undefined where it limits nothing.
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
  const refuse = (option: string, wanted: string, found: unknown): TroupeError =>
    new TroupeError(code, `Cannot define ${owner} as its ${option} is no ${wanted}: ${foundText(found)}`);
  if (typeof budget !== 'object' || budget === null) throw refuse('budget', 'object', budget);
  for (const option of Object.keys(budget))
    if (!OPTIONS.has(option)) throw refuse(`budget.${option}`, 'limit that there is', option);
  const { warnAt = DEFAULT_WARN_AT, unpriced = 'refuse' } = budget;
  if (!(typeof warnAt === 'number' && warnAt > 0 && warnAt <= 1))
    throw refuse('budget.warnAt', 'number above 0 and at most 1', warnAt);
  if (unpriced !== 'refuse' && unpriced !== 'ignore')
    throw refuse('budget.unpriced', "'refuse' or 'ignore'", unpriced);
  const limits: Partial<Record<BudgetKind, number>> = {};
  for (const kind of budgetKinds) {
    const limit = budget[kind];
    if (limit === undefined) continue;
    if (!isLimit(kind, limit)) throw refuse(`budget.${kind}`, WANTED[kind], limit);
    // Without a limit nothing has to be counted; and Infinity does not survive as JSON, which a tally is.
    if (limit !== Infinity) limits[kind] = limit;
  }
  return Object.keys(limits).length === 0 ? undefined : { ...limits, warnAt, unpriced };
};

/** One budget over another: what `over` sets counts, and `Infinity` lifts a limit. */
export const overriding = (base: Budget | undefined, over: Budget | undefined): Budget | undefined => {
  if (base === undefined || over === undefined) return over ?? base;
  const set = Object.fromEntries(Object.entries(over).filter(([, value]) => value !== undefined));
  return { ...base, ...set };
};

const LEAST: Record<BudgetKind, number> = { steps: 1, timeMs: 0, tokens: 1, usd: 0, toolCalls: 0 };
const COUNTS: ReadonlySet<BudgetKind> = new Set<BudgetKind>(['steps', 'tokens', 'toolCalls']);
const OPTIONS: ReadonlySet<string> = new Set([...budgetKinds, 'warnAt', 'unpriced']);
const WANTED: Record<BudgetKind, string> = {
  steps: 'whole number from 1',
  timeMs: 'number from 0',
  tokens: 'whole number from 1',
  usd: 'number from 0',
  toolCalls: 'whole number from 0',
};

/** Untyped, as limits come from settings and from JavaScript. */
const isLimit = (kind: BudgetKind, limit: unknown): boolean =>
  typeof limit === 'number' &&
  limit >= LEAST[kind] &&
  (limit === Infinity || !COUNTS.has(kind) || Number.isSafeInteger(limit));
