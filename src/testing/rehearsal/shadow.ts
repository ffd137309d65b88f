import { toJson } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Hook } from '../../contracts/events/event.ts';
import type { Model, ModelAnswer, ModelCall, ModelRequest } from '../../contracts/models/model.ts';
import type { Person } from '../../contracts/people/person.ts';
import { keyInRun } from '../../contracts/runs/effect.ts';
import type { ModelUse, SharedResource } from '../../contracts/runs/run-options.ts';
import type { ExecutableCall, ToolExecutor } from '../../contracts/tools/executor.ts';
import { wrapModel } from '../../models/wrap-model.ts';
import { callName } from '../cassette.ts';
import type { LiveBudget } from './live-budget.ts';
import type { RecordedEffects } from './recorded-effects.ts';
import type { LiveOptions } from './rehearse-options.ts';

/** A request to a model of a fork. */
export interface ShadowRequest {
  /** Without the run. */
  readonly key: string;
  /** `provider:id` */
  readonly model: string;
  readonly request: ModelRequest;
  /** Asks the model itself, within the budget. */
  readonly ask: () => ModelAnswer | Promise<ModelAnswer>;
  /** Ends the fork, and makes the error to throw. */
  readonly stop: (why: string) => TroupeError;
}

/** A call of a tool of a fork. */
export interface ShadowCall extends ExecutableCall {
  /** Its name within the run, whatever the attempt. */
  readonly name: string;
  readonly stop: ShadowRequest['stop'];
}

/** The part of a shadow that answers in place of the record: undefined leaves it to that. */
export interface Intervention {
  answer(asked: ShadowRequest): ModelAnswer | Promise<ModelAnswer> | undefined;
  result(call: ShadowCall): { readonly play: () => unknown } | undefined;
}

/** Stands between a fork and the world: answers what is on record from there, and stops what may not be done. */
export class Shadow {
  readonly #recorded: RecordedEffects;
  readonly #budget: LiveBudget;
  readonly #tools: LiveOptions['tools'];
  readonly #instead: Intervention | undefined;
  readonly #controller = new AbortController();
  /** Keys of calls that went to a model. */
  readonly #live = new Set<string>();
  stopped: string | undefined;
  costUsd: number | undefined = 0;

  constructor(
    recorded: RecordedEffects,
    budget: LiveBudget,
    tools: LiveOptions['tools'],
    instead?: Intervention,
  ) {
    this.#recorded = recorded;
    this.#budget = budget;
    this.#tools = tools;
    this.#instead = instead;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
  get modelCalls(): number {
    return this.#live.size;
  }

  readonly models: SharedResource = {
    around: (own: Model, use?: ModelUse) =>
      wrapModel(own, (request, call) => {
        const model = `${own.provider}:${own.id}`;
        const key = keyInRun({ key: call.key, runId: use?.runId ?? '' });
        const ask = () => this.#ask(own, request, call);
        const known =
          this.#instead?.answer({ key, model, request, ask, stop: this.stop }) ??
          this.#recorded.answer(model, request, key);
        return known ?? ask();
      }),
  };

  readonly execute: ToolExecutor = (call) => {
    const { tool, facts, input, run, context } = call;
    const { path, step, callId, attempt } = context;
    const name = `${path}#${step}.${callId}`;
    const known =
      this.#instead?.result({ ...call, name, stop: this.stop }) ??
      this.#recorded.result(tool, input, callName(path, step, callId, attempt));
    if (known !== undefined) return known.play();
    if (this.#tools === 'read' && facts.safety === 'read' && facts.undeclared !== true) return run();
    throw this.stop(`it calls '${tool}' with ${short(input)}, which is not on record`);
  };

  readonly person: Person = {
    answer: (question) => {
      const known = this.#recorded.text(question);
      if (known === undefined) throw this.stop(`it asks a person what is not on record: ${short(question)}`);
      return known;
    },
    approve: ({ tool, input }) => {
      if (this.#recorded.has(tool, input)) return true;
      throw this.stop(`a person has to approve '${tool}' with ${short(input)}, which is not on record`);
    },
  };

  readonly hook: Hook = {
    name: 'rehearsal',
    on: 'model.answered',
    handle: (event) => {
      if (event.type !== 'model.answered' || !this.#live.has(event.key)) return;
      const { costUsd } = event;
      this.#budget.settle(event.key, costUsd);
      this.costUsd = this.costUsd === undefined || costUsd === undefined ? undefined : this.costUsd + costUsd;
    },
  };

  /** Ends the fork, for the first reason that is given. */
  readonly stop = (why: string): TroupeError => {
    this.stopped ??= why;
    this.#controller.abort(why);
    return new TroupeError('run.aborted', `Cannot go on with the fork as ${why}`);
  };

  #ask(own: Model, request: ModelRequest, call: ModelCall): ModelAnswer | Promise<ModelAnswer> {
    const refused = this.#budget.begin(call.key);
    if (refused !== undefined) throw this.stop(refused);
    this.#live.add(call.key);
    return own.answer(request, call);
  }
}

/** Characters of an input in the reason why a run is stopped. */
const LONGEST = 120;

const short = (value: unknown): string => {
  const text = JSON.stringify(toJson(value));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};
