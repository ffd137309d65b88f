import type { Clock } from '../../../base/clock.ts';
import { systemClock } from '../../../base/clock.ts';
import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';
import type { ChosenCall } from '../../../contracts/agents/decision.ts';
import type { Prices } from '../../../contracts/models/prices.ts';
import type { Person } from '../../../contracts/people/person.ts';
import { definitionOf } from '../../../runtime/define/definition.ts';
import { forkAs } from '../../../runtime/journal/resume/fork.ts';
import type { ForkOptions } from '../../../runtime/journal/resume/resume-options.ts';
import type { RunFacts } from '../run-facts.ts';
import { RunReader } from '../run-reader.ts';
import { copyRun } from '../../../persistence/copy-run.ts';
import type { RecordedCall } from './recorded-calls.ts';
import { recordedCalls } from './recorded-calls.ts';
import type { CutResults } from './recorded-tools.ts';
import { RecordedTools } from './recorded-tools.ts';
import { TrialClock } from './trial-clock.ts';
import type { ModelChange } from './trial-models.ts';
import { TrialModels } from './trial-models.ts';
import type { ForkEnd, TrialResult } from './trial-result.ts';
import { UNTRIED, withFork } from './trial-result.ts';

/** A change that is tried on forks of recorded runs. */
export interface TrialChange extends Omit<ModelChange, 'changed'> {
  /** A tool whose results are shortened. */
  readonly cut?: CutResults | undefined;
  /** Answers with other calls: each is tried on a fork of its own. Default: one fork from the beginning. */
  readonly answersOf?: ((run: RunFacts) => readonly GivenAnswer[]) | undefined;
  /** The recorded model calls, with other outcomes. Default: as they were. */
  readonly callsOf?: ((run: RunFacts) => readonly RecordedCall[]) | undefined;
  /** Checks whether a fork ended as it should. */
  readonly hasPassed: (before: RunFacts, after: ForkEnd) => boolean;
}

/** A trial: a change, and what forks need. */
export interface ForkTrial extends TrialChange {
  /** The agent or team whose runs they are, as it is now. */
  readonly agent: { readonly name: string };
  /** The name of the agent that is changed: that of these runs, or a member of theirs. */
  readonly changed: string;
  readonly prices?: Prices | undefined;
  readonly context?: unknown;
  /** Measures what models are really asked. */
  readonly clock?: Clock | undefined;
}

/** The calls that are given in place of those of an answer, by the number of its event. */
export interface GivenAnswer {
  readonly seq: number;
  /** The time at which the answer came, in ms since 1970. */
  readonly at: number;
  readonly calls: readonly ChosenCall[];
}

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
    for (const answer of answers) {
      const after = await forkRun(store, entry, before, trial, answer);
      result = withFork(result, before, after, trial);
    }
  }
  return result;
};

/** After the input: a team has no step of its own. */
const BEGINNING = { seq: 1 };

/** Forks one run; a fork that cannot be made or fails is one that ended otherwise. */
const forkRun = async (
  from: JournalStore,
  entry: RunEntry,
  before: RunFacts,
  trial: ForkTrial,
  answer: GivenAnswer | undefined,
): Promise<ForkEnd> => {
  const { agent, cut, callsOf = recordedCalls, prices, context, clock: outside = systemClock } = trial;
  const clock = new TrialClock(answer?.at ?? before.startedAt, outside);
  const tools = new RecordedTools(before, clock, cut);
  const models = new TrialModels(callsOf(before), trial, clock);
  const fork = async (): Promise<RunFacts | undefined> => {
    const handle = await forkAs(agent, entry.runId, {
      store: await copyRun(from, entry),
      // The same each time: a prompt may have it.
      runId: `${entry.runId}-trial`,
      at: answer === undefined ? BEGINNING : { seq: answer.seq },
      change: changeOf(trial, answer),
      resources: [models],
      executor: tools.execute,
      person: nobody,
      clock,
      ...(prices === undefined ? {} : { prices }),
      ...(context === undefined ? {} : { context }),
    });
    // A run that failed, as it did before, is one that has ended.
    handle.result.catch(ignore);
    const reader = new RunReader();
    let facts: RunFacts | undefined;
    for await (const event of handle) if (event.type !== 'model.delta') facts = reader.take(event) ?? facts;
    return facts;
  };
  const facts = await clock.passUntil(fork()).catch(ignore);
  return {
    facts,
    hasDiverged: tools.hasDiverged,
    writers: tools.writersAmong(answer?.calls),
    asked: models.asked,
    beginnings: models.beginnings,
  };
};

/** An agent without a model of its own is given one. Of any other the models stay, in their order, and another one is asked in their place. */
const changeOf = ({ agent, model }: ForkTrial, answer: GivenAnswer | undefined): ForkOptions['change'] => ({
  ...(model === undefined || hasModels(agent) ? {} : { model }),
  ...(answer === undefined ? {} : { calls: answer.calls }),
});

/** Checks whether an agent names models; a team's members have their own. */
const hasModels = (agent: ForkTrial['agent']): boolean => {
  const own = definitionOf(agent)?.agent;
  return own === undefined || own.models.length > 0;
};

/** A trial waits for nobody. */
const nobody: Person = {
  answer: () => 'Nobody answers in a trial.',
  approve: () => 'Nobody approves in a trial.',
};

const ignore = (): undefined => undefined;
