/** Summary of many values, in their own unit. Quantiles are within 1 % of the true ones; all else is exact. */
export interface Distribution {
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
}

/** The error that a quantile may have, as a part of its value. */
const ERROR = 0.01;
const GAMMA = (1 + ERROR) / (1 - ERROR);
const LOG_GAMMA = Math.log(GAMMA);
/** Smaller values count as 0, larger ones as the maximum: these bounds limit the number of buckets to 1,728. */
const SMALLEST = 1e-3;
const LARGEST = 1e12;

/**
 * Counts values in buckets that grow by a constant factor: as much memory for a million values as for a thousand, and every quantile
 * within 1 % of the true one, between 0.001 and 1e12.
 *
 * It is the DDSketch of Masson, Rim and Lee ("DDSketch: A Fast and Fully-Mergeable Quantile Sketch with Relative-Error Guarantees",
 * VLDB 2019), with bounds in place of collapsing buckets.
 */
export class LogHistogram {
  readonly #buckets = new Map<number, number>();
  #zeros = 0;
  #count = 0;
  #sum = 0;
  #min = Infinity;
  #max = -Infinity;

  get count(): number {
    return this.#count;
  }

  /** The number of buckets in use. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Adds a value; a negative or non-numeric one counts as 0. */
  add(value: number): void {
    const known = value > 0 ? Math.min(value, LARGEST) : 0;
    this.#count += 1;
    this.#sum += known;
    this.#min = Math.min(this.#min, known);
    this.#max = Math.max(this.#max, known);
    if (known < SMALLEST) {
      this.#zeros += 1;
      return;
    }
    const bucket = Math.ceil(Math.log(known) / LOG_GAMMA);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
  }

  /** Returns the quantile of a fraction, by nearest rank; 0 if there are no values. */
  quantile(fraction: number): number {
    return this.#quantiles([fraction])[0] ?? 0;
  }

  distribution(): Distribution {
    const [p50 = 0, p90 = 0, p95 = 0, p99 = 0] = this.#quantiles([0.5, 0.9, 0.95, 0.99]);
    const [min, max] = this.#count === 0 ? [0, 0] : [this.#min, this.#max];
    return { count: this.#count, sum: this.#sum, min, max, p50, p90, p95, p99 };
  }

  /** Of rising fractions, in one walk over the buckets. */
  #quantiles(fractions: readonly number[]): number[] {
    if (this.#count === 0) return fractions.map(() => 0);
    const buckets = [...this.#buckets].sort(([one], [other]) => one - other);
    let [passed, next] = [this.#zeros, 0];
    let value = 0;
    return fractions.map((fraction) => {
      const rank = Math.max(1, Math.ceil(fraction * this.#count));
      for (let each = buckets[next]; passed < rank && each !== undefined; each = buckets[next]) {
        passed += each[1];
        value = (2 * GAMMA ** each[0]) / (GAMMA + 1);
        next += 1;
      }
      // The middle of a bucket may lie outside the range of values.
      return Math.min(this.#max, Math.max(this.#min, value));
    });
  }
}
