/** The amount that may happen, and its rate. */
export interface WindowOptions {
  /** At most so much in any window. */
  readonly limit: number;
  /** In ms. */
  readonly windowMs: number;
  /** The amount that may happen at once; what it is short of comes back evenly over a window. Default: all of the limit. */
  readonly burst?: number | undefined;
}

/** What was let pass, and when. */
export interface Passed {
  readonly at: number;
  amount: number;
}

/**
 * What passed lately: rules and no clock, every method is told the time, in ms.
 *
 * I1  What passes in any window `[t, t + windowMs)` is at most `limit`; a single larger amount passes an empty window alone.
 * I2  At any moment at most `burst` passes beyond what has come back evenly since.
 */
export class RateWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #burst: number;
  #log: Passed[] = [];
  /** Where the log begins: what is before has left the window. */
  #head = 0;
  #sum = 0;
  /** What may pass at once, as of `#filledAt`. */
  #level: number;
  #filledAt = 0;

  constructor({ limit, windowMs, burst = limit }: WindowOptions) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#burst = Math.min(burst, limit);
    this.#level = this.#burst;
  }

  /** The part of the limit that is used at `now`. */
  usedAt(now: number): number {
    this.#forget(now);
    return this.#sum;
  }

  /** The time until `amount` may pass, in whole ms; 0 for now. */
  waitMs(now: number, amount: number): number {
    this.#forget(now);
    return Math.max(this.#untilRoom(now, amount), this.#untilLevel(now, amount));
  }

  /** Lets `amount` pass, whether or not it may. */
  take(now: number, amount: number): Passed {
    this.#forget(now);
    this.#level = this.#levelAt(now) - amount;
    this.#filledAt = now;
    const passed = { at: now, amount };
    this.#log.push(passed);
    this.#sum += amount;
    return passed;
  }

  /** What was taken turns out to be another amount. */
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
    // All of the limit at once is what the window allows by itself.
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

/** A share that comes back in parts does not add up to the last digit. */
const ROUNDING = 1e-6;
