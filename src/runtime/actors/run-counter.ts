import type { EventBody, RuntimeEvent } from '../../contracts/events/event.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type { RunTotals } from '../../contracts/runs/run-totals.ts';
import { SmallMap } from '../../base/collections/small-map.ts';
import { SmallSet } from '../../base/collections/small-set.ts';

type Counts = {
  -readonly [
    Key in Exclude<keyof RunTotals, 'durationMs' | 'costUsd' | 'billedUsd' | 'unpriced' | 'estimated'>
  ]: number;
};

/** Totals of a run, counted from its events. */
export class RunCounter {
  readonly #counts: Counts = {
    steps: 0,
    modelCalls: 0,
    toolCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    retries: 0,
  };
  #costUsd = 0;
  #billedUsd: number | undefined;
  #estimated = 0;
  readonly #unpriced = new SmallSet<string>();
  /** By the key of the call: an answer names its model as the provider does, with a date or without the provider. */
  readonly #asked = new SmallMap<string, string>();

  /** Totals without the duration. */
  get totals(): Omit<RunTotals, 'durationMs'> {
    return { ...this.#counts, ...this.cost };
  }

  /** Cost in US dollars, or the models without a price. */
  get cost(): Pick<RunTotals, 'costUsd' | 'billedUsd' | 'unpriced' | 'estimated'> {
    const isKnown = this.#unpriced.size === 0;
    return {
      ...(isKnown ? { costUsd: this.#costUsd } : { unpriced: [...this.#unpriced] }),
      ...(this.#billedUsd === undefined ? {} : { billedUsd: this.#billedUsd }),
      ...(this.#estimated === 0 ? {} : { estimated: this.#estimated }),
    };
  }

  count(body: EventBody | RuntimeEvent): void {
    const counts = this.#counts;
    switch (body.type) {
      case 'step.ended':
        counts.steps += 1;
        break;
      case 'model.asked':
        counts.modelCalls += 1;
        this.#asked.set(body.key, body.model);
        break;
      case 'model.answered':
        // The model was not asked after all.
        if (body.cached !== undefined) counts.modelCalls -= 1;
        this.charge(this.#asked.get(body.key) ?? body.model, body.usage, body.costUsd);
        this.#asked.delete(body.key);
        break;
      case 'model.failed':
        this.#asked.delete(body.key);
        break;
      case 'model.discarded':
      case 'model.interrupted':
        this.#asked.delete(body.key);
        if (body.usage !== undefined) this.charge(body.model, body.usage, body.costUsd);
        break;
      // A summary is a model call beside those of the loop.
      case 'context.compacted':
        if (body.usage === undefined) break;
        counts.modelCalls += 1;
        this.charge(body.summariser ?? 'summariser', body.usage, body.costUsd);
        break;
      case 'tool.finished':
        counts.toolCalls += 1;
        break;
      // Every attempt after the first counts, whichever model makes it.
      case 'model.retrying':
      case 'model.fell-back':
      case 'tool.retrying':
        counts.retries += 1;
        break;
      default:
    }
  }

  /** Adds the usage of a model; an unknown cost makes the sum unknown. */
  charge(model: string, usage: Usage, costUsd: number | undefined): void {
    const counts = this.#counts;
    counts.inputTokens += usage.input;
    counts.outputTokens += usage.output;
    counts.cachedTokens += usage.cached ?? 0;
    if (usage.isEstimate === true) this.#estimated += 1;
    const { billedUsd: billed } = usage;
    if (billed !== undefined) this.#billedUsd = billed + (this.#billedUsd ?? 0);
    if (costUsd === undefined) this.#unpriced.add(model);
    else this.#costUsd += costUsd;
  }
}
