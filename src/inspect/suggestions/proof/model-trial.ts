import { canonical } from '../../../base/json/canonical.ts';
import { toJson } from '../../../base/json/json.ts';
import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';
import type { ModelChoice } from '../../../contracts/models/model.ts';
import type { Prices } from '../../../contracts/models/prices.ts';
import type { Person } from '../../../contracts/people/person.ts';
import type { RunStatus } from '../../../contracts/runs/run-status.ts';
import { resolveModel } from '../../../models/model-registry.ts';
import { forkAs } from '../../../runtime/journal/resume/fork.ts';
import { endedRuns, storedFacts } from '../stored-facts.ts';
import type { RunFacts } from '../run-facts.ts';
import { callsIn } from '../run-facts.ts';
import { RunReader } from '../run-reader.ts';
import type { Suggestion } from '../suggestion.ts';
import { copyRun } from './copy-run.ts';
import { RecordedTools } from './recorded-tools.ts';

/** Options of a trial of another model. */
export interface ModelTrialOptions {
  /** The agent or team whose runs are forked, as it is now. */
  readonly agent: { readonly name: string };
  /** In place of the models of all agents of these runs. */
  readonly model: ModelChoice;
  /** The number of runs that are forked, the newest that were completed. Default 5. */
  readonly runs?: number | undefined;
  /** Prices of the forks. Default: `@pydantic/genai-prices`, if it is installed. */
  readonly prices?: Prices | undefined;
  /** The `context` of the forks. */
  readonly context?: unknown;
}

/** The number of runs that are forked by default. */
const TRIED = 5;

/** The use of a run, before or after. */
interface Used {
  readonly modelMs: number;
  readonly costUsd: number | undefined;
  readonly tokens: number;
}

/** The result of all forks of a trial. */
interface Trial {
  readonly tried: number;
  readonly same: number;
  readonly before: Used;
  readonly after: Used;
}

/** Tries the model on runs of the agent, and says of each suggestion of a faster or a smaller model whether that is proven. */
export const proveByForks = async (
  found: readonly Suggestion[],
  store: JournalStore,
  options: ModelTrialOptions,
): Promise<readonly Suggestion[]> => {
  const isTried = ({ type, agent }: Suggestion): boolean =>
    agent === options.agent.name && (type === 'faster-model' || type === 'smaller-model');
  if (!found.some(isTried)) return found;
  const { provider, id } = resolveModel(options.model);
  const trial = await tryModel(store, options);
  return found.map((each) => (isTried(each) ? withProof(each, trial, `${provider}:${id}`) : each));
};

const tryModel = async (store: JournalStore, options: ModelTrialOptions): Promise<Trial> => {
  const { agent, runs = TRIED } = options;
  const ended = await endedRuns(store);
  const wanted = ended
    .filter((entry) => entry.agent === agent.name && entry.status === 'completed')
    .slice(-runs);
  let trial: Trial = { tried: 0, same: 0, before: NOTHING, after: NOTHING };
  for (const entry of wanted) {
    const before = await storedFacts(store, entry.runId);
    if (before !== undefined) trial = withFork(trial, before, await tryRun(store, entry, before, options));
  }
  return trial;
};

interface Ended {
  readonly status: RunStatus;
  /** The output as text; undefined where the fork did something that the run did not. */
  readonly end: string | undefined;
  readonly facts: RunFacts | undefined;
}

/** Forks one run; a fork that cannot be made or fails is one that ended otherwise. */
const tryRun = async (
  from: JournalStore,
  entry: RunEntry,
  facts: RunFacts,
  { agent, model, prices, context }: ModelTrialOptions,
): Promise<Ended> => {
  const tools = new RecordedTools(facts);
  try {
    const store = await copyRun(from, entry);
    const handle = await forkAs(agent, entry.runId, {
      store,
      at: { step: 0 },
      change: { model },
      executor: tools.execute,
      person: nobody,
      ...(prices === undefined ? {} : { prices }),
      ...(context === undefined ? {} : { context }),
    });
    const { status, output, events } = await handle.result;
    const reader = new RunReader();
    let after: RunFacts | undefined;
    for (const event of events) after = reader.take(event) ?? after;
    const end = tools.hasDiverged ? undefined : canonical(toJson(output));
    return { status, end, facts: after };
  } catch {
    return { status: 'failed', end: undefined, facts: undefined };
  }
};

/** A trial waits for nobody. */
const nobody: Person = {
  answer: () => 'Nobody answers in a trial.',
  approve: () => 'Nobody approves in a trial.',
};

const withFork = (trial: Trial, before: RunFacts, after: Ended): Trial => {
  const isSame = after.status === before.status && after.end === before.output;
  return {
    tried: trial.tried + 1,
    same: trial.same + (isSame ? 1 : 0),
    before: sum(trial.before, useOf(before)),
    after: sum(trial.after, after.facts === undefined ? UNKNOWN : useOf(after.facts)),
  };
};

const useOf = (run: RunFacts): Used => ({
  modelMs: callsIn(run).reduce((ms, call) => ms + call.ms, 0),
  costUsd: run.costUsd,
  tokens: run.tokens,
});

const NOTHING: Used = { modelMs: 0, costUsd: 0, tokens: 0 };
const UNKNOWN: Used = { modelMs: 0, costUsd: undefined, tokens: 0 };

const sum = (one: Used, other: Used): Used => ({
  modelMs: one.modelMs + other.modelMs,
  costUsd: one.costUsd === undefined || other.costUsd === undefined ? undefined : one.costUsd + other.costUsd,
  tokens: one.tokens + other.tokens,
});

const withProof = (found: Suggestion, { tried, same, before, after }: Trial, model: string): Suggestion => {
  const isFaster = found.type === 'faster-model';
  const [was, is] = isFaster ? [before.modelMs, after.modelMs] : [before.costUsd, after.costUsd];
  const isBetter = was !== undefined && is !== undefined && is < was;
  const share = isBetter ? 1 - is / was : 0;
  const proven = tried > 0 && same === tried && isBetter;
  const figures = isFaster
    ? `answers took ${after.modelMs} ms instead of ${before.modelMs} ms`
    : `they cost ${dollars(after.costUsd)} instead of ${dollars(before.costUsd)}`;
  const basis =
    tried === 0
      ? `no completed run of '${found.agent}' could be forked with ${model}`
      : `${same} of ${tried} forks with ${model} ended the same; ${figures}`;
  if (!proven) return { ...found, proven, basis };
  const { evidence, expected } = found;
  const { totalMs = 0, totalUsd = 0 } = evidence.measured;
  const gain = isFaster ? { latencyMs: totalMs * share } : { costUsd: totalUsd * share };
  const assumed = isFaster ? expected.latencyMs : expected.costUsd;
  const measured = gain.latencyMs ?? gain.costUsd ?? 0;
  const part =
    assumed === undefined || assumed === 0 ? expected.share : (expected.share * measured) / assumed;
  return { ...found, proven, basis, expected: { ...gain, share: Math.min(1, part) } };
};

const dollars = (cost: number | undefined): string =>
  cost === undefined ? 'an unknown price' : `${Number(cost.toPrecision(3))} US dollars`;
