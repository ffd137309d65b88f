import { messageOf } from '../../contracts/errors/error.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import { copyRun } from '../../persistence/copy-run.ts';
import { partingAt } from '../../runtime/journal/resume/run-point.ts';
import { LiveBudget } from '../rehearsal/live-budget.ts';
import { RecordedEffects } from '../rehearsal/recorded-effects.ts';
import { Shadow } from '../rehearsal/shadow.ts';
import { shadowFork } from '../rehearsal/shadow-fork.ts';
import type { BlameOptions } from './blame-options.ts';
import type { Sources } from './changed-effects.ts';
import { ChangedEffects } from './changed-effects.ts';
import type { FailedRun } from './failed-run.ts';
import { clockFrom, judge } from './failed-run.ts';
import type { Given, TrialPlan } from './trial-plan.ts';

/** A fork with a change, and what became of it. */
export interface Trial {
  /** True if it does not fail any more. */
  readonly hasTurned: boolean;
  /** The reason why it did not come to its end. */
  readonly stopped: string | undefined;
  /** Given at the points of the plan, by key. */
  readonly given: ReadonlyMap<string, Given>;
  readonly result: RunResult<unknown, unknown> | undefined;
  /** True if another attempt may say something else. */
  readonly isOpen: boolean;
  /** The fork, in a store with the run that it is of. */
  readonly store: JournalStore;
  readonly runId: string;
}

/** Tries changes on forks of a run, within one budget. */
export class Trials {
  readonly #agent: { readonly name: string };
  readonly #run: FailedRun;
  readonly #options: BlameOptions;
  readonly #sources: Sources;
  readonly #budget: LiveBudget;
  forks = 0;
  modelCalls = 0;
  costUsd: number | undefined = 0;
  /** Reasons why forks did not come to their ends. */
  readonly stops = new Set<string>();

  constructor(agent: { readonly name: string }, run: FailedRun, options: BlameOptions, sources: Sources) {
    this.#agent = agent;
    this.#run = run;
    this.#options = options;
    this.#sources = sources;
    const { live } = options;
    this.#budget = new LiveBudget(typeof live === 'object' ? live.budgetUsd : undefined);
    for (const record of run.records)
      if (record.kind === 'event' && record.event.type === 'model.answered')
        this.#budget.expect(record.event.costUsd);
  }

  /** The reason why the search does less than it could: the caller has had enough, or the budget is spent. */
  get stopped(): string | undefined {
    return this.isOver ? 'it was cancelled' : this.#budget.spent;
  }
  /** True once nothing more may be tried. Without money, what is on record still may. */
  get isOver(): boolean {
    return this.#options.signal?.aborted === true;
  }
  get #mayAsk(): boolean {
    return (this.#options.live ?? false) !== false && this.#budget.spent === undefined;
  }

  async try(plan: TrialPlan): Promise<Trial> {
    const { entry, copy, records } = this.#run;
    const { model, secrets, secretKey, context, safety, signal, live, fails } = this.#options;
    const { prices, tools } = typeof live === 'object' ? live : {};
    const from = plan.points.reduce((least, point) => Math.min(least, point.from), Infinity);
    // After the input: the first event is that the run has begun.
    const at = { seq: Math.max(1, from) };
    const recorded = new RecordedEffects(this.#sources.recording, partingAt(records, at).records);
    const changed = new ChangedEffects(plan, this.#sources, recorded, () => this.#mayAsk);
    const shadow = new Shadow(recorded, this.#budget, tools, changed);
    const message = plan.points.find(({ kind }) => kind === 'message');
    const store = await copyRun(copy, entry);
    this.forks += 1;
    const runId = `${entry.runId}-blame-${this.forks}`;
    let result: RunResult<unknown, unknown> | undefined;
    try {
      const text = message === undefined ? undefined : await changed.message(message);
      ({ result } = await shadowFork(this.#agent, entry.runId, shadow, {
        runId,
        store,
        at,
        change: { ...(model === undefined ? {} : { model }), ...(text === undefined ? {} : { text }) },
        secrets,
        secretKey,
        context,
        safety,
        prices,
        signal,
        clock: clockFrom(timeOf(records, at.seq)),
      }));
    } catch (thrown) {
      if (shadow.stopped === undefined) shadow.stop(messageOf(thrown));
    }
    if (changed.problem !== undefined) throw changed.problem.thrown;
    this.modelCalls += shadow.modelCalls;
    this.costUsd =
      this.costUsd === undefined || shadow.costUsd === undefined ? undefined : this.costUsd + shadow.costUsd;
    const stopped = shadow.stopped ?? (result === undefined ? 'it failed without a result' : undefined);
    if (stopped !== undefined) this.stops.add(stopped);
    // The output has the agent's type, since this agent ran.
    const hasTurned =
      stopped === undefined && result !== undefined && !(await judge(fails, result as RunResult));
    const { given, isOpen } = changed;
    return { hasTurned, stopped, given, isOpen, result, store, runId };
  }
}

const timeOf = (records: FailedRun['records'], seq: number): number => {
  const found = records.find((each) => each.kind === 'event' && each.event.seq === seq);
  return found?.kind === 'event' ? found.event.at : 0;
};
