import type { Gate } from './gate.ts';

/**
 * The slot of one effect among those that may be in progress together.
 *
 * It is released while the effect waits for a child or a person; otherwise a child could wait for the slot of its own parent for ever.
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

  /** Occupies the slot. */
  take(): void {
    this.#isTaken = true;
    this.#settle();
  }

  /** Releases the slot during a wait. */
  lend(): void {
    this.#lent += 1;
    this.#settle();
  }

  /** Occupies the slot again, even beyond the limit: work in progress is not held. */
  reclaim(): void {
    this.#lent -= 1;
    this.#settle();
  }

  /** Releases the slot for good; idempotent. */
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
