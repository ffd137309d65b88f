/**
 * A set optimised for none or one value: a table is made for the second, as in a `SmallMap`.
 *
 * @example
 * const seen = new SmallSet<string>();
 * seen.add('a').has('a') // => true
 */
export class SmallSet<Value extends string | object> {
  /** The single value, while there is no table. */
  #only: Value | undefined;
  #table: Set<Value> | undefined;

  constructor(first?: Value) {
    this.#only = first;
  }

  get size(): number {
    if (this.#table !== undefined) return this.#table.size;
    return this.#only === undefined ? 0 : 1;
  }

  has(value: Value): boolean {
    return this.#table === undefined ? this.#only === value : this.#table.has(value);
  }

  add(value: Value): this {
    if (this.#table !== undefined) this.#table.add(value);
    else if (this.#only === undefined || this.#only === value) this.#only = value;
    else {
      this.#table = new Set<Value>().add(this.#only).add(value);
      this.#only = undefined;
    }
    return this;
  }

  delete(value: Value): boolean {
    if (this.#table !== undefined) return this.#table.delete(value);
    if (this.#only !== value) return false;
    this.#only = undefined;
    return true;
  }

  clear(): void {
    this.#only = undefined;
    this.#table?.clear();
  }

  *values(): IterableIterator<Value> {
    let last: Value | undefined;
    while (this.#table === undefined) {
      const value = this.#only;
      if (value === undefined || value === last) return;
      last = value;
      yield value;
    }
    for (const value of this.#table) if (value !== last) yield value;
  }

  [Symbol.iterator](): IterableIterator<Value> {
    return this.values();
  }
}
