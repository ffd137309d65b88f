interface Held {
  readonly effect: () => void;
  readonly isWanted: () => boolean;
}

/**
 * Where every effect of a run passes: held while the run is paused or too many are under way.
 *
 * I1  What passes, passes in the order in which it came.
 * I2  What nobody wants any more is let go of, and uses up no leave to pass.
 * I3  A machine knows nothing of the gate: it sees an answer that takes longer.
 */
export class Gate {
  readonly #cap: number;
  readonly #held: Held[] = [];
  #isPaused: boolean;
  /** Effects that may pass although the run is paused. */
  #credit = 0;
  #untilCheck = false;
  #underWay = 0;
  #waiters: (() => void)[] = [];
  readonly #quiet: (() => void)[] = [];

  constructor(cap: number, isPaused: boolean) {
    // With no room at all a run would wait for ever.
    this.#cap = Math.max(1, cap);
    this.#isPaused = isPaused;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Lets `effect` pass now, or holds it for as long as it is wanted. */
  pass(effect: () => void, isWanted: () => boolean): void {
    if (!isWanted()) return;
    this.#forgetUnwanted();
    if (this.#held.length === 0 && this.#mayPass()) effect();
    else this.#hold({ effect, isWanted });
  }

  /** One effect that waits for something is under way; call `left` when it is not any more. */
  entered(): void {
    this.#underWay += 1;
  }

  left(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#quiet.splice(0).forEach((tell) => tell());
    if (this.#held.length > 0) this.#release();
  }

  /** Resolves when nothing is under way but what waits for somebody. */
  whenQuiet(): Promise<void> {
    return this.#underWay === 0 ? Promise.resolve() : new Promise((resolve) => this.#quiet.push(resolve));
  }

  pause(): void {
    this.#isPaused = true;
    this.#credit = 0;
    this.#untilCheck = false;
  }

  resume(): void {
    this.#isPaused = false;
    this.#untilCheck = false;
    this.#release();
  }

  /** Lets one effect pass, or all up to the next CHECK_STOP; resolves when the gate holds again. */
  step(unit: 'step' | 'effect'): Promise<void> {
    this.#isPaused = true;
    if (unit === 'step') this.#untilCheck = true;
    else this.#credit += 1;
    const held = new Promise<void>((resolve) => this.#waiters.push(resolve));
    this.#release();
    return held;
  }

  /** A CHECK_STOP was entered: a step that was let through ends here, also if nothing is asked any more (a wait …). */
  checked(): void {
    this.#untilCheck = false;
    if (this.#isPaused && this.#credit === 0) this.#wake();
  }

  /** The run is over: nothing passes any more, nobody waits. */
  close(): void {
    this.#held.length = 0;
    this.#wake();
  }

  #mayPass(): boolean {
    if (this.#underWay >= this.#cap) return false;
    if (!this.#isPaused || this.#untilCheck) return true;
    if (this.#credit === 0) return false;
    this.#credit -= 1;
    return true;
  }

  /** Those at the front only: the others come to the front in their turn. */
  #forgetUnwanted(): void {
    while (this.#held[0]?.isWanted() === false) this.#held.shift();
  }

  #hold(held: Held): void {
    this.#held.push(held);
    // Held for want of leave, not of room: a step that was asked for is through.
    if (this.#isPaused && !this.#untilCheck && this.#credit === 0) this.#wake();
  }

  #release(): void {
    this.#forgetUnwanted();
    while (this.#held.length > 0 && this.#mayPass()) {
      this.#held.shift()?.effect();
      this.#forgetUnwanted();
    }
    if (
      this.#held.length > 0 &&
      this.#isPaused &&
      !this.#untilCheck &&
      this.#credit === 0 &&
      this.#underWay === 0
    )
      this.#wake();
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
