import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';
import type { Model } from '../../../contracts/models/model.ts';
import { resolveModel } from '../../../models/model-registry.ts';
import { describeDead } from '../rules/dead-branches.ts';
import { describeRetries, nameRetry } from '../rules/futile-retries.ts';
import { ImaginedCache } from '../rules/repeated-calls.ts';
import { describeSerial, serialCallsIn } from '../rules/serial-tools.ts';
import type { CallFact, RunFacts } from '../run-facts.ts';
import { callsIn } from '../run-facts.ts';
import { endedRuns, storedFacts } from '../stored-facts.ts';
import type { Suggestion } from '../suggestion.ts';
import { withoutMember, withoutTool, withSteadyBeginning } from './changed-requests.ts';
import type { GivenAnswer, TrialChange } from './fork-trial.ts';
import { tryOnForks } from './fork-trial.ts';
import type { TrialOptions } from './trial-options.ts';
import { cachedOutcome, recordedCalls } from './recorded-calls.ts';
import type { ForkEnd, TrialResult } from './trial-result.ts';
import { hasEndedTheSame, isActive } from './trial-result.ts';
import { SHORTENED } from './verdicts.ts';

/** The number of runs that are forked by default. */
const TRIED = 5;

/** The runs that are forked, with their facts. */
type ChosenRuns = readonly (readonly [RunEntry, RunFacts])[];

/** The trials on runs of one agent or team. */
export class Trials {
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

  get modelName(): string {
    return this.model === undefined ? 'their own models' : `${this.model.provider}:${this.model.id}`;
  }

