import type { Model, Usage } from './model.ts';

/**
 * What model calls cost.
 *
 * @example
 * const flat: Prices = { name: 'flat', cost: (_, { input, output }) => (input + output) * 2e-6 };
 */
export interface Prices {
  readonly name: string;
  /** In US dollars; undefined where the price is not known, which is something else than 0. What throws counts as unknown. */
  cost(model: Pick<Model, 'provider' | 'id'>, usage: Usage): number | undefined;
}
