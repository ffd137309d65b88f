/**
 * The money for the live calls of a rehearsal.
 *
 * I1 For each call under way as much is reserved as the dearest so far has cost, recorded ones among them: calls that are made at once
 * cannot spend the same money.
 */
export class LiveBudget {
  readonly #limitUsd: number;
  /** Keys of the calls under way. */
  readonly #begun = new Set<string>();
  #spentUsd = 0;
  #dearestUsd = 0;
  #isUnknown = false;
  /** The reason why a call was refused; undefined while none was. */
  spent: string | undefined;

  constructor(limitUsd = Infinity) {
    this.#limitUsd = limitUsd;
  }

  /** Takes note of what a recorded call has cost. */
  expect(costUsd = 0): void {
    this.#dearestUsd = Math.max(this.#dearestUsd, costUsd);
  }

  /** Reserves for a call, or returns the reason why it may not be made. */
  begin(key: string): string | undefined {
    const refused = this.#refusal();
    if (refused === undefined) this.#begun.add(key);
    else this.spent ??= refused;
    return refused;
  }

  /** Charges a call that is over in place of what was reserved for it; once. */
  settle(key: string, costUsd: number | undefined): void {
    if (!this.#begun.delete(key)) return;
    if (costUsd === undefined) this.#isUnknown = true;
    else {
      this.#spentUsd += costUsd;
      this.expect(costUsd);
    }
  }

  #refusal(): string | undefined {
    if (this.#limitUsd === Infinity) return undefined;
    if (this.#isUnknown) return 'the price of a model is not known, so no budget can be held: give `prices`';
    const needed = this.#spentUsd + this.#dearestUsd * (this.#begun.size + 1);
    const isSpent = needed > this.#limitUsd || this.#limitUsd === 0;
    return isSpent ? `the budget of ${this.#limitUsd} US dollars is spent` : undefined;
  }
}
