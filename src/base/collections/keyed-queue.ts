/**
 * A queue of items by key, whose keys take turns: first in, first out within each key.
 *
 * The key of a `take` goes behind all others, and a new key joins behind all others: with n keys, an item waits for at most n - 1 items of
 * other keys for each of its own before it.
 *
 * @example
 * const queue = new KeyedQueue<number>();
 * for (const [item, key] of [[1, 'a'], [2, 'a'], [3, 'b']] as const) queue.add(item, key);
 * queue.take(1, 'a');
 * [...queue]; // => [3, 2]
 */
export class KeyedQueue<Item> {
  readonly #keys = new Map<string, Set<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Number of items of a key. */
  sizeOf(key: string): number {
    return this.#keys.get(key)?.size ?? 0;
  }

  /** The items of the key whose turn it is, then those of the next one, and so on. */
  *[Symbol.iterator](): Iterator<Item> {
    for (const items of this.#keys.values()) yield* items;
  }

  add(item: Item, key: string): void {
    const items = this.#keys.get(key);
    if (items === undefined) this.#keys.set(key, new Set([item]));
    else items.add(item);
    this.#size += 1;
  }

  /** Removes an item that leaves before its turn; false if it is not there. */
  delete(item: Item, key: string): boolean {
    const items = this.#keys.get(key);
    if (items?.delete(item) !== true) return false;
    if (items.size === 0) this.#keys.delete(key);
    this.#size -= 1;
    return true;
  }

  /** Removes an item whose turn it is; false if it is not there. */
  take(item: Item, key: string): boolean {
    if (!this.delete(item, key)) return false;
    const items = this.#keys.get(key);
    if (items === undefined) return true;
    this.#keys.delete(key);
    this.#keys.set(key, items);
    return true;
  }
}
