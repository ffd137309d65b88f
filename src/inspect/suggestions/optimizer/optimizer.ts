import { onDemand } from '../../../base/on-demand.ts';
import {
  aBoolean,
  aFunction,
  aNumber,
  anything,
  byName,
  fulfilling,
  isObject,
  objectWith,
  oneOf,
  optional,
  optionsSchema,
  together,
  wholeNumber,
} from '../../../base/schemas/option-schemas.ts';
import { checkOptions } from '../../../contracts/errors/check-options.ts';
import type { Hook, HookScope, LiveEvent } from '../../../contracts/events/event.ts';
import type { Model, ModelChoice } from '../../../contracts/models/model.ts';
import type { EngineResource } from '../../../contracts/runs/engine.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { ModelUse } from '../../../contracts/runs/run-options.ts';
import { messageOf } from '../../../contracts/errors/error.ts';
import { resolveModel } from '../../../models/model-registry.ts';
import { wrapModel } from '../../../models/wrap-model.ts';
import type { AnswerCache, AnswerCacheOptions } from '../../../runtime/resources/answer-cache.ts';
import { answerCache } from '../../../runtime/resources/answer-cache.ts';
import type { ModelTrialOptions } from '../proof/model-trial.ts';
import type { RunFacts } from '../run-facts.ts';
import { SuggestionBook } from '../suggestion-book.ts';
import type { Suggestion, Target } from '../suggestion.ts';
import { targets } from '../suggestion.ts';
import { readEvents, RunsInProgress } from './read-runs.ts';
import type { GuardMetric } from './run-window.ts';
import { guardMetrics, RunWindow } from './run-window.ts';

/** Options of {@link optimizer}. */
export interface OptimizerOptions {
  /** The goal of its suggestions. Default `cost`. */
  readonly target?: Target | undefined;
  /** True to apply suggestions; else it only collects them. Default false. */
  readonly apply?: boolean | undefined;
  /** The metric that must not get worse by more than a part: of the runs for errors, else of the value before. Default: errors, 0.05. */
  readonly guard?:
    | { readonly metric?: GuardMetric | undefined; readonly worseBy?: number | undefined }
    | undefined;
  /** The number of runs before a change that it is compared with, and of runs after it that are compared. Default 20. */
  readonly runs?: number | undefined;
  /** Lets it apply a cache, with these options: name the tenant by `scope`. Without it none is applied. */
  readonly cache?: AnswerCacheOptions | undefined;
  /** Lets it use another model in place of one, by its `provider:id`. Those without one stay. */
  readonly models?: Readonly<Record<string, ModelChoice>> | undefined;
  /**
   * Tries another model on runs of a store before it is applied, as `prove` of {@link suggestions} does, and applies none that they refute. It is for
   * runs of these agents, as they are now. Without it, another model is tried on the next runs.
   */
  readonly prove?:
    | (Pick<ModelTrialOptions, 'runs' | 'prices' | 'context'> & {
        readonly store: JournalStore;
        readonly agents: readonly ModelTrialOptions['agent'][];
      })
    | undefined;
  /** Called for each change. */
  readonly onChange?: ((change: OptimizerChange) => void) | undefined;
}

/** A change that an optimizer made. */
export interface OptimizerChange {
  /** `kept`: the guard metric of a full window of runs did not get worse. */
  readonly kind: 'applied' | 'kept' | 'rolled-back';
  readonly suggestion: Suggestion;
  readonly metric: GuardMetric;
  /** The mean of the runs before. */
  readonly before: number;
  /** The mean of the runs since; absent where there are none yet. */
  readonly after?: number | undefined;
}

/** Suggests, and applies, what makes runs better; see {@link optimizer}. */
export interface Optimizer extends Omit<EngineResource, 'flush'>, Omit<Hook, 'flush'> {
  readonly name: string;
  around(model: Model, use?: ModelUse): Model;
  close(): void;
  /** The suggestions by now, the greatest share first. */
  readonly suggestions: readonly Suggestion[];
  /** The suggestions that are in force. */
  readonly applied: readonly Suggestion[];
}

