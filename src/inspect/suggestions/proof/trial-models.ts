import { toError } from '../../../contracts/errors/error.ts';
import type { Model, ModelAnswer, ModelRequest } from '../../../contracts/models/model.ts';
import type { ModelUse, SharedResource } from '../../../contracts/runs/run-options.ts';
import { wrapModel } from '../../../models/wrap-model.ts';
import type { RecordedCall } from './recorded-calls.ts';
import { RecordedOutcomes } from './recorded-calls.ts';
import type { TrialClock } from './trial-clock.ts';

/** The change of what the models of one agent are asked. */
export interface ModelChange {
  /** The name of the agent. */
  readonly changed: string;
  /** In place of its own model: for what is not on record, or, with `isReplaced`, for all. */
  readonly model?: Model | undefined;
  /** True where nothing that the agent asks is answered from the record. */
  readonly isReplaced?: boolean | undefined;
  /** The request that its models are sent instead. */
  readonly requestOf?: ((request: ModelRequest) => ModelRequest) | undefined;
}

/** Answers the models of a fork: what equals the record from that, for its recorded time; all else is asked. */
export class TrialModels implements SharedResource {
  readonly #change: ModelChange;
  readonly #clock: TrialClock;
  readonly #recorded: RecordedOutcomes;
  /** Number of calls that were not answered from the record. */
  asked = 0;
  /** Beginnings of prompts that the changed agent's models were sent: equal ones once. */
  readonly beginnings = new Set<string>();

  constructor(calls: readonly RecordedCall[], change: ModelChange, clock: TrialClock) {
    this.#recorded = new RecordedOutcomes(calls);
    this.#change = change;
    this.#clock = clock;
  }

  around(own: Model, use?: ModelUse): Model {
    if (use === undefined) return own;
    const { changed, model, isReplaced = false, requestOf } = this.#change;
    const isChanged = use.agent === changed;
    const asked = isChanged && model !== undefined ? model : own;
    const name = `${own.provider}:${own.id}`;
    return wrapModel(asked, (request, call): ModelAnswer | Promise<ModelAnswer> => {
      const sent = isChanged && requestOf !== undefined ? requestOf(request) : request;
      if (isChanged) this.beginnings.add(JSON.stringify([sent.instructions, sent.tools]));
      const recorded = isChanged && isReplaced ? undefined : this.#recorded.take(use.agent, name, sent);
      if (recorded !== undefined) return this.#repeat(recorded);
      this.asked += 1;
      return this.#clock.measure(() => asked.answer(sent, call));
    });
  }

  async #repeat({ ms, outcome }: RecordedCall): Promise<ModelAnswer> {
    await this.#clock.pass(ms);
    if ('error' in outcome) throw toError(outcome.error);
    return outcome.answer;
  }
}
