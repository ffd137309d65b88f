import type { EventBody, RuntimeEvent } from '../../contracts/event.ts';
import type { Usage } from '../../contracts/model.ts';
import type { RunTotals } from '../../contracts/run.ts';
import { SmallSet } from '../../contracts/small-set.ts';

type Counts = {
  -readonly [Key in Exclude<keyof RunTotals, 'durationMs' | 'costUsd' | 'unpriced' | 'estimated'>]: number;
};

/** What a whole run has used, counted from what is said of it. */
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
  #estimated = 0;
  readonly #unpriced = new SmallSet<string>();

  /** All but the time. */
  get totals(): Omit<RunTotals, 'durationMs'> {
    return { ...this.#counts, ...this.cost };
  }

  /** What it all costs, and how far that is known. */
  get cost(): Pick<RunTotals, 'costUsd' | 'unpriced' | 'estimated'> {
    const isKnown = this.#unpriced.size === 0;
    return {
      ...(isKnown ? { costUsd: this.#costUsd } : { unpriced: [...this.#unpriced] }),
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
        break;
      case 'model.answered':
        this.charge(body.model, body.usage, body.costUsd);
        break;
      case 'model.discarded':
      case 'model.interrupted':
        if (body.usage !== undefined) this.charge(body.model, body.usage, body.costUsd);
        break;
      // A summary is asked for beside the calls of the loop.
      case 'context.compacted':
        if (body.usage === undefined) break;
        counts.modelCalls += 1;
        this.charge(body.summariser ?? 'summariser', body.usage, body.costUsd);
        break;
      case 'tool.finished':
        counts.toolCalls += 1;
        break;
      // Every attempt beyond the first is one, by whichever model.
      case 'model.retrying':
      case 'model.fellBack':
      case 'tool.retrying':
        counts.retries += 1;
        break;
      default:
    }
  }

  /** Tokens that a model used; a cost that is not known makes the sum unknown. */
  charge(model: string, usage: Usage, costUsd: number | undefined): void {
    const counts = this.#counts;
    counts.inputTokens += usage.input;
    counts.outputTokens += usage.output;
    counts.cachedTokens += usage.cached ?? 0;
    if (usage.isEstimate === true) this.#estimated += 1;
    if (costUsd === undefined) this.#unpriced.add(model);
    else this.#costUsd += costUsd;
  }
}
