import { canonical } from '../../../base/json/canonical.ts';
import { toJson } from '../../../base/json/json.ts';
import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';
import type { ModelChoice } from '../../../contracts/models/model.ts';
import type { Prices } from '../../../contracts/models/prices.ts';
import type { Person } from '../../../contracts/people/person.ts';
import type { RunStatus } from '../../../contracts/runs/run-status.ts';
import { forkAs } from '../../../runtime/journal/resume/fork.ts';
import type { RunFacts } from '../run-facts.ts';
import { callsIn } from '../run-facts.ts';
import { RunReader } from '../run-reader.ts';
import { storedFacts } from '../stored-facts.ts';
import { copyRun } from './copy-run.ts';
import type { CutResults } from './recorded-tools.ts';
import { RecordedTools } from './recorded-tools.ts';

/** A change that is tried on forks of recorded runs, and what they need. */
export interface ForkTrial {
  /** The agent or team whose runs they are, as it is now. */
  readonly agent: { readonly name: string };
  /** In place of the models of all its agents. */
  readonly model?: ModelChoice | undefined;
  /** A tool whose results are shortened. */
  readonly cut?: CutResults | undefined;
  readonly prices?: Prices | undefined;
  readonly context?: unknown;
  /** Checks whether a fork ended as it should. */
  hasPassed(before: RunFacts, after: ForkEnd): boolean;
}

/** The end of a fork. */
export interface ForkEnd {
  readonly status: RunStatus;
  /** The output as text; undefined where the fork did something that the run did not. */
  readonly output: string | undefined;
  /** Undefined where it could not be made. */
  readonly facts: RunFacts | undefined;
}

/** The use of models by runs, before or after a change. */
export interface Used {
  readonly modelMs: number;
  readonly costUsd: number | undefined;
  readonly tokens: number;
}

/** The result of all forks of a trial. */
export interface TrialResult {
  readonly tried: number;
  readonly passed: number;
  readonly before: Used;
  readonly after: Used;
}

/** Checks whether a fork ended the same as its run. */
export const hasEndedTheSame = (before: RunFacts, after: ForkEnd): boolean =>
  after.status === before.status && after.output === before.output;

/** Forks runs from their first step, one after the other, each in a store of its own. */
export const tryOnForks = async (
  store: JournalStore,
  runs: readonly RunEntry[],
  trial: ForkTrial,
): Promise<TrialResult> => {
  let result: TrialResult = { tried: 0, passed: 0, before: NOTHING, after: NOTHING };
  for (const entry of runs) {
    const before = await storedFacts(store, entry.runId);
    if (before === undefined) continue;
    const after = await forkRun(store, entry, before, trial);
    result = {
      tried: result.tried + 1,
      passed: result.passed + (trial.hasPassed(before, after) ? 1 : 0),
      before: sum(result.before, useOf(before)),
      after: sum(result.after, after.facts === undefined ? UNKNOWN : useOf(after.facts)),
    };
  }
  return result;
};

/** Forks one run; a fork that cannot be made or fails is one that ended otherwise. */
const forkRun = async (
  from: JournalStore,
  entry: RunEntry,
  facts: RunFacts,
  { agent, model, cut, prices, context }: ForkTrial,
): Promise<ForkEnd> => {
  const tools = new RecordedTools(facts, cut);
  try {
    const store = await copyRun(from, entry);
    const handle = await forkAs(agent, entry.runId, {
      store,
      at: { step: 0 },
      ...(model === undefined ? {} : { change: { model } }),
      executor: tools.execute,
      person: nobody,
      ...(prices === undefined ? {} : { prices }),
      ...(context === undefined ? {} : { context }),
    });
    const { status, output, events } = await handle.result;
    const reader = new RunReader();
    let after: RunFacts | undefined;
    for (const event of events) after = reader.take(event) ?? after;
    return { status, output: tools.hasDiverged ? undefined : canonical(toJson(output)), facts: after };
  } catch {
    return { status: 'failed', output: undefined, facts: undefined };
  }
};

/** A trial waits for nobody. */
const nobody: Person = {
  answer: () => 'Nobody answers in a trial.',
  approve: () => 'Nobody approves in a trial.',
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
