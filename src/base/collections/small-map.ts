/**
 * A map optimised for none or one entry: a table is made for the second.
 *
 * An empty `Map` takes two hundred bytes, and an agent at work would have thirty. As with a `Map`, iteration sees
 * entries that are added meanwhile.
 *
 * @example
 * const open = new SmallMap<string, number>();
 * open.set('a', 1).get('a') // => 1
 */
export class SmallMap<Key extends string | object, Value> {
  /** The single entry, while there is no table. */
  #key: Key | undefined;
  #value: Value | undefined;
  #table: Map<Key, Value> | undefined;

  get size(): number {
    if (this.#table !== undefined) return this.#table.size;
    return this.#key === undefined ? 0 : 1;
  }

  get(key: Key): Value | undefined {
    if (this.#table !== undefined) return this.#table.get(key);
    return this.#key === key ? this.#value : undefined;
  }

  has(key: Key): boolean {
    return this.#table === undefined ? this.#key === key : this.#table.has(key);
  }

  set(key: Key, value: Value): this {
    if (this.#table === undefined && (this.#key === undefined || this.#key === key)) {
      this.#key = key;
      this.#value = value;
    } else this.#asTable().set(key, value);
    return this;
  }

  delete(key: Key): boolean {
    if (this.#table !== undefined) return this.#table.delete(key);
    if (this.#key !== key) return false;
    this.#key = undefined;
    this.#value = undefined;
    return true;
  }

  *entries(): IterableIterator<[Key, Value]> {
    let last: Key | undefined;
    while (this.#table === undefined) {
      const key = this.#key;
      if (key === undefined || key === last) return;
      last = key;
      yield [key, this.#value as Value];
    }
    for (const entry of this.#table) if (entry[0] !== last) yield entry;
  }

  *keys(): IterableIterator<Key> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): IterableIterator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.entries();
  }

  #asTable(): Map<Key, Value> {
    if (this.#table !== undefined) return this.#table;
    const table = new Map(this);
    this.#key = undefined;
    this.#value = undefined;
    this.#table = table;
    return table;
  }
}
