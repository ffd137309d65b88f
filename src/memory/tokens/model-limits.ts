import type { TokenBudget } from '../../contracts/conversations/processor.ts';

/** Limits of models, by the first matching name pattern; soft and hard, in tokens. */
export interface ModelLimit {
  readonly pattern: RegExp;
  readonly soft: number;
  readonly hard: number;
}

/** Cautious on purpose: a limit that is too low costs a summary, one that is too high costs a failed call. */
const modelLimits: readonly ModelLimit[] = [
  { pattern: /claude|kimi/i, soft: 150_000, hard: 190_000 },
  { pattern: /gpt-5|gpt-4\.1|\bo[34]\b/i, soft: 150_000, hard: 190_000 },
  { pattern: /gpt-4o|gpt-4-turbo/i, soft: 100_000, hard: 120_000 },
  { pattern: /gemini/i, soft: 500_000, hard: 900_000 },
  { pattern: /deepseek/i, soft: 50_000, hard: 60_000 },
];

/** For an unknown model. */
const defaultBudget: TokenBudget = { soft: 12_000, hard: 16_000, reserve: 2_000 };

/** Checks whether the table has a row for a model. */
export const isKnownModel = (model: string): boolean =>
  modelLimits.some(({ pattern }) => pattern.test(model));

/**
 * Returns the budget of a model by its name. Explicit values take precedence over the table, `limits` over its rows.
 *
 * @example
 * budgetFor('anthropic:claude-sonnet-5').hard // => 190000
 */
export const budgetFor = (
  model: string,
  given: Partial<TokenBudget> = {},
  limits: readonly ModelLimit[] = [],
): TokenBudget => {
  const found = [...limits, ...modelLimits].find(({ pattern }) => pattern.test(model));
  const hard = given.hard ?? found?.hard ?? defaultBudget.hard;
  const isOwn = given.hard === undefined && found === undefined;
  return {
    hard,
    soft: given.soft ?? (given.hard === undefined ? (found?.soft ?? defaultBudget.soft) : hard * 0.8),
    reserve: given.reserve ?? (isOwn ? defaultBudget.reserve : Math.max(Math.ceil(hard * 0.05), 1_024)),
  };
};

/** Returns the budget after a model reported an overflow at `tokens`: half of it, as the excess is unknown. */
export const budgetAfterOverflow = (budget: TokenBudget, tokens: number): TokenBudget => {
  const hard = Math.max(1, Math.min(Math.floor(tokens / 2), Math.floor((budget.hard - budget.reserve) / 2)));
  return { hard, soft: hard, reserve: 0 };
};
