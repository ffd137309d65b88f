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
import type { TrialOptions } from './proof/trial-options.ts';
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
  /** Tries suggestions on runs of a store: they are proven by that, or refuted. Without a model in it, only shorter results and calls in one answer are tried. */
  readonly prove?: TrialOptions | undefined;
  /** Offers also what is not proven, each with the reason why. Default false. */
  readonly unproven?: boolean | undefined;
}

/**
 * Looks for inefficiencies in recorded runs, and suggests what removes them, each with its evidence and its expected gain.
 *
 * It finds model calls that a cache would have answered, equal calls of tools with equal results, slow models (more than 1,000 ms on average), steps that a smaller model could take,
 * prompts whose prefix is not cached, tools that could run at once, tools that are never called, long results that nothing refers to, retries
 * that never help, branches that are never taken, and answers that are sent back. Runs are read one after the other, and nothing is kept of
 * them but counts. Forks are left out.
 *
 * Only what is proven is offered. Proven by a replay is what takes nothing from the runs: equal requests that got equal answers, retries that
 * never helped, branches that scores put last; by a recount, tools and other branches that were never taken, and prompts that do not begin alike. A store has
 * the exact requests of models; of other runs equal calls are judged by what agents were seen to be given, which proves nothing.
 *
 * With `prove`, runs are forked from their beginning, or from the answer whose calls waited for each other, each in a store of its own. What
 * is on record is answered from it, in its recorded time; no tool is executed, and an agent's memories are used as in any run. The agent may be a team: what is suggested for a member is
 * tried on runs of the team. It is proven if all forks end the same, and take less; of a stronger model, if all are completed, and nothing is sent
 * back; of calls in one answer, if their tools are declared to read only, too. A fork that ends otherwise also refutes what was counted.
 *
 * @example
 * const found = await suggestions(store, { target: 'latency', prove: { agent: clerk, model: 'openai:gpt-5-mini' } });
 * console.log(found[0]?.description, found[0]?.proven, found[0]?.basis);
 *
 * @throws {TroupeError} `input.invalid` for invalid options, what are no runs, and a trial without a store; errors of the store.
 */
export const suggestions = async (
  runs: RecordedRuns,
  options: SuggestionOptions = {},
): Promise<readonly Suggestion[]> => {
  checkOptions(schema(), options, { code: 'input.invalid', owner: 'suggestions', verb: 'look for' });
  const { target = 'cost', limit = NEWEST, prove, unproven = false } = options;
  const book = new SuggestionBook(target);
  for await (const run of factsOf(runs, limit)) book.take(run);
  const found = prove === undefined ? book.suggestions : await tryOnRecord(book.suggestions, runs, prove);
  return unproven ? found : found.filter((each) => each.proven !== false);
};

const tryOnRecord = async (
  found: readonly Suggestion[],
  runs: RecordedRuns,
  prove: TrialOptions,
): Promise<readonly Suggestion[]> => {
  if (!isStore(runs))
    throw new TroupeError(
      'input.invalid',
      'Cannot prove suggestions as the runs are in no store: only stored runs can be forked',
    );
  // Forks need all of the runtime.
  const { proveByForks } = await import('./proof/prove-by-forks.ts');
  return proveByForks(found, runs, prove);
};

const NEWEST = 1_000;

const schema = onDemand(() =>
  optionsSchema<SuggestionOptions>({
    target: optional(oneOf(targets)),
    limit: optional(wholeNumber(1)),
    unproven: optional(aBoolean()),
    prove: optional(
      optionsSchema<TrialOptions>({
        agent: fulfilling((given) => isObject(given) && 'name' in given, 'not an agent'),
        model: optional(
          fulfilling(
            (given) => typeof given === 'string' || isObject(given),
            'not a model, or the name of one',
          ),
        ),
        runs: optional(wholeNumber(1)),
        prices: optional(objectWith(['cost'], 'not a price list')),
        clock: optional(objectWith(['now', 'setTimeout', 'clearTimeout'], 'not a clock')),
        context: anything(),
      }),
    ),
  }),
);
