/** The money for the live calls of a rehearsal. A call may cost as much as the dearest so far: that much is reserved for each. */
export class LiveBudget {
  readonly #limitUsd: number;
  #spentUsd = 0;
  #dearestUsd = 0;
  #isUnknown = false;

  constructor(limitUsd = Infinity) {
    this.#limitUsd = limitUsd;
  }

  /** The reason why no further call may be made; undefined if one may. */
  refuses(): string | undefined {
    if (this.#limitUsd === Infinity) return undefined;
    if (this.#isUnknown) return 'the price of a model is not known, so no budget can be held: give `prices`';
    return this.#spentUsd + this.#dearestUsd > this.#limitUsd || this.#limitUsd === 0
      ? `the budget of ${this.#limitUsd} US dollars is spent`
      : undefined;
  }

  spent(costUsd: number | undefined): void {
    if (costUsd === undefined) this.#isUnknown = true;
    else {
      this.#spentUsd += costUsd;
      this.#dearestUsd = Math.max(this.#dearestUsd, costUsd);
    }
  }
}