/**
 * Creates an observer of runs that collects suggestions, and applies those that can be taken back: a cache of answers, and another model.
 *
 * Give it to an engine, or to runs, twice: among the `resources`, and among the `hooks`. It applies one change at a time, after a full window
 * of runs, and compares the guard metric of the next runs with that of those before. A change that makes it worse is rolled back, and not
 * applied again; with the metric `errors` as soon as that is certain. A cache is applied once repeated calls are proven by exact requests,
 * another model, with `prove`, once forks of recorded runs end the same and take less; without, it is tried on the runs themselves. With the metric `cost` nothing is applied
 * while a price is not known. The log of each run with a change has `optimizer.applied` (`custom.emitted`), that of the next call after a
 * rollback `optimizer.rolled-back`.
 *
 * @example
 * const better = optimizer({ apply: true, target: 'latency', cache: {}, guard: { metric: 'errors', worseBy: 0.02 } });
 * const engine = createGlobalEngine({ resources: [better], hooks: [better] });
 *
 * @throws {TroupeError} `resource.invalid` for invalid options, and for `apply` without anything that may be applied; errors of
 * models that cannot be created.
 */
export const optimizer = (options: OptimizerOptions = {}): Optimizer => {
  checkOptions(schema(), options, { code: 'resource.invalid', owner: 'an optimizer' });
  return new RunOptimizer(options);
};

const schema = onDemand(() =>
  together<OptimizerOptions>(
    optionsSchema<OptimizerOptions>({
      target: optional(oneOf(targets)),
      apply: optional(aBoolean()),
      guard: optional(
        optionsSchema<NonNullable<OptimizerOptions['guard']>>({
          metric: optional(oneOf(guardMetrics)),
          worseBy: optional(aNumber(0)),
        }),
      ),
      runs: optional(wholeNumber(1)),
      cache: optional(fulfilling(isObject, 'not the options of a cache: write {} for its defaults')),
      models: optional(
        byName(
          fulfilling(
            (given) => typeof given === 'string' || isObject(given),
            'not a model, or the name of one',
          ),
        ),
      ),
      prove: optional(
        optionsSchema<NonNullable<OptimizerOptions['prove']>>({
          store: objectWith(['list', 'read'], 'not a store of runs: write sqliteStore(…)'),
          agents: fulfilling(isAgents, 'not a list of agents'),
          runs: optional(wholeNumber(1)),
          prices: optional(objectWith(['cost'], 'not a price list')),
          context: anything(),
        }),
      ),
      onChange: optional(aFunction()),
    }),
    ({ apply, cache, models }) =>
      apply === true && cache === undefined && Object.keys(models ?? {}).length === 0
        ? ['apply', 'of use with `cache` or `models` only, which say what may be applied']
        : undefined,
  ),
);

const isAgents = (given: unknown): boolean =>
  Array.isArray(given) && given.length > 0 && given.every((each) => isObject(each) && 'name' in each);

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
    this.#onChange = onChange;
    this.#book = new SuggestionBook(target);
    this.#window = new RunWindow(runs);
  }

  get suggestions(): readonly Suggestion[] {
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
    // A run that began before the last change says nothing about it.
    if (this.#isApplying && changes === this.#changes) this.#weigh(facts);
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

  #applyNext(): void {
    const before = this.#window.mean(this.#metric);
    if (before === undefined) return;
    for (const suggestion of this.suggestions) {
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
    if (type === 'cache') return this.#cache !== undefined && proven ? { suggestion } : undefined;
    if (type !== 'faster-model' && type !== 'smaller-model') return undefined;
    const other = this.#models.get(model ?? '');
    return other === undefined ? undefined : { suggestion, model: other };
  }

  /** False for another model that is still to be proven, which begins here, or was refuted. A proven one is applied after the next run. */
  #mayApply({ suggestion, model }: Application): boolean {
    if (model === undefined || this.#prove === undefined || suggestion.proven) return true;
    if (!this.#isProving && !this.#proofs.has(keyOf(suggestion)))
      void this.#tryOnRecord(suggestion, model, this.#prove);
    return false;
  }

  /** Never rejects: where runs cannot be forked, nothing is proven. */
  async #tryOnRecord(
    suggestion: Suggestion,
    model: Model,
    { store, agents, ...options }: NonNullable<OptimizerOptions['prove']>,
  ): Promise<void> {
    this.#isProving = true;
    const agent = agents.find(({ name }) => name === suggestion.agent);
    let proof: Pick<Suggestion, 'proven' | 'basis'> | undefined;
    try {
      // Forks need all of the runtime.
      const { proveByForks } = await import('../proof/model-trial.ts');
      if (agent !== undefined)
        [proof] = await proveByForks([suggestion], store, { ...options, agent, model });
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

const keyOf = ({ type, agent, model = '' }: Suggestion): string => [type, agent, model].join('\n');

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
