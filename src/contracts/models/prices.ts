import type { Model } from './model.ts';
import type { Usage } from './usage.ts';

/**
 * Prices of model calls.
 *
 * @example
 * const flat: Prices = { name: 'flat', cost: (_, { input, output }) => (input + output) * 2e-6 };
 */
export interface Prices {
  readonly name: string;
  /**
   * Returns the cost in US dollars; undefined if the price is not known, which differs from 0. An error counts as
   * unknown.
   */
  cost(model: Pick<Model, 'provider' | 'id'>, usage: Usage): number | undefined;
}
