import type { Hook, HookScope, LiveEvent } from '../../../contracts/events/event.ts';
import type { Model } from '../../../contracts/models/model.ts';
import type { EngineResource } from '../../../contracts/runs/engine.ts';
import type { ModelUse } from '../../../contracts/runs/run-options.ts';
import { messageOf } from '../../../contracts/errors/error.ts';
import { resolveModel } from '../../../models/model-registry.ts';
import { wrapModel } from '../../../models/wrap-model.ts';
import type { AnswerCache } from '../../../runtime/resources/answer-cache.ts';
import { answerCache } from '../../../runtime/resources/answer-cache.ts';
import type { RunFacts } from '../run-facts.ts';
import { SuggestionBook } from '../suggestion-book.ts';
import type { Suggestion } from '../suggestion.ts';
import type { OptimizerChange, OptimizerOptions } from './optimizer-options.ts';
import { checkOptimizerOptions } from './optimizer-options.ts';
import { readEvents, RunsInProgress } from './read-runs.ts';
import type { GuardMetric } from './run-window.ts';
import { RunWindow } from './run-window.ts';

/** Suggests, and applies, what makes runs better; see {@link optimizer}. */
export interface Optimizer extends Omit<EngineResource, 'flush'>, Omit<Hook, 'flush'> {
  readonly name: string;
  around(model: Model, use?: ModelUse): Model;
  close(): void;
  /** The suggestions by now, the greatest share first: those that are proven, unless others are wanted, too. */
  readonly suggestions: readonly Suggestion[];
  /** The suggestions that are in force. */
  readonly applied: readonly Suggestion[];
}

/**
 * Creates an observer of runs that collects suggestions, and applies those that can be taken back: a cache of answers, and another model.
 *
 * Give it to an engine, or to runs, twice: among the `resources`, and among the `hooks`. It applies one change at a time, after a full window
 * of runs, and compares the guard metric of the next runs with that of those before. A change that makes it worse is rolled back, and not
 * applied again; with the metric `errors` as soon as that is certain. A cache is applied once calls with equal requests are seen to get equal
 * answers, another model once forks of recorded runs end the same and take less; with `unproven` and without `prove` it is tried on the runs
 * themselves. With the metric `cost` nothing is applied while a price is not known. The log of each run with a change has `optimizer.applied` (`custom.emitted`), that of the next call after a
 * rollback `optimizer.rolled-back`.
 *
 * @example
 * const better = optimizer({ apply: true, target: 'latency', cache: {}, guard: { metric: 'errors', worseBy: 0.02 } });
 * const engine = createGlobalEngine({ resources: [better], hooks: [better] });
 *
 * @throws {TroupeError} `resource.invalid` for invalid options, for `apply` without anything that may be applied, and for models without a way to
 * prove them, unless `unproven`; errors of models that cannot be created.
 */
export const optimizer = (options: OptimizerOptions = {}): Optimizer => {
  checkOptimizerOptions(options);
  return new RunOptimizer(options);
};

const RUNS = 20;

/** A suggestion in force. */
interface Application {
  readonly suggestion: Suggestion;
  /** In place of the suggestion's model. */
  readonly model?: Model | undefined;
}

/** An application that is being judged. */
interface Trial {
  readonly application: Application;
  readonly before: number;
  readonly window: RunWindow;
}

class RunOptimizer implements Optimizer {
  readonly name = 'optimizer';
  readonly on = readEvents;
  readonly wantsRequests = true;
  readonly #isApplying: boolean;
  readonly #metric: GuardMetric;
  readonly #worseBy: number;
  readonly #runs: number;
  readonly #cache: AnswerCache | undefined;
  readonly #models: ReadonlyMap<string, Model>;
  readonly #prove: OptimizerOptions['prove'];
  readonly #isUnprovenOffered: boolean;
  readonly #onChange: OptimizerOptions['onChange'];
  readonly #book: SuggestionBook;
  readonly #reading = new RunsInProgress();
  readonly #applications = new Set<Application>();
  /** Suggestions that were applied once. */
  readonly #tried = new Set<string>();
  /** Results of trials on recorded runs, by suggestion. */
  readonly #proofs = new Map<string, Pick<Suggestion, 'proven' | 'basis'>>();
  #isProving = false;
  /** Rollbacks that no log has yet. */
  readonly #untold: OptimizerChange[] = [];
  /** The number of changes when a run began: it is judged by what was in force then. */
  readonly #begun = new Map<string, number>();
  #changes = 0;
  #window: RunWindow;
  #trial: Trial | undefined;

