import { onDemand } from '../../../base/on-demand.ts';
import {
  aBoolean,
  aFunction,
  aNumber,
  anything,
  byName,
  fulfilling,
  isObject,
  objectWith,
  oneOf,
  optional,
  optionsSchema,
  together,
  wholeNumber,
} from '../../../base/schemas/option-schemas.ts';
import { checkOptions } from '../../../contracts/errors/check-options.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { ModelChoice } from '../../../contracts/models/model.ts';
import type { AnswerCacheOptions } from '../../../runtime/resources/answer-cache.ts';
import type { TrialOptions } from '../proof/trial-options.ts';
import type { Suggestion, Target } from '../suggestion.ts';
import { targets } from '../suggestion.ts';
import type { GuardMetric } from './run-window.ts';
import { guardMetrics } from './run-window.ts';

/** Options of an optimizer. */
export interface OptimizerOptions {
  /** The goal of its suggestions. Default `cost`. */
  readonly target?: Target | undefined;
  /** True to apply suggestions; else it only collects them. Default false. */
  readonly apply?: boolean | undefined;
  /** The metric that must not get worse by more than a part: of the runs for errors, else of the value before. Default: errors, 0.05. */
  readonly guard?:
    | { readonly metric?: GuardMetric | undefined; readonly worseBy?: number | undefined }
    | undefined;
  /** The number of runs before a change that it is compared with, and of runs after it that are compared. Default 20. */
  readonly runs?: number | undefined;
  /** Lets it apply a cache, with these options: name the tenant by `scope`. Without it none is applied. */
  readonly cache?: AnswerCacheOptions | undefined;
  /** Lets it use another model in place of one, by its `provider:id`. Those without one stay. */
  readonly models?: Readonly<Record<string, ModelChoice>> | undefined;
  /**
   * Tries another model on runs of a store before it is suggested or applied, as `prove` of {@link suggestions} does, and applies none that they
   * refute. It is for runs of these agents, as they are now.
   */
  readonly prove?:
    | (Pick<TrialOptions, 'runs' | 'prices' | 'context' | 'clock'> & {
        readonly store: JournalStore;
        readonly agents: readonly TrialOptions['agent'][];
      })
    | undefined;
  /** Offers also what is not proven, and without `prove` tries another model on the next runs. Default false. */
  readonly unproven?: boolean | undefined;
  /** Called for each change. */
  readonly onChange?: ((change: OptimizerChange) => void) | undefined;
}

/** A change that an optimizer made. */
export interface OptimizerChange {
  /** `kept`: the guard metric of a full window of runs did not get worse. */
  readonly kind: 'applied' | 'kept' | 'rolled-back';
  readonly suggestion: Suggestion;
  readonly metric: GuardMetric;
  /** The mean of the runs before. */
  readonly before: number;
  /** The mean of the runs since; absent where there are none yet. */
  readonly after?: number | undefined;
}

/**
 * Checks the options of an optimizer.
 *
 * @throws {TroupeError} `resource.invalid`
 */
export const checkOptimizerOptions = (options: OptimizerOptions): void =>
  checkOptions(schema(), options, { code: 'resource.invalid', owner: 'an optimizer' });

const schema = onDemand(() =>
  together<OptimizerOptions>(
    optionsSchema<OptimizerOptions>({
      target: optional(oneOf(targets)),
      apply: optional(aBoolean()),
      guard: optional(
        optionsSchema<NonNullable<OptimizerOptions['guard']>>({
          metric: optional(oneOf(guardMetrics)),
          worseBy: optional(aNumber(0)),
        }),
      ),
      runs: optional(wholeNumber(1)),
      cache: optional(fulfilling(isObject, 'not the options of a cache: write {} for its defaults')),
      models: optional(
        byName(
          fulfilling(
            (given) => typeof given === 'string' || isObject(given),
            'not a model, or the name of one',
          ),
        ),
      ),
      prove: optional(
        optionsSchema<NonNullable<OptimizerOptions['prove']>>({
          store: objectWith(['list', 'read'], 'not a store of runs: write sqliteStore(…)'),
          agents: fulfilling(isAgents, 'not a list of agents'),
          runs: optional(wholeNumber(1)),
          prices: optional(objectWith(['cost'], 'not a price list')),
          clock: optional(objectWith(['now', 'setTimeout', 'clearTimeout'], 'not a clock')),
          context: anything(),
        }),
      ),
      unproven: optional(aBoolean()),
      onChange: optional(aFunction()),
    }),
    ({ apply, cache, models, prove, unproven }) => {
      if (apply !== true) return undefined;
      const hasModels = Object.keys(models ?? {}).length > 0;
      if (cache === undefined && !hasModels)
        return ['apply', 'of use with `cache` or `models` only, which say what may be applied'];
      return hasModels && prove === undefined && unproven !== true
        ? [
            'models',
            'to be applied without proof: give `prove`, or `unproven: true` to try them on the next runs',
          ]
        : undefined;
    },
  ),
);

const isAgents = (given: unknown): boolean =>
  Array.isArray(given) && given.length > 0 && given.every((each) => isObject(each) && 'name' in each);
