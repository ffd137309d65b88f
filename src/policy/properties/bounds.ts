import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { several } from '../../base/text/number-words.ts';
import { onDemand } from '../../base/on-demand.ts';
import { aBound, oneOf, optional, optionsSchema, together } from '../../base/schemas/option-schemas.ts';
import { checkOptions } from '../../contracts/errors/check-options.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { Budget } from '../../contracts/runs/budget.ts';
import type { EventChoice } from './event-pattern.ts';
import { eventTest, startsCall, wordsOf } from './event-pattern.ts';
import type { NamedProperty } from './named-property.ts';
import { nameable } from './named-property.ts';
import { checkChoice, checkCount } from './pattern-schema.ts';

/** Amounts that a whole run may use, by the names that budgets have, and `modelCalls`. */
export interface Amounts extends Pick<Budget, 'steps' | 'tokens' | 'usd' | 'toolCalls' | 'unpriced'> {
  /** Calls of models, those of summaries included. */
  readonly modelCalls?: number | undefined;
}

/** Allows an event a number of times. */
export const atMost = (count: number, choice: EventChoice): NamedProperty => {
  checkCount(count, 'the property');
  const counted = checkChoice(choice, 'the property');
  const isCounted = eventTest(counted, 'forbidden');
  const what = wordsOf(counted);
  return nameable(
    {
      name: `at most ${count} ${what}`,
      initial: 0,
      // One more is the violation: counting on would make a state of each.
      next: (state, event) =>
        typeof state === 'number' && state <= count && isCounted(event) ? state + 1 : state,
      violation: (state) =>
        typeof state === 'number' && state > count
          ? `${what} happened more than ${several(count, 'time')}`
          : undefined,
    },
    [counted],
  );
};

/**
 * Bounds what a whole run uses. What is used by a model's answer is known when it is there: so a run may go beyond by one call, as with a
 * budget, and nothing is called after that.
 */
export const within = (amounts: Amounts): NamedProperty => {
  checkOptions(amountsSchema(), amounts, { code: 'policy.invalid', owner: 'the property' });
  const limits = kinds.flatMap((kind) => {
    const limit = amounts[kind];
    return limit === undefined || limit === Infinity ? [] : [{ kind, limit, most: inUnits(kind, limit) }];
  });
  const isUnpricedRefused = amounts.usd !== undefined && amounts.unpriced !== 'ignore';
  return nameable({
    name: `within ${limits.map(({ kind, limit }) => `${limit} ${kind}`).join(', ')}`,
    initial: {},
    next: (state, event) => {
      let use = asUse(state);
      for (const { kind, most } of limits) {
        const used = USED[kind](event);
        // Use past the limit is all the same: a state for each amount would keep a proof from ending.
        if (used !== 0) use = { ...use, [kind]: Math.min(amountIn(use, kind) + used, most + 1) };
      }
      return isUnpricedRefused && isUnpriced(event) ? { ...use, unpriced: true } : use;
    },
    violation: (state) => {
      const use = asUse(state);
      if (use['unpriced'] === true) return 'a model without a known price was used';
      const over = limits.find(({ kind, most }) => amountIn(use, kind) > most);
      return over === undefined ? undefined : `more than ${over.limit} ${over.kind} were used`;
    },
  });
};

const kinds = ['steps', 'tokens', 'usd', 'toolCalls', 'modelCalls'] as const;
type Kind = (typeof kinds)[number];

const USED: Readonly<Record<Kind, (event: RuntimeEvent) => number>> = {
  steps: ({ type }) => (type === 'step.ended' ? 1 : 0),
  toolCalls: (event) => (startsCall(event) ? 1 : 0),
  modelCalls: (event) => {
    if (event.type === 'model.asked') return 1;
    // The model was not asked after all.
    if (event.type === 'model.answered') return event.cached === undefined ? 0 : -1;
    return event.type === 'context.compacted' && event.usage !== undefined ? 1 : 0;
  },
  tokens: (event) => {
    const usage = usageOf(event);
    return usage === undefined ? 0 : usage.input + usage.output;
  },
  usd: (event) => ('costUsd' in event && event.costUsd !== undefined ? inUnits('usd', event.costUsd) : 0),
};

/** Dollars in billionths, so that sums are exact. */
const inUnits = (kind: Kind, amount: number): number =>
  kind === 'usd' ? Math.round(amount * 1_000_000_000) : amount;

/** The tokens that an event reports; an answer from a cache has used none. */
const usageOf = (event: RuntimeEvent) =>
  'usage' in event && !('cached' in event && event.cached !== undefined) ? event.usage : undefined;

const isUnpriced = (event: RuntimeEvent): boolean =>
  usageOf(event) !== undefined && !('costUsd' in event && event.costUsd !== undefined);

const asUse = (state: Json): JsonObject => (isJsonObject(state) ? state : {});

const amountIn = (use: JsonObject, kind: Kind): number => {
  const amount = use[kind];
  return typeof amount === 'number' ? amount : 0;
};

const amountsSchema = onDemand(() =>
  together<Amounts>(
    optionsSchema<Amounts>({
      steps: optional(aBound(1)),
      tokens: optional(aBound(1)),
      usd: optional(aBound(0)),
      toolCalls: optional(aBound(0)),
      modelCalls: optional(aBound(0)),
      unpriced: optional(oneOf(['refuse', 'ignore'])),
    }),
    (given) =>
      kinds.every((kind) => given[kind] === undefined)
        ? ['steps', 'missing, and so are all other amounts: name one of them']
        : undefined,
  ),
);
