import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';
import type { Model, ModelChoice } from '../../../contracts/models/model.ts';
import type { Prices } from '../../../contracts/models/prices.ts';
import { resolveModel } from '../../../models/model-registry.ts';
import { describeSerial, serialCallsIn } from '../rules/serial-tools.ts';
import type { RunFacts } from '../run-facts.ts';
import { callsIn } from '../run-facts.ts';
import { endedRuns, storedFacts } from '../stored-facts.ts';
import type { Suggestion, SuggestionType } from '../suggestion.ts';
import type { ForkEnd, ForkTrial, GivenAnswer, TrialResult } from './fork-trial.ts';
import { hasEndedTheSame, tryOnForks } from './fork-trial.ts';

/** Options of trials on recorded runs. */
export interface TrialOptions {
  /** The agent or team whose runs are forked, as it is now. */
  readonly agent: { readonly name: string };
  /** In place of the model of the agent that a suggestion is about: theirs, or a member's. Default: their own, by which only what needs no other model is tried. */
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
  'parallel-tools',
]);

/** The number of runs that are forked by default. */
const TRIED = 5;

/** The length of long results in a trial of shorter ones, in characters. */
const SHORTENED = 500;

/**
 * Tries what suggestions for the agent, and for members of its team, say on forks of its runs: a faster or a smaller model on those that were
 * completed; a stronger model, shorter results and calls in one answer on those that show that they are needed. All others are returned as they are.
 */
export const proveByForks = async (
  found: readonly Suggestion[],
  store: JournalStore,
  options: TrialOptions,
): Promise<readonly Suggestion[]> => {
  const trials = new Trials(store, options);
  const proven: Suggestion[] = [];
  for (const each of found)
    proven.push(each.proven === false && forkedTypes.has(each.type) ? await prove(each, trials) : each);
  return proven;
};

const prove = async (found: Suggestion, trials: Trials): Promise<Suggestion> => {
  const { model } = trials;
  const tried = await tryOne(found, trials);
  if (tried === undefined) return found;
  // Another agent's runs may show it.
  if (tried.runs === 0 && found.agent !== trials.agent.name) return found;
  if (found.type === 'unread-context') return withShorter(found, tried);
  if (found.type === 'parallel-tools') return withJoined(found, tried);
  if (model === undefined) return found;
  const name = `${model.provider}:${model.id}`;
  return found.type === 'stronger-model' ? withStronger(found, tried, name) : withModel(found, tried, name);
};

/** The trial of a suggestion; undefined if it needs a model that was not given. */
const tryOne = (found: Suggestion, trials: Trials): Promise<TrialResult> | undefined => {
  if (found.type === 'parallel-tools') return trials.joinedCalls(found);
  if (found.type === 'unread-context') return trials.shorterResults(found);
  if (trials.model === undefined) return undefined;
  return found.type === 'stronger-model' ? trials.strongerModel(found) : trials.otherModel(found);
};

/** The trials on runs of one agent or team. */
class Trials {
  readonly agent: TrialOptions['agent'];
  readonly model: Model | undefined;
  readonly #store: JournalStore;
  readonly #options: TrialOptions;
  /** One trial answers for all suggestions of another model for an agent. */
  readonly #models = new Map<string, Promise<TrialResult>>();

  constructor(store: JournalStore, options: TrialOptions) {
    this.agent = options.agent;
    this.model = options.model === undefined ? undefined : resolveModel(options.model);
    this.#store = store;
    this.#options = options;
  }

