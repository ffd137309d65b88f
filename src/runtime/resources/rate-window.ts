/** Options of {@link RateWindow}. */
export interface WindowOptions {
  /** Largest amount in any window. */
  readonly limit: number;
  /** In ms. */
  readonly windowMs: number;
  /** Largest amount at once; it refills evenly over a window. Default: the limit. */
  readonly burst?: number | undefined;
}

/** An admitted amount and its time. */
export interface Passed {
  readonly at: number;
  amount: number;
}

/**
 * A sliding window with a token bucket. Has no clock: every method takes the time, in ms.
 *
 * I1 At most `limit` is admitted in any window `[t, t + windowMs)`; a single larger amount is admitted alone, to an empty window.
 * I2 At any moment at most `burst` is admitted beyond what has refilled evenly since.
 */
export class RateWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #burst: number;
  #log: Passed[] = [];
  /** Start of the log: earlier entries have left the window. */
  #head = 0;
  #sum = 0;
  /** Amount that may pass at once, as of `#filledAt`. */
  #level: number;
  #filledAt = 0;

  constructor({ limit, windowMs, burst = limit }: WindowOptions) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#burst = Math.min(burst, limit);
    this.#level = this.#burst;
  }

  /** The used part of the limit at `now`. */
  usedAt(now: number): number {
    this.#forget(now);
    return this.#sum;
  }

  /** Time until `amount` may pass, in whole ms; 0 for now. */
  waitMs(now: number, amount: number): number {
    this.#forget(now);
    return Math.max(this.#untilRoom(now, amount), this.#untilLevel(now, amount));
  }

  /** Admits `amount` unconditionally. */
  take(now: number, amount: number): Passed {
    this.#forget(now);
    this.#level = this.#levelAt(now) - amount;
    this.#filledAt = now;
    const passed = { at: now, amount };
    this.#log.push(passed);
    this.#sum += amount;
    return passed;
  }

  /** Corrects an admitted amount. */
  correct(passed: Passed, amount: number): void {
    const more = amount - passed.amount;
    const isForgotten = (this.#log[this.#head]?.at ?? Infinity) > passed.at;
    passed.amount = amount;
    this.#level = Math.min(this.#burst, this.#level - more);
    if (!isForgotten) this.#sum += more;
  }

  #untilRoom(now: number, amount: number): number {
    let over = this.#sum + Math.min(amount, this.#limit) - this.#limit;
    for (let index = this.#head; over > 0; index += 1) {
      const passed = this.#log[index];
      if (passed === undefined) return 0;
      over -= passed.amount;
      if (over <= 0) return passed.at + this.#windowMs - now;
    }
    return 0;
  }

  #untilLevel(now: number, amount: number): number {
    // A burst of the whole limit is bounded by the window already.
    if (this.#burst >= this.#limit) return 0;
    const short = Math.min(amount, this.#burst) - this.#levelAt(now);
    return short <= ROUNDING ? 0 : Math.ceil((short * this.#windowMs) / this.#limit - ROUNDING);
  }

  #levelAt(now: number): number {
    const back = ((now - this.#filledAt) * this.#limit) / this.#windowMs;
    return Math.min(this.#burst, this.#level + back);
  }

  #forget(now: number): void {
    for (let oldest = this.#log[this.#head]; oldest !== undefined; oldest = this.#log[this.#head]) {
      if (oldest.at + this.#windowMs > now) break;
      this.#sum -= oldest.amount;
      this.#head += 1;
    }
    if (this.#head > this.#log.length / 2) {
      this.#log = this.#log.slice(this.#head);
      this.#head = 0;
    }
  }
}

/** Tolerance for floating-point sums. */
const ROUNDING = 1e-6;
