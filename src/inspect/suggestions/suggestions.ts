import { onDemand } from '../../base/on-demand.ts';
import {
  aBoolean,
  anything,
  objectWith,
  oneOf,
  optional,
  optionsSchema,
  wholeNumber,
  fulfilling,
  isObject,
} from '../../base/schemas/option-schemas.ts';
import { checkOptions } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { ModelTrialOptions } from './proof/model-trial.ts';
import type { RecordedRuns } from './recorded-runs.ts';
import { factsOf, isStore } from './recorded-runs.ts';
import { SuggestionBook } from './suggestion-book.ts';
import type { Suggestion, Target } from './suggestion.ts';
import { targets } from './suggestion.ts';

/** Options of {@link suggestions}. */
export interface SuggestionOptions {
  /** The goal, by whose share suggestions are ordered; those that do not serve it are left out. Default `cost`. */
  readonly target?: Target | undefined;
  /** Of a store, the newest that many runs. Default 1,000. */
  readonly limit?: number | undefined;
  /** Tries another model on runs of a store: suggestions of a faster or a smaller model are proven by that, or refuted. */
  readonly prove?: ModelTrialOptions | undefined;
  /** Only those that are proven. Default false. */
  readonly proven?: boolean | undefined;
}

/**
 * Looks for inefficiencies in recorded runs, and suggests what removes them, each with its evidence and its expected gain.
 *
 * It finds model calls that a cache would have answered, slow models (more than 1,000 ms on average), steps that a smaller model could take,
 * prompts whose prefix is not cached, tools that could run at once, tools that are never called, long results that nothing refers to, retries
 * that never help, branches that are never taken, and answers that are sent back. Runs are read one after the other, and nothing is kept of
 * them but counts. Forks are left out. A store has the exact requests of models; of other runs equal calls are judged by what agents were seen
 * to be given, and are not called proven.
 *
 * With `prove`, runs are forked from their first step with the other model in a store of their own. Tools are not executed, but answer from
 * the record; an agent's memories are used as in any run. It is proven if all forks end the same, and take less.
 *
 * @example
 * const found = await suggestions(store, { target: 'latency' });
 * console.log(found[0]?.description, found[0]?.evidence.runs);
 *
 * @throws {TroupeError} `input.invalid` for invalid options, what are no runs, and a trial without a store; errors of the store.
 */
export const suggestions = async (
  runs: RecordedRuns,
  options: SuggestionOptions = {},
): Promise<readonly Suggestion[]> => {
  checkOptions(schema(), options, { code: 'input.invalid', owner: 'suggestions', verb: 'look for' });
  const { target = 'cost', limit = NEWEST, prove, proven = false } = options;
  const book = new SuggestionBook(target);
  for await (const run of factsOf(runs, limit)) book.take(run);
  const found = prove === undefined ? book.suggestions : await tryOnRecord(book.suggestions, runs, prove);
  return proven ? found.filter((each) => each.proven) : found;
};

const tryOnRecord = async (
  found: readonly Suggestion[],
  runs: RecordedRuns,
  prove: ModelTrialOptions,
): Promise<readonly Suggestion[]> => {
  if (!isStore(runs))
    throw new TroupeError(
      'input.invalid',
      'Cannot prove suggestions as the runs are in no store: only stored runs can be forked',
    );
  // Forks need all of the runtime.
  const { proveByForks } = await import('./proof/model-trial.ts');
  return proveByForks(found, runs, prove);
};

const NEWEST = 1_000;

const schema = onDemand(() =>
  optionsSchema<SuggestionOptions>({
    target: optional(oneOf(targets)),
    limit: optional(wholeNumber(1)),
    proven: optional(aBoolean()),
    prove: optional(
      optionsSchema<ModelTrialOptions>({
        agent: fulfilling((given) => isObject(given) && 'name' in given, 'not an agent'),
        model: fulfilling(
          (given) => typeof given === 'string' || isObject(given),
          'not a model, or the name of one',
        ),
        runs: optional(wholeNumber(1)),
        prices: optional(objectWith(['cost'], 'not a price list')),
        context: anything(),
      }),
    ),
  }),
);
