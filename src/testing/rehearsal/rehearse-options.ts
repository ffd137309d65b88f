import type { OptionShape } from '../../base/schemas/option-schemas.ts';
import {
  aNumber,
  anything,
  aText,
  formOr,
  listOf,
  oneOf,
  optional,
  optionsSchema,
  shapeOf,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import type { OptionsOwner } from '../../contracts/errors/check-options.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { Prices } from '../../contracts/models/prices.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import { runShape, storeSchema } from '../../runtime/run/run-schema.ts';

/** Options of a rehearsal: `model` as the runs were given one; `safety` for what goes on live, as it is not compared. */
export interface RehearseOptions extends Pick<
  RunOptions,
  'model' | 'secrets' | 'secretKey' | 'context' | 'safety' | 'signal'
> {
  readonly store: JournalStore;
  /** Ids of the runs. Default: all of the agent's, the newest `limit` of them. */
  readonly runs?: readonly string[] | undefined;
  /** Default 1,000. */
  readonly limit?: number | undefined;
  /** Goes on live in forks of the runs that differ. Default: it stops there, and asks no model. */
  readonly live?: LiveOptions | boolean | undefined;
}

/** Options of what goes on live. */
export interface LiveOptions {
  /** With `read`, tools that are declared to only read (`safety: 'read'`) are executed for calls that are not on record. Default `recorded`: the run stops at such a call. */
  readonly tools?: 'recorded' | 'read' | undefined;
  /** In US dollars, for the live calls of all runs: no call is begun that may cost more than what is left. Default: no limit. */
  readonly budgetUsd?: number | undefined;
  readonly prices?: Prices | undefined;
}

const ABOUT: OptionsOwner = { code: 'input.invalid', owner: 'runs', verb: 'rehearse' };

/** The schemas of the options of `rehearse`. */
export const rehearseShape = (): OptionShape<RehearseOptions> => ({
  ...shapeOf(runShape(), ['model', 'secrets', 'secretKey', 'context', 'safety', 'signal']),
  store: storeSchema(),
  runs: optional(listOf(aText(1), 'not a list of ids of runs')),
  limit: optional(wholeNumber(1)),
  live: optional(
    formOr(
      (given) => typeof given === 'boolean',
      anything(),
      optionsSchema<LiveOptions>({
        tools: optional(oneOf(['recorded', 'read'])),
        budgetUsd: optional(aNumber(0)),
        ...shapeOf(runShape(), ['prices']),
      }),
    ),
  ),
});

/** Checks the options of `rehearse`. @throws {TroupeError} `input.invalid` */
export const checkRehearse = optionsCheck<RehearseOptions>(ABOUT, rehearseShape);
