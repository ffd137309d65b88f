import type { Json } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';
import { messageOf } from '../../../contracts/errors/error.ts';
import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { Model } from '../../../contracts/models/model.ts';
import { keyInRun } from '../../../contracts/runs/effect.ts';
import type { ModelUse, RunOptions } from '../../../contracts/runs/run-options.ts';
import type { ExecutableCall } from '../../../contracts/tools/executor.ts';
import { wrapModel } from '../../../models/wrap-model.ts';
import { nextTurn } from '../../../runtime/run/pacer.ts';
import type { DrivenTimer } from '../../resilience/driven-clock.ts';
import { DrivenClock } from '../../resilience/driven-clock.ts';
import { faultFacts } from '../../resilience/fault.ts';
import { FaultyStore } from '../../resilience/faulty-store.ts';
import type { Executions } from '../../resilience/faulty-world.ts';
import { FaultyWorld } from '../../resilience/faulty-world.ts';
import { Arrivals } from './arrivals.ts';
import type { Choices } from './choices.ts';
import { simplestOf, valueBy } from './generated-value.ts';
import { generatedModel } from './generated-model.ts';
import type { SimulatedCast } from './simulated-cast.ts';
import { ProcessClock } from './process-clock.ts';
import { placeOfCall, SeededPlan } from './seeded-plan.ts';
import type { Teller } from '../story.ts';
import { brief, Tale, wordsOfAnswer } from '../story.ts';
import type { Temper } from './temper.ts';

/** The id of a simulated run. */
export const RUN_ID = 'simulated';

/** The start of all simulated runs, in ms since 1970. */
const STARTS_AT = Date.UTC(2026, 0, 1);

/** Time that is waited for genuine work that nothing is known of, and after which it is taken for work that never ends, in ms of the platform. */
const UNKNOWN_MS = 40;

/** Tools of the runtime itself, by their categories: nothing of them is outside. */
const INNER: ReadonlySet<string> = new Set([
  'control',
  'people',
  'messages',
  'tools',
  'skills',
  'math',
  'time',
]);

/** Chooses among what is due at the same time, by how the agents got there. */
export type Choose = (ready: readonly [DrivenTimer, ...DrivenTimer[]], past: Past) => DrivenTimer;

/** Everything that what follows in a run may depend on. */
export interface Past {
  readonly events: readonly RuntimeEvent[];
  /** Places at which code of the agents' own was executed, in its order: it may share a state. */
  readonly executed: readonly string[];
}

/** Parts of a world that are given to it. */
export interface WorldParts {
  /** Asked when the first process starts: the agents may have the clock of this world. */
  readonly cast: () => SimulatedCast;
  readonly choices: Choices;
  readonly temper: Temper;
  readonly store: JournalStore;
  /** The model of all agents, in place of their own. */
  readonly model?: Model | undefined;
  /** Tools are answered without executing them: all, none, or, by default, those that a generated model calls. */
  readonly tools?: 'executed' | 'simulated' | undefined;
  /** Names of models and tools whose work never ends by itself: known to all worlds of a simulation. */
  readonly deaf: Set<string>;
  /** Chooses among what is due at the same time, in place of the seed. */
  readonly choose?: Choose | undefined;
}

/** One process of a simulated run. */
export interface SimulatedProcess {
  readonly clock: ProcessClock;
  readonly store: JournalStore;
  /** Resolves when it is killed. */
  readonly died: Promise<void>;
  readonly options: Pick<RunOptions, 'runId' | 'clock' | 'executor' | 'resources' | 'model'> & {
    readonly runId: string;
    readonly store: JournalStore;
  };
}

/** The world of one simulated run: its time, its models, tools and store, and the processes that have the run, one after the other. */
export class SimulatedWorld {
  readonly clock: DrivenClock;
  /** The clock as the agent's own code has it. */
  readonly own: ProcessClock;
  /** The clock of people and callers. */
  readonly outside: ProcessClock;
  readonly tale = new Tale(STARTS_AT);
  readonly #parts: WorldParts;
  readonly #plan: SeededPlan;
  readonly #executed: Executions = new Map();
  readonly #arrivals: Arrivals;
  #known: SimulatedCast | undefined;
  /** Addresses of agents whose model is generated. */
  readonly #generated = new Set<string>();

  constructor(parts: WorldParts) {
    const { choices, temper, deaf, choose } = parts;
    this.#parts = parts;
    this.#arrivals = new Arrivals(parts);
    this.clock = new DrivenClock(STARTS_AT, {
      choose: (ready) =>
        choose === undefined
          ? this.#chooseByTurn(ready)
          : choose(ready, { events: this.tale.events, executed: this.#arrivals.executed }),
      turn: () => new Promise((resolve) => nextTurn(resolve)),
      unknownMs: UNKNOWN_MS,
      deaf,
      onFire: () => {
        this.#arrivals.note();
      },
      isAwaited: () => this.own.pending.length > 0,
    });
    this.own = new ProcessClock(this.clock);
    this.outside = new ProcessClock(this.clock);
    this.#plan = new SeededPlan({ choices, temper, runId: RUN_ID }, ({ at, kind, path, of }) => {
      const { dependency, words } = faultFacts(kind);
      this.tell({ by: dependency, path, does: of === undefined ? words : `${of} ${words}` }, at);
    });
  }

  get #cast(): SimulatedCast {
    return (this.#known ??= this.#parts.cast());
  }

