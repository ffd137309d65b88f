import type { Model, ModelAnswer } from '../../contracts/models/model.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type { Prices } from '../../contracts/models/prices.ts';
import { genaiPrices, pricedProviders } from '../../models/genai-prices.ts';

/** The price list of the process; null if it is not available. */
let listed: Prices | null | undefined;
let loading: Promise<void> | undefined;

/**
 * Prices of a run's model calls: from the given prices, or else from the list, which is loaded when a model needs it.
 *
 * I1 A model declared not to be a language model is free, unless its answer states a price; any other without a price is unknown, never 0.
 */
export class PriceBook {
  readonly #given: Prices | undefined;

  constructor(given: Prices | undefined) {
    this.#given = given;
  }

  /** Loads the list if these models need it; undefined if there is nothing to wait for. Never rejects. */
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

  /** Cost in US dollars, as its provider states it, else by the prices; undefined if unknown. An alias is priced as the model that answered. */
  costOf(model: Model, usage: Usage, answered?: ModelAnswer['model']): number | undefined {
    if (usage.billedUsd !== undefined) return usage.billedUsd;
    if (isFree(model)) return 0;
    const { provider, id, priceShare = 1 } = model;
    const listPrice =
      this.#ask({ provider, id }, usage) ??
      (answered === undefined ? undefined : this.#ask({ provider, id: answered }, usage));
    return listPrice === undefined ? undefined : listPrice * priceShare;
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
