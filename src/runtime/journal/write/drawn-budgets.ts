import type { Arrival, BudgetDrawn } from '../../../contracts/journals/journal-record.ts';

/** Budget used by a run before it was resumed. */
export class DrawnBudgets {
  readonly #used = new Map<string, BudgetDrawn>();
  readonly #paid = new Set<string>();

  /** Usage of the budget at `path`. */
  at(path: string): BudgetDrawn | undefined {
    return this.#used.get(path);
  }

  /** Checks whether an effect has paid for its step or call already. */
  isPaid(key: string): boolean {
    return this.#paid.has(key);
  }

  note({ path, used, key }: Extract<Arrival, { type: 'drawn' }>): void {
    this.#used.set(path, used);
    if (key !== undefined) this.#paid.add(key);
  }
}
