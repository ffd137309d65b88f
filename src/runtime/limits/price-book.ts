import type { Model, ModelAnswer, Usage } from '../../contracts/model.ts';
import type { Prices } from '../../contracts/prices.ts';
import { genaiPrices, pricedProviders } from '../../models/genai-prices.ts';

/** One list for the whole process; null where it cannot be had. */
let listed: Prices | null | undefined;
let loading: Promise<void> | undefined;

/**
 * What a run's model calls cost: by the prices that it was given, else by the list, which is loaded when a model needs it.
 *
 * I1  A model that says that it is no language model costs nothing; any other without a price is unknown, never 0.
 */
export class PriceBook {
  readonly #given: Prices | undefined;

  constructor(given: Prices | undefined) {
    this.#given = given;
  }

  /** What has to be waited for before these models can be priced; undefined if nothing. Never rejects. */
  open(models: readonly Model[]): Promise<void> | undefined {
    if (this.#given !== undefined || listed !== undefined) return undefined;
    if (!models.some((model) => !isFree(model) && pricedProviders.has(model.provider))) return undefined;
    return (loading ??= genaiPrices().then(
      (prices) => {
        listed = prices;
      },
      () => {
        listed = null;
      },
    ));
  }

  /** In US dollars; undefined where nobody knows. A name that stands for another model counts as what answered. */
  costOf(model: Model, usage: Usage, answered?: ModelAnswer['model']): number | undefined {
    if (isFree(model)) return 0;
    const { provider, id } = model;
    const cost = this.#ask({ provider, id }, usage);
    return cost ?? (answered === undefined ? undefined : this.#ask({ provider, id: answered }, usage));
  }

  #ask(model: Pick<Model, 'provider' | 'id'>, usage: Usage): number | undefined {
    try {
      const cost: unknown = (this.#given ?? listed)?.cost(model, usage);
      return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
    } catch {
      return undefined;
    }
  }
}

const isFree = ({ isLanguageModel }: Model): boolean => isLanguageModel === false;
