interface Held {
  readonly effect: () => void;
  readonly isWanted: () => boolean;
}

/**
 * Every effect of a run passes the gate: it holds effects while the run is paused or too many are in progress.
 *
 * I1 Effects pass in the order in which they came.
 * I2 An effect that is no longer wanted is dropped, and uses no permit.
 * I3 A machine does not see the gate, only a later answer.
 */
export class Gate {
  readonly #cap: number;
  readonly #held: Held[] = [];
  #isPaused: boolean;
  /** Number of effects that may pass while the run is paused. */
  #credit = 0;
  #untilCheck = false;
  #underWay = 0;
  #waiters: (() => void)[] = [];
  readonly #quiet: (() => void)[] = [];

  constructor(cap: number, isPaused: boolean) {
    // With a limit of 0 a run would wait for ever.
    this.#cap = Math.max(1, cap);
    this.#isPaused = isPaused;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Lets `effect`, which is wanted now, pass at once, or holds it for as long as it is wanted. */
  pass(effect: () => void, isWanted: () => boolean): void {
    this.#forgetUnwanted();
    if (this.#held.length === 0 && this.#mayPass()) effect();
    else this.#hold({ effect, isWanted });
  }

  /** Counts an effect in progress; call `left` when it is done. */
  entered(): void {
    this.#underWay += 1;
  }

  left(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0 && this.#quiet.length > 0) this.#quiet.splice(0).forEach((tell) => tell());
    if (this.#held.length > 0) this.#release();
  }

  /** Resolves when no effect is in progress, except those that wait for a person or a child. */
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

  /** Ends a single step at its CHECK_STOP, also if no effect follows (a wait, for example). */
  checked(): void {
    this.#untilCheck = false;
    if (this.#isPaused && this.#credit === 0) this.#wake();
  }

  /** Drops held effects and resolves pending steps, as the run is over. */
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

  /** Only at the front: the others get there in turn. */
  #forgetUnwanted(): void {
    while (this.#held[0]?.isWanted() === false) this.#held.shift();
  }

  #hold(held: Held): void {
    this.#held.push(held);
    // Held by the pause, not by the limit: the single step is done.
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
