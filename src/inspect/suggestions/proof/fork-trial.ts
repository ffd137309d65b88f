import { canonical } from '../../../base/json/canonical.ts';
import { toJson } from '../../../base/json/json.ts';
import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';
import type { ChosenCall } from '../../../contracts/agents/decision.ts';
import type { Model } from '../../../contracts/models/model.ts';
import type { Prices } from '../../../contracts/models/prices.ts';
import type { Person } from '../../../contracts/people/person.ts';
import type { RunStatus } from '../../../contracts/runs/run-status.ts';
import { forkAs } from '../../../runtime/journal/resume/fork.ts';
import type { ForkOptions } from '../../../runtime/journal/resume/resume-options.ts';
import type { CallFact, RunFacts } from '../run-facts.ts';
import { callsIn } from '../run-facts.ts';
import { RunReader } from '../run-reader.ts';
import { copyRun } from '../../../persistence/copy-run.ts';
import type { CutResults } from './recorded-tools.ts';
import { RecordedTools } from './recorded-tools.ts';

/** A change that is tried on forks of recorded runs, and what they need. */
export interface ForkTrial {
  /** The agent or team whose runs they are, as it is now. */
  readonly agent: { readonly name: string };
  /** The name of the agent that is changed: that of these runs, or a member of theirs. */
  readonly changed: string;
  /** In place of the model of the changed agent. */
  readonly model?: Model | undefined;
  /** A tool whose results are shortened. */
  readonly cut?: CutResults | undefined;
  /** Answers with other calls: each is tried on a fork of its own. Default: one fork from the beginning. */
  readonly answersOf?: ((run: RunFacts) => readonly GivenAnswer[]) | undefined;
  readonly prices?: Prices | undefined;
  readonly context?: unknown;
  /** Checks whether a fork ended as it should. */
  readonly hasPassed: (before: RunFacts, after: ForkEnd) => boolean;
}

/** The calls that are given in place of those of an answer, by the number of its event. */
export interface GivenAnswer {
  readonly seq: number;
  readonly calls: readonly ChosenCall[];
}

/** The end of a fork. */
export interface ForkEnd {
  readonly status: RunStatus;
  /** The output as text; undefined where the fork did something that the run did not. */
  readonly output: string | undefined;
  /** Undefined where it could not be made. */
  readonly facts: RunFacts | undefined;
  /** Tools of the given calls that are not declared to read only. */
  readonly writers: ReadonlySet<string>;
}

/** The use of models by whole runs, before or after a change. */
export interface Used {
  readonly modelMs: number;
  readonly costUsd: number | undefined;
  readonly tokens: number;
  readonly modelCalls: number;
}

/** The result of all forks of a trial. */
export interface TrialResult {
  /** The number of runs that were forked. */
  readonly runs: number;
  /** The number of forks, and of those that ended as they should. */
  readonly tried: number;
  readonly passed: number;
  readonly before: Used;
  readonly after: Used;
  /** The part of `before` that the changed agent had. */
  readonly own: Used;
  readonly writers: ReadonlySet<string>;
}

/** Checks whether a fork ended the same as its run. */
export const hasEndedTheSame = (before: RunFacts, after: ForkEnd): boolean =>
  after.status === before.status && after.output === before.output;

/** Forks runs, one after the other, each in a store of its own. */
export const tryOnForks = async (
  store: JournalStore,
  runs: readonly (readonly [entry: RunEntry, facts: RunFacts])[],
  trial: ForkTrial,
): Promise<TrialResult> => {
  let result: TrialResult = UNTRIED;
  for (const [entry, before] of runs) {
    const answers = trial.answersOf?.(before) ?? [undefined];
    if (answers.length > 0) result = { ...result, runs: result.runs + 1 };
    for (const answer of answers)
      result = withFork(result, before, await forkRun(store, entry, before, trial, answer), trial);
  }
  return result;
};