  otherModel({ agent }: Suggestion): Promise<TrialResult> {
    const known = this.#models.get(agent);
    if (known !== undefined) return known;
    const { model } = this;
    const trial = this.#try(agent, ({ status }) => status === 'completed', {
      model,
      hasPassed: hasEndedTheSame,
    });
    this.#models.set(agent, trial);
    return trial;
  }

  strongerModel({ agent, evidence }: Suggestion): Promise<TrialResult> {
    const { model } = this;
    const hasPassed = (_: unknown, { status, output, facts }: ForkEnd): boolean =>
      status === 'completed' && output !== undefined && facts?.revised.includes(agent) === false;
    return this.#try(agent, ({ runId }) => evidence.runs.includes(runId), { model, hasPassed });
  }

  shorterResults({ agent, tool = '', evidence }: Suggestion): Promise<TrialResult> {
    const cut = { agent, tool, most: SHORTENED };
    return this.#try(agent, ({ runId }) => evidence.runs.includes(runId), {
      cut,
      hasPassed: hasEndedTheSame,
    });
  }

  joinedCalls({ agent, description, evidence }: Suggestion): Promise<TrialResult> {
    return this.#try(agent, ({ runId }) => evidence.runs.includes(runId), {
      answersOf: (run) => joinedAnswers(run, description),
      hasPassed: hasEndedTheSame,
    });
  }

  /** Tries a change on the newest wanted runs in which the agent asked a model. */
  async #try(
    changed: string,
    isWanted: (run: RunEntry) => boolean,
    change: Omit<ForkTrial, 'agent' | 'changed'>,
  ): Promise<TrialResult> {
    const { agent, runs = TRIED, prices, context } = this.#options;
    const wanted: (readonly [RunEntry, RunFacts])[] = [];
    for (const run of (await endedRuns(this.#store)).toReversed()) {
      if (wanted.length === runs) break;
      if (run.agent !== agent.name || !isWanted(run)) continue;
      const facts = await storedFacts(this.#store, run.runId);
      if (facts !== undefined && callsIn(facts).some((call) => call.agent === changed))
        wanted.unshift([run, facts]);
    }
    return tryOnForks(this.#store, wanted, { ...change, agent, changed, prices, context });
  }
}

/** The first answer of a run whose calls the suggestion would put together, with all of them in either order. */
const joinedAnswers = (run: RunFacts, description: string): readonly GivenAnswer[] => {
  const found = serialCallsIn(run).find((serial) => describeSerial(serial) === description);
  const seq = found?.asked?.seq;
  if (found === undefined || seq === undefined) return [];
  const calls = found.calls.map(({ tool: name, input }) => ({ name, input }));
  return [
    { seq, calls },
    { seq, calls: calls.toReversed() },
  ];
};

const withModel = (found: Suggestion, result: TrialResult, model: string): Suggestion => {
  const { before, after, own } = result;
  const isFaster = found.type === 'faster-model';
  const [was, is, part] = isFaster
    ? [before.modelMs, after.modelMs, own.modelMs]
    : [before.costUsd, after.costUsd, own.costUsd];
  // Whole runs have to take less, and the gain is of the part that the agent had.
  const isBetter = was !== undefined && is !== undefined && is < was;
  const saved = isBetter && part !== undefined && part > 0 ? Math.min(1, (was - is) / part) : 0;
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
  const gain = isFaster ? { latencyMs: totalMs * saved } : { costUsd: totalUsd * saved };
  const assumed = isFaster ? expected.latencyMs : expected.costUsd;
  const measured = gain.latencyMs ?? gain.costUsd ?? 0;
  const share =
    assumed === undefined || assumed === 0 ? expected.share : (expected.share * measured) / assumed;
  return { ...judged, expected: { ...gain, share: Math.min(1, share) } };
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

/** Tools that write may change what the others read, which no answer from the record shows. */
const withJoined = (found: Suggestion, result: TrialResult): Suggestion => {
  const { before, after, writers } = result;
  const isShorter = found.expected.tokens === undefined;
  const isBetter = isShorter
    ? after.modelCalls <= before.modelCalls
    : after.modelCalls < before.modelCalls && after.tokens < before.tokens;
  const judged = withResult(found, result, isBetter && writers.size === 0, {
    none: `no run that shows it is one of '${found.agent}' that could be forked`,
    words: `with these calls in one answer, in either order, ended the same; they took ${after.modelCalls} model calls instead of ${before.modelCalls}, and ${after.tokens} tokens instead of ${before.tokens}; the time is computed from that of the recorded calls`,
  });
  return writers.size === 0
    ? judged
    : {
        ...judged,
        basis: `${judged.basis}; not proven as ${[...writers].map((name) => `'${name}'`).join(' and ')} may change what others read: declare \`safety: 'read'\` where it only reads`,
      };
};

/** A suggestion is proven if each of its forks has passed, and all together are better. */
const withResult = (
  found: Suggestion,
  { runs, tried, passed }: TrialResult,
  isBetter: boolean,
  { none, words }: { readonly none: string; readonly words: string },
): Suggestion => ({
  ...found,
  proven: tried > 0 && passed === tried && isBetter ? { by: 'forks', runs } : false,
  basis: tried === 0 ? none : `${passed} of ${tried} forks ${words}`,
});

const dollars = (cost: number | undefined): string =>
  cost === undefined ? 'an unknown price' : `${Number(cost.toPrecision(3))} US dollars`;