  /** Tools that must not be executed twice for the same call, and were. */
  get executedTwice(): readonly string[] {
    return [...this.#executed.values()].filter(({ times }) => times > 1).map(({ tool }) => tool);
  }

  /** Calls of models and tools that have not ended, in words. */
  get underWay(): readonly string[] {
    return this.#arrivals.underWay;
  }

  /** Checks whether an agent, or one below it, had a call under way before time moved on last. */
  wasServed(path: string): boolean {
    return this.#arrivals.wasServed(path);
  }

  /** Checks whether a call was executed that must not be repeated. */
  wasExecuted(call: string): boolean {
    return [...this.#executed.keys()].some((each) => each.startsWith(`${call}.`));
  }

  /** Adds to the story of the run. */
  tell(told: Teller, at?: string): void {
    const { decisions } = this.#parts.choices;
    this.tale.tell(told, this.clock.now(), at !== undefined && decisions.some((each) => each.at === at));
  }

  /** Starts another process, which has the run from now on. */
  begin(events: readonly RuntimeEvent[]): SimulatedProcess {
    const { store, model: given, choices, temper } = this.#parts;
    this.#plan.renew();
    // What a process that is gone had under way, nobody waits for.
    this.#arrivals.forget();
    this.tale.follow(events);
    const clock = new ProcessClock(this.clock);
    const faulty = new FaultyStore(
      store,
      () => this.#plan.write(),
      (work) => clock.during(() => work),
    );
    const world = new FaultyWorld(clock, this.#plan, undefined, this.#executed);
    const generated = generatedModel({ choices, temper, runId: RUN_ID });
    const process = faulty.asProcess();
    const model = given ?? (this.#cast.isLacking ? generated : undefined);
    return {
      clock,
      store: process,
      died: faulty.died,
      options: {
        runId: RUN_ID,
        store: process,
        clock,
        executor: (call) => this.#execute(call, clock, world),
        resources: [
          { around: (inner, use) => this.#arriving(inner, use, clock) },
          world.resource,
          { around: (inner, use) => this.#modelOf(inner, use, generated) },
        ],
        ...(model === undefined ? {} : { model }),
      },
    };
  }

  #chooseByTurn(ready: readonly [DrivenTimer, ...DrivenTimer[]]): DrivenTimer {
    let [first] = ready;
    for (const each of ready) if (this.turnOf(each) < this.turnOf(first)) first = each;
    return first;
  }

  /** The turn of a timer among others: what nobody labelled is in the order in which it was set. */
  turnOf({ label }: DrivenTimer): number {
    const { choices, temper } = this.#parts;
    if (label === undefined) return 0;
    const draw = () =>
      choices.take(label, 'turn', (dice) => (dice.chance(temper.order) ? dice.whole(7) - 3 : undefined));
    return draw() ?? 0;
  }

  /** The model that answers: the one given, the agent's own if it is no language model, else a generated one. */
  #modelOf(inner: Model, use: ModelUse | undefined, generated: Model): Model {
    const { model } = this.#parts;
    if (model !== undefined || (inner.isLanguageModel === false && inner !== generated)) return inner;
    const by = this.#cast.offline.get(use?.agent ?? '') ?? generated;
    if (by === generated) this.#generated.add(use?.path ?? '');
    return wrapModel(inner, (request, call) => by.answer(request, call));
  }

  /** A model whose answers come when the seed says. */
  #arriving(inner: Model, use: ModelUse | undefined, clock: ProcessClock): Model {
    const path = use?.path ?? '';
    return wrapModel(inner, (request, call) => {
      const at = `model ${keyInRun({ key: call.key, runId: RUN_ID })}`;
      const awaited = { at, path, words: `the model of ${path}`, isOwnCode: !this.#generated.has(path) };
      return this.#arrivals.during(awaited, { clock, signal: call.signal }, async () => {
        const answer = await inner.answer(request, call);
        this.tell({ by: 'model', path, does: wordsOfAnswer(answer) }, at);
        return answer;
      });
    });
  }

  async #execute(call: ExecutableCall, clock: ProcessClock, world: FaultyWorld): Promise<unknown> {
    const { tool, facts, context } = call;
    const { path, signal } = context;
    if (INNER.has(facts.category)) return call.run();
    const at = placeOfCall(call);
    const isSimulated = this.#simulates(call);
    const awaited = { at, path, words: `${tool} of ${path}`, isOwnCode: !isSimulated };
    try {
      return await this.#arrivals.during(awaited, { clock, signal }, async () => {
        const result: unknown = await world.execute(
          isSimulated ? { ...call, run: () => this.#resultOf(call, at) } : call,
        );
        this.tell({ by: 'tool', path, does: `${tool} returns ${brief(toJson(result))}` }, at);
        return result;
      });
    } catch (thrown) {
      this.tell({ by: 'tool', path, does: `${tool} fails: ${messageOf(thrown)}` }, at);
      throw thrown;
    }
  }

  /** Checks whether a call is answered without executing its tool. */
  #simulates({ context: { path } }: ExecutableCall): boolean {
    const { tools } = this.#parts;
    return tools === undefined ? this.#generated.has(path) : tools === 'simulated';
  }

  /** The result of a tool that is not executed. */
  #resultOf({ tool }: ExecutableCall, at: string): Json {
    const { choices, temper } = this.#parts;
    const schema = this.#cast.results.get(tool);
    const answer = choices.take(at, 'answer', (dice) => {
      if (!dice.chance(temper.answers)) return undefined;
      return schema === undefined ? `result ${dice.whole(100)}` : valueBy(schema, dice);
    });
    return answer ?? (schema === undefined ? 'done' : simplestOf(schema));
  }
}
