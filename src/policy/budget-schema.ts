import type { Budget } from '../contracts/runs/budget.ts';
import { onDemand } from '../base/on-demand.ts';
import {
  fulfilling,
  isObject,
  oneForm,
  oneOf,
  optional,
  optionsSchema,
} from '../base/schemas/option-schemas.ts';

/** A limit of a budget: `Infinity` is none. */
const limitFrom = (least: number, isCount: boolean) =>
  optional(
    fulfilling(
      (given) =>
        typeof given === 'number' &&
        given >= least &&
        (given === Infinity || !isCount || Number.isSafeInteger(given)),
      `not a ${isCount ? 'whole ' : ''}number from ${least}`,
    ),
  );

const part = (otherwise: string) =>
  fulfilling((given) => typeof given === 'number' && given > 0 && given <= 1, otherwise);

/** The schema of a budget. */
export const budgetSchema = onDemand(() =>
  optionsSchema<Budget>({
    steps: limitFrom(1, true),
    timeMs: limitFrom(0, false),
    tokens: limitFrom(1, true),
    usd: limitFrom(0, false),
    toolCalls: limitFrom(0, true),
    warnAt: optional(part('not a number above 0 and at most 1')),
    unpriced: optional(oneOf(['refuse', 'ignore'])),
  }),
);

const shareSchema = onDemand(() =>
  optionsSchema<{ readonly share: number }>({ share: part('not a number above 0 and at most 1') }),
);

/** The schema of a part of a budget: amounts, or a share. */
export const allotmentSchema = onDemand(() =>
  oneForm((given) => (isObject(given) && 'share' in given ? shareSchema() : budgetSchema())),
);