/** A fork in which the changed agent never asked a model says nothing about it. */
const withFork = (
  result: TrialResult,
  before: RunFacts,
  after: ForkEnd,
  { changed, hasPassed }: ForkTrial,
): TrialResult => {
  const isConcerned = after.facts !== undefined && callsOf(after.facts, changed).length > 0;
  return {
    runs: result.runs,
    tried: result.tried + 1,
    passed: result.passed + (isConcerned && hasPassed(before, after) ? 1 : 0),
    before: sum(result.before, useOf(before)),
    after: sum(result.after, after.facts === undefined ? UNKNOWN : useOf(after.facts)),
    own: sum(result.own, useOf(before, changed)),
    writers: new Set([...result.writers, ...after.writers]),
  };
};

/** After the input: a team has no step of its own. */
const BEGINNING = { seq: 1 };

/** Forks one run; a fork that cannot be made or fails is one that ended otherwise. */
const forkRun = async (
  from: JournalStore,
  entry: RunEntry,
  facts: RunFacts,
  { agent, changed, model, cut, prices, context }: ForkTrial,
  answer: GivenAnswer | undefined,
): Promise<ForkEnd> => {
  const tools = new RecordedTools(facts, cut);
  try {
    const store = await copyRun(from, entry);
    const handle = await forkAs(agent, entry.runId, {
      store,
      ...(answer === undefined
        ? { at: BEGINNING }
        : { at: { seq: answer.seq }, change: { calls: answer.calls } }),
      ...(model === undefined ? {} : replacing(model, changed, facts)),
      executor: tools.execute,
      person: nobody,
      ...(prices === undefined ? {} : { prices }),
      ...(context === undefined ? {} : { context }),
    });
    const { status, output, events } = await handle.result;
    const reader = new RunReader();
    let after: RunFacts | undefined;
    for (const event of events) after = reader.take(event) ?? after;
    const text = tools.hasDiverged ? undefined : canonical(toJson(output));
    return { status, output: text, facts: after, writers: tools.writersAmong(answer?.calls) };
  } catch {
    return { status: 'failed', output: undefined, facts: undefined, writers: new Set() };
  }
};

/** The model of one agent is replaced, and those of all others stay. An agent that is alone needs none of its own for that. */
const replacing = (
  model: Model,
  changed: string,
  facts: RunFacts,
): Pick<ForkOptions, 'change' | 'resources'> =>
  callsIn(facts).every(({ agent }) => agent === changed)
    ? { change: { model } }
    : { resources: [{ around: (own, use) => (use?.agent === changed ? model : own) }] };

/** A trial waits for nobody. */
const nobody: Person = {
  answer: () => 'Nobody answers in a trial.',
  approve: () => 'Nobody approves in a trial.',
};

const callsOf = (run: RunFacts, agent: string): readonly CallFact[] =>
  callsIn(run).filter((call) => call.agent === agent);

/** The use of models by a run, or by one of its agents. */
const useOf = (run: RunFacts, agent?: string): Used => {
  const calls = agent === undefined ? callsIn(run) : callsOf(run, agent);
  const used = calls.map(({ ms, costUsd, usage: { input, output } }): Used => ({
    modelMs: ms,
    costUsd,
    tokens: input + output,
    modelCalls: 1,
  }));
  const all = used.reduce(sum, NOTHING);
  return agent === undefined ? { ...all, costUsd: run.costUsd, tokens: run.tokens } : all;
};

const NOTHING: Used = { modelMs: 0, costUsd: 0, tokens: 0, modelCalls: 0 };
const UNKNOWN: Used = { ...NOTHING, costUsd: undefined };
const UNTRIED: TrialResult = {
  runs: 0,
  tried: 0,
  passed: 0,
  before: NOTHING,
  after: NOTHING,
  own: NOTHING,
  writers: new Set(),
};

const sum = (one: Used, other: Used): Used => ({
  modelMs: one.modelMs + other.modelMs,
  costUsd: one.costUsd === undefined || other.costUsd === undefined ? undefined : one.costUsd + other.costUsd,
  tokens: one.tokens + other.tokens,
  modelCalls: one.modelCalls + other.modelCalls,
});