  otherModel({ agent }: Suggestion): Promise<TrialResult> {
    const known = this.#models.get(agent);
    if (known !== undefined) return known;
    const isWanted = ({ status }: RunEntry): boolean => status === 'completed';
    const trial = this.#chosen(agent, isWanted).then((runs) =>
      this.#try(agent, runs, { isReplaced: true, hasPassed: hasEndedTheSame }),
    );
    this.#models.set(agent, trial);
    return trial;
  }

  async strongerModel(found: Suggestion): Promise<TrialResult> {
    const hasPassed = (_: RunFacts, { facts, hasDiverged }: ForkEnd): boolean =>
      !hasDiverged && facts?.status === 'completed' && !facts.revised.includes(found.agent);
    return this.#try(found.agent, await this.#showing(found), { isReplaced: true, hasPassed });
  }

  async shorterResults(found: Suggestion): Promise<TrialResult> {
    const { agent, tool = '' } = found;
    const cut = { agent, tool, most: SHORTENED };
    return this.#try(agent, await this.#showing(found), { cut, hasPassed: hasEndedTheSame });
  }

  async joinedCalls(found: Suggestion): Promise<TrialResult> {
    const answersOf = (run: RunFacts) => joinedAnswers(run, found.description);
    return this.#try(found.agent, await this.#showing(found), { answersOf, hasPassed: hasEndedTheSame });
  }

  async fewerTools(found: Suggestion): Promise<TrialResult> {
    const { agent, tool = '' } = found;
    return this.#try(agent, await this.#showing(found), {
      requestOf: (request) => withoutTool(tool, request),
      hasPassed: hasEndedTheSame,
    });
  }

  /** With the answers that a cache would have given, be they those of the run or not. */
  async cachedAnswers(found: Suggestion): Promise<TrialResult> {
    const runs = await this.#showing(found);
    const hits = await this.#hitsIn(new Set(runs.map(([{ runId }]) => runId)), found.agent);
    return this.#try(found.agent, runs, {
      callsOf: (run) =>
        recordedCalls(run, (call) => {
          const known = hits.get(`${run.runId} ${call.seq}`);
          return known === undefined
            ? call.answer && { ms: call.ms, outcome: { answer: call.answer } }
            : cachedOutcome(known);
        }),
      hasPassed: hasEndedTheSame,
    });
  }

  /** Each failure that was retried without success is final: the next model is asked at once, or none. */
  async noRetries(found: Suggestion): Promise<TrialResult> {
    const { agent, description } = found;
    const isFutile = (name: string): boolean =>
      description.startsWith(describeRetries(agent, name, 0).split(' in 0 ')[0] ?? '');
    return this.#try(agent, await this.#showing(found), {
      callsOf: (run) =>
        recordedCalls(run, undefined, (failure) => {
          const { model: name, attempt, error } = failure;
          if (failure.agent !== agent || !isFutile(nameRetry({ kind: 'model', name, code: error.code })))
            return error;
          return attempt > 1 ? undefined : { ...error, retryable: 'no' };
        }),
      hasPassed: hasEndedTheSame,
    });
  }

  /** Undefined where it is the conversation that changes, which has no other order. */
  async steadyBeginning(found: Suggestion): Promise<TrialResult | undefined> {
    const { instructions, tools } = found.evidence.measured;
    if (instructions === undefined && tools === undefined) return undefined;
    const runs = await this.#showing(found);
    const requests = runs.flatMap(([, run]) =>
      callsIn(run).flatMap((call) => (call.agent === found.agent && call.request ? [call.request] : [])),
    );
    const requestOf = withSteadyBeginning(requests);
    return this.#try(found.agent, runs, { requestOf, hasPassed: hasEndedTheSame });
  }

  /** Undefined where no model judges: then the others are chosen as they were, or by code. */
  async fewerMembers(found: Suggestion): Promise<TrialResult | undefined> {
    const runs = await this.#showing(found);
    const choices = runs.flatMap(([, run]) => run.choices.filter(({ agent }) => agent === found.agent));
    const names = choices.flatMap(({ options }) => options);
    const dead = names.find((option) => found.description.startsWith(describeDead(found.agent, option)));
    const judge = choices.find((choice) => choice.judge !== undefined)?.judge;
    if (dead === undefined || judge === undefined) return undefined;
    const requestOf: TrialChange['requestOf'] = (request) => withoutMember(dead, request);
    return this.#try(judge, runs, { requestOf, hasPassed: hasEndedTheSame });
  }

  #showing({ agent, evidence }: Suggestion): Promise<ChosenRuns> {
    return this.#chosen(agent, ({ runId }) => evidence.runs.includes(runId));
  }

  /** The newest wanted runs in which the agent that is changed did something. */
  async #chosen(changed: string, isWanted: (run: RunEntry) => boolean): Promise<ChosenRuns> {
    const { agent, runs = TRIED } = this.#options;
    const chosen: (readonly [RunEntry, RunFacts])[] = [];
    for (const run of (await endedRuns(this.#store)).toReversed()) {
      if (chosen.length === runs) break;
      if (run.agent !== agent.name || !isWanted(run)) continue;
      const facts = await storedFacts(this.#store, run.runId);
      if (facts !== undefined && isActive(facts, changed)) chosen.unshift([run, facts]);
    }
    return chosen;
  }

  #try(changed: string, runs: ChosenRuns, change: Omit<TrialChange, 'model'>): Promise<TrialResult> {
    const { agent, prices, context, clock } = this.#options;
    const trial = { ...change, model: this.model, agent, changed, prices, context, clock };
    return tryOnForks(this.#store, runs, trial);
  }

  /** The calls of an agent in some runs that a cache would have answered, each with the one whose answer it would have given. */
  async #hitsIn(runs: ReadonlySet<string>, agent: string): Promise<ReadonlyMap<string, CallFact>> {
    const cache = new ImaginedCache<CallFact>();
    const hits = new Map<string, CallFact>();
    const left = new Set(runs);
    for (const { runId } of await endedRuns(this.#store)) {
      if (left.size === 0) break;
      const facts = await storedFacts(this.#store, runId);
      for (const call of facts === undefined ? [] : callsIn(facts)) {
        const known = cache.answerTo(call);
        if (known !== undefined && call.agent === agent && runs.has(runId))
          hits.set(`${runId} ${call.seq}`, known);
      }
      left.delete(runId);
    }
    return hits;
  }
}

/** The first answer of a run whose calls the suggestion would put together, with all of them in either order. */
const joinedAnswers = (run: RunFacts, description: string): readonly GivenAnswer[] => {
  const found = serialCallsIn(run).find((serial) => describeSerial(serial) === description);
  if (found?.asked === undefined) return [];
  const { seq, endedAt: at } = found.asked;
  const calls = found.calls.map(({ tool: name, input }) => ({ name, input }));
  return [
    { seq, at, calls },
    { seq, at, calls: calls.toReversed() },
  ];
};