  constructor({
    target = 'cost',
    apply = false,
    guard = {},
    runs = RUNS,
    cache,
    models,
    prove,
    unproven = false,
    onChange,
  }: OptimizerOptions) {
    this.#isApplying = apply;
    this.#metric = guard.metric ?? 'errors';
    this.#worseBy = guard.worseBy ?? 0.05;
    this.#runs = runs;
    this.#cache = cache === undefined ? undefined : answerCache(cache);
    this.#models = new Map(
      Object.entries(models ?? {}).map(([name, choice]) => [name, resolveModel(choice)]),
    );
    this.#prove = prove;
    this.#isUnprovenOffered = unproven;
    this.#onChange = onChange;
    this.#book = new SuggestionBook(target);
    this.#window = new RunWindow(runs);
  }

  get suggestions(): readonly Suggestion[] {
    return this.#isUnprovenOffered ? this.#found : this.#found.filter(({ proven }) => proven !== false);
  }

  get #found(): readonly Suggestion[] {
    return this.#book.suggestions.map((each) => ({ ...each, ...this.#proofs.get(keyOf(each)) }));
  }

  get applied(): readonly Suggestion[] {
    return [...this.#applications].map(({ suggestion }) => suggestion);
  }

  around(model: Model, use?: ModelUse): Model {
    if (!this.#isApplying || use === undefined) return model;
    this.#begin(use.runId);
    const named = `${model.provider}:${model.id}`;
    const mine = [...this.#applications].filter(
      ({ suggestion }) => suggestion.agent === use.agent && (suggestion.model ?? named) === named,
    );
    const chosen = mine.find((each) => each.model !== undefined)?.model ?? model;
    const isCached = mine.some(({ suggestion }) => suggestion.type === 'cache');
    const asked = isCached ? (this.#cache?.around(chosen, use) ?? chosen) : chosen;
    let isTold = false;
    return wrapModel(asked, (request, call) => {
      if (!isTold) for (const { suggestion } of mine) use.emit('optimizer.applied', changeData(suggestion));
      isTold = true;
      for (const change of this.#untold.splice(0)) use.emit('optimizer.rolled-back', rollbackData(change));
      return asked.answer(request, call);
    });
  }

  handle(event: LiveEvent, scope: HookScope): void {
    if (event.type === 'run.started') this.#begin(event.runId);
    const facts = this.#reading.take(event, scope);
    if (facts === undefined) return;
    this.#book.take(facts);
    const changes = this.#begun.get(facts.runId);
    this.#begun.delete(facts.runId);
    if (!this.#isApplying) this.#collect(facts);
    // A run that began before the last change says nothing about it.
    else if (changes === this.#changes) this.#weigh(facts);
  }

  close(): void {
    this.#cache?.close();
  }

  #begin(runId: string): void {
    if (this.#begun.has(runId)) return;
    this.#begun.set(runId, this.#changes);
    const [oldest] = this.#begun.keys();
    if (this.#begun.size > MOST_BEGUN && oldest !== undefined) this.#begun.delete(oldest);
  }

  #weigh(run: RunFacts): void {
    if (this.#trial === undefined) {
      this.#window.add(run);
      if (this.#window.isFull) this.#applyNext();
      return;
    }
    const { window, before } = this.#trial;
    window.add(run);
    const isLost = this.#metric === 'errors' && window.failedShare > before + this.#worseBy;
    if (isLost || (window.isFull && this.#isWorse(window.mean(this.#metric), before)))
      this.#rollBack(this.#trial);
    else if (window.isFull) this.#keep(this.#trial);
  }

  /** Proves suggestions after each full window of runs, where none is applied. */
  #collect(run: RunFacts): void {
    this.#window.add(run);
    if (!this.#window.isFull) return;
    this.#window = new RunWindow(this.#runs);
    for (const suggestion of this.#found) {
      const application = this.#applicationOf(suggestion);
      if (application !== undefined) this.#startProof(application);
    }
  }

  #applyNext(): void {
    const before = this.#window.mean(this.#metric);
    if (before === undefined) return;
    for (const suggestion of this.#found) {
      const application = this.#tried.has(keyOf(suggestion)) ? undefined : this.#applicationOf(suggestion);
      if (application === undefined || !this.#mayApply(application)) continue;
      this.#tried.add(keyOf(suggestion));
      this.#applications.add(application);
      this.#trial = { application, before, window: new RunWindow(this.#runs) };
      this.#changed({ kind: 'applied', suggestion, metric: this.#metric, before });
      return;
    }
  }

  #applicationOf(suggestion: Suggestion): Application | undefined {
    const { type, model, proven } = suggestion;
    if (type === 'cache') return this.#cache !== undefined && proven !== false ? { suggestion } : undefined;
    if (type !== 'faster-model' && type !== 'smaller-model') return undefined;
    const other = this.#models.get(model ?? '');
    return other === undefined ? undefined : { suggestion, model: other };
  }

  /** False for another model that is still to be proven, which begins here, or was refuted. A proven one is applied after the next run. */
  #mayApply(application: Application): boolean {
    if (application.model === undefined || application.suggestion.proven !== false) return true;
    this.#startProof(application);
    return this.#prove === undefined && this.#isUnprovenOffered;
  }

  /** Starts to try another model on recorded runs, unless it was tried, or one is being tried. */
  #startProof({ suggestion, model }: Application): void {
    if (model === undefined || this.#prove === undefined || this.#isProving) return;
    if (!this.#proofs.has(keyOf(suggestion))) void this.#tryOnRecord(suggestion, model, this.#prove);
  }

  /** Never rejects: where runs cannot be forked, nothing is proven. */
  async #tryOnRecord(
    suggestion: Suggestion,
    model: Model,
    { store, agents, ...options }: NonNullable<OptimizerOptions['prove']>,
  ): Promise<void> {
    this.#isProving = true;
    let proof: Pick<Suggestion, 'proven' | 'basis'> | undefined;
    try {
      // Forks need all of the runtime.
      const { proveByForks } = await import('../proof/prove-by-forks.ts');
      // Of a member of a team, the runs are those of the team.
      for (const agent of agents) {
        const [tried] = await proveByForks([suggestion], store, { ...options, agent, model });
        if (tried !== suggestion) proof = tried;
      }
    } catch (thrown) {
      proof = { proven: false, basis: `no run could be forked: ${messageOf(thrown)}` };
    }
    const { proven, basis } = proof ?? {
      proven: false,
      basis: `'${suggestion.agent}' is none of the agents whose runs may be forked`,
    };
    this.#proofs.set(keyOf(suggestion), { proven, basis });
    this.#isProving = false;
  }

  /** A cost that is not known any more is no better one. */
  #isWorse(after: number | undefined, before: number): boolean {
    if (after === undefined) return true;
    return after > (this.#metric === 'errors' ? before + this.#worseBy : before * (1 + this.#worseBy));
  }

  #rollBack({ application, before, window }: Trial): void {
    const { suggestion } = application;
    this.#applications.delete(application);
    this.#trial = undefined;
    const after = window.mean(this.#metric);
    const change: OptimizerChange = { kind: 'rolled-back', suggestion, metric: this.#metric, before, after };
    this.#untold.push(change);
    this.#changed(change);
  }

  #keep({ application: { suggestion }, before, window }: Trial): void {
    this.#trial = undefined;
    this.#window = window;
    const after = window.mean(this.#metric);
    this.#onChange?.({ kind: 'kept', suggestion, metric: this.#metric, before, after });
  }

  #changed(change: OptimizerChange): void {
    this.#changes += 1;
    this.#onChange?.(change);
  }
}

/** Runs whose beginning is known at most: one that was suspended never ends. */
const MOST_BEGUN = 10_000;

const keyOf = ({ type, agent, model = '', tool = '' }: Suggestion): string =>
  [type, agent, model, tool].join('\n');

const changeData = ({ type, agent, model, description }: Suggestion) => ({
  type,
  agent,
  ...(model === undefined ? {} : { model }),
  description,
});

const rollbackData = ({ suggestion, metric, before, after }: OptimizerChange) => ({
  ...changeData(suggestion),
  metric,
  before,
  ...(after === undefined ? {} : { after }),
});
