/**
 * A first-in, first-out buffer of at most `capacity` items: when full, the oldest is dropped for the newest.
 *
 * @example
 * const buffer = new BoundedBuffer<number>(2);
 * buffer.push(1); buffer.push(2); buffer.push(3); // false, false, true: the 1 was dropped
 * buffer.shift(); // 2
 */
export class BoundedBuffer<T> {
  readonly #capacity: number;
  #items: (T | undefined)[] = [];
  #head = 0;
  #length = 0;

  /** At least 1. */
  constructor(capacity: number) {
    this.#capacity = Math.max(1, Math.floor(capacity));
  }

  get length(): number {
    return this.#length;
  }

  /** True if the oldest item was dropped for it. */
  push(item: T): boolean {
    this.#items[(this.#head + this.#length) % this.#capacity] = item;
    if (this.#length < this.#capacity) {
      this.#length += 1;
      return false;
    }
    this.#head = (this.#head + 1) % this.#capacity;
    return true;
  }

  /** The oldest item. */
  peek(): T | undefined {
    return this.#items[this.#head];
  }

  /** Removes the oldest item. */
  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.#capacity;
    this.#length -= 1;
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
    this.#length = 0;
  }
}
