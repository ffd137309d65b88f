import type { Arrival, BudgetDrawn } from '../../../contracts/journal-record.ts';

/** What was used of the budgets of a run before it was taken up again. */
export class DrawnBudgets {
  readonly #used = new Map<string, BudgetDrawn>();
  readonly #paid = new Set<string>();

  /** Of the budget at `path`. */
  at(path: string): BudgetDrawn | undefined {
    return this.#used.get(path);
  }

  /** Checks whether an effect has taken its step or its call: it takes none again. */
  isPaid(key: string): boolean {
    return this.#paid.has(key);
  }

  note({ path, used, key }: Extract<Arrival, { type: 'drawn' }>): void {
    this.#used.set(path, used);
    if (key !== undefined) this.#paid.add(key);
  }
}
