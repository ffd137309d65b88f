import type { Gate } from './gate.ts';

/**
 * The place of one effect among those that may be under way together.
 *
 * It is given away while the effect waits for a child run or for a person: else the child would wait for the very
 * place that its parent keeps, for ever.
 */
export class Slot {
  readonly #gate: Gate;
  #isTaken = false;
  #isOver = false;
  #isHeld = false;
  #lent = 0;

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  /** The effect is under way. */
  take(): void {
    this.#isTaken = true;
    this.#settle();
  }

  /** The effect waits for others, who may need the place. */
  lend(): void {
    this.#lent += 1;
    this.#settle();
  }

  /** It goes on, though somebody may have the place: what is under way is not held back. */
  reclaim(): void {
    this.#lent -= 1;
    this.#settle();
  }

  /** The effect is over, or nobody waits for it any more; twice is once. */
  leave(): void {
    this.#isOver = true;
    this.#settle();
  }

  #settle(): void {
    const isHeld = this.#isTaken && !this.#isOver && this.#lent === 0;
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    if (isHeld) this.#gate.entered();
    else this.#gate.left();
  }
}
