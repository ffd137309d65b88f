import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';
import type { ModelChoice } from '../../../contracts/models/model.ts';
import type { Prices } from '../../../contracts/models/prices.ts';
import { resolveModel } from '../../../models/model-registry.ts';
import { endedRuns } from '../stored-facts.ts';
import type { Suggestion, SuggestionType } from '../suggestion.ts';
import type { ForkEnd, TrialResult } from './fork-trial.ts';
import { hasEndedTheSame, tryOnForks } from './fork-trial.ts';

/** Options of trials on recorded runs. */
export interface TrialOptions {
  /** The agent or team whose runs are forked, as it is now. */
  readonly agent: { readonly name: string };
  /** In place of the models of all agents of these runs. Default: their own, by which only what needs no other model is tried. */
  readonly model?: ModelChoice | undefined;
  /** The number of runs that are forked for a suggestion, the newest. Default 5. */
  readonly runs?: number | undefined;
  /** Prices of the forks. Default: `@pydantic/genai-prices`, if it is installed. */
  readonly prices?: Prices | undefined;
  /** The `context` of the forks. */
  readonly context?: unknown;
}

/** The kinds that forks can prove. */
export const forkedTypes: ReadonlySet<SuggestionType> = new Set<SuggestionType>([
  'faster-model',
  'smaller-model',
  'stronger-model',
  'unread-context',
]);

/** The number of runs that are forked by default. */
const TRIED = 5;

/** The length of long results in a trial of shorter ones, in characters. */
const SHORTENED = 500;

/**
 * Tries what suggestions for the agent say on forks of its runs: a faster or a smaller model on those that were completed, a stronger model and
 * shorter results on those that show that they are needed. All others are returned as they are.
 */
export const proveByForks = async (
  found: readonly Suggestion[],
  store: JournalStore,
  options: TrialOptions,
): Promise<readonly Suggestion[]> => {
  const { agent, model } = options;
  const trials = new Trials(store, options);
  const proven: Suggestion[] = [];
  for (const each of found) {
    const isOurs = each.agent === agent.name;
    if (isOurs && model !== undefined && (each.type === 'faster-model' || each.type === 'smaller-model'))
      proven.push(withModel(each, await trials.model(model), nameOf(model)));
    else if (isOurs && model !== undefined && each.type === 'stronger-model')
      proven.push(withStronger(each, await trials.strongerModel(each, model), nameOf(model)));
    else if (isOurs && each.type === 'unread-context' && each.tool !== undefined)
      proven.push(withShorter(each, await trials.shorterResults(each, each.tool)));
    else proven.push(each);
  }
  return proven;
};

const nameOf = (model: ModelChoice): string => {
  const { provider, id } = resolveModel(model);
  return `${provider}:${id}`;
};

/** The trials of one agent. */
class Trials {
  readonly #store: JournalStore;
  readonly #options: TrialOptions;
  /** One trial answers for all suggestions of another model. */
  #model: Promise<TrialResult> | undefined;

  constructor(store: JournalStore, options: TrialOptions) {
    this.#store = store;
    this.#options = options;
  }

  model(model: ModelChoice): Promise<TrialResult> {
    this.#model ??= this.#try(({ status }) => status === 'completed', { model, hasPassed: hasEndedTheSame });
    return this.#model;
  }

  strongerModel({ agent, evidence }: Suggestion, model: ModelChoice): Promise<TrialResult> {
    const hasPassed = (_: unknown, { status, output, facts }: ForkEnd): boolean =>
      status === 'completed' && output !== undefined && facts?.revised.includes(agent) === false;
    return this.#try(({ runId }) => evidence.runs.includes(runId), { model, hasPassed });
  }

  shorterResults({ evidence }: Suggestion, tool: string): Promise<TrialResult> {
    const cut = { tool, most: SHORTENED };
    return this.#try(({ runId }) => evidence.runs.includes(runId), { cut, hasPassed: hasEndedTheSame });
  }

  async #try(
    isWanted: (run: RunEntry) => boolean,
    change: Omit<Parameters<typeof tryOnForks>[2], 'agent'>,
  ): Promise<TrialResult> {
    const { agent, runs = TRIED, prices, context } = this.#options;
    const ended = await endedRuns(this.#store);
    const wanted = ended.filter((run) => run.agent === agent.name && isWanted(run)).slice(-runs);
    return tryOnForks(this.#store, wanted, { ...change, agent, prices, context });
  }
}

const withModel = (found: Suggestion, result: TrialResult, model: string): Suggestion => {
  const { before, after } = result;
  const isFaster = found.type === 'faster-model';
  const [was, is] = isFaster ? [before.modelMs, after.modelMs] : [before.costUsd, after.costUsd];
  const isBetter = was !== undefined && is !== undefined && is < was;
  const share = isBetter ? 1 - is / was : 0;
  const figures = isFaster
    ? `answers took ${after.modelMs} ms instead of ${before.modelMs} ms`
    : `they cost ${dollars(after.costUsd)} instead of ${dollars(before.costUsd)}`;
  const judged = withResult(found, result, isBetter, {
    none: `no completed run of '${found.agent}' could be forked with ${model}`,
    words: `with ${model} ended the same; ${figures}`,
  });
  if (judged.proven === false) return judged;
  const { evidence, expected } = found;
  const { totalMs = 0, totalUsd = 0 } = evidence.measured;
  const gain = isFaster ? { latencyMs: totalMs * share } : { costUsd: totalUsd * share };
  const assumed = isFaster ? expected.latencyMs : expected.costUsd;
  const measured = gain.latencyMs ?? gain.costUsd ?? 0;
  const part =
    assumed === undefined || assumed === 0 ? expected.share : (expected.share * measured) / assumed;
  return { ...judged, expected: { ...gain, share: Math.min(1, part) } };
};

const withStronger = (found: Suggestion, result: TrialResult, model: string): Suggestion =>
  withResult(found, result, true, {
    none: `no run that shows it is one of '${found.agent}' that could be forked with ${model}`,
    words: `with ${model} were completed, and nothing was sent back`,
  });

const withShorter = (found: Suggestion, result: TrialResult): Suggestion => {
  const { before, after } = result;
  return withResult(found, result, after.tokens < before.tokens, {
    none: `no run that shows it is one of '${found.agent}' that could be forked`,
    words: `with results of '${found.tool ?? ''}' cut to ${SHORTENED} characters ended the same; they took ${after.tokens} tokens instead of ${before.tokens}`,
  });
};

/** A suggestion is proven if each of its forks has passed, and all together are better. */
const withResult = (
  found: Suggestion,
  { tried, passed }: TrialResult,
  isBetter: boolean,
  { none, words }: { readonly none: string; readonly words: string },
): Suggestion => ({
  ...found,
  proven: tried > 0 && passed === tried && isBetter ? { by: 'forks', runs: tried } : false,
  basis: tried === 0 ? none : `${passed} of ${tried} forks ${words}`,
});

const dollars = (cost: number | undefined): string =>
  cost === undefined ? 'an unknown price' : `${Number(cost.toPrecision(3))} US dollars`;
