import { freezeJson } from '../json/freeze-json.ts';

/**
 * An append-only list as plain JSON: full chunks, and a tail that is still filling.
 *
 * I1  Appending copies at most a tail, so a step costs the same at message 10 and at message 10,000.
 * I2  An older version is never changed: a context that holds one stays what it was.
 */
export interface History<T> {
  readonly full: readonly (readonly T[])[];
  readonly tail: readonly T[];
  readonly length: number;
}

const CHUNK = 64;

/** Returns an empty history. */
export const emptyHistory = <T>(): History<T> => ({ full: [], tail: [], length: 0 });

/** `history` with `items`, frozen, at its end. */
export const append = <T>(history: History<T>, ...items: readonly T[]): History<T> => {
  if (items.length === 0) return history;
  for (const item of items) freezeJson(item);
  let full = history.full;
  let tail = [...history.tail, ...items];
  while (tail.length >= CHUNK) {
    full = [...full, tail.slice(0, CHUNK)];
    tail = tail.slice(CHUNK);
  }
  return { full, tail, length: history.length + items.length };
};

/**
 * A read-only view of a history for readers of its items: a model building its request, a reducer, a test.
 *
 * Creating one copies nothing. It reads like an array; methods that return a list return a new one.
 */
export class HistoryView<T> implements Iterable<T> {
  readonly #history: History<T>;

  constructor(history: History<T>) {
    this.#history = history;
  }

  /** The underlying history. */
  get history(): History<T> {
    return this.#history;
  }

  get length(): number {
    return this.#history.length;
  }

  /** The item at `index`; a negative one counts from the end. */
  at(index: number): T | undefined {
    const { full, tail, length } = this.#history;
    const position = index < 0 ? length + index : index;
    const chunk = Math.floor(position / CHUNK);
    return chunk < full.length
      ? full[chunk]?.[position - chunk * CHUNK]
      : tail[position - full.length * CHUNK];
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const chunk of this.#history.full) yield* chunk;
    yield* this.#history.tail;
  }

  toArray(): T[] {
    return [...this];
  }

  /** Serializes as the list. */
  toJSON(): T[] {
    return this.toArray();
  }

  map<Value>(change: (item: T, index: number) => Value): Value[] {
    return Array.from(this, change);
  }

  flatMap<Value>(change: (item: T, index: number) => Value | readonly Value[]): Value[] {
    return this.toArray().flatMap((item, index) => change(item, index));
  }

  filter<Kept extends T>(isKept: (item: T, index: number) => item is Kept): Kept[];
  filter(isKept: (item: T, index: number) => boolean): T[];
  filter(isKept: (item: T, index: number) => boolean): T[] {
    return this.toArray().filter((item, index) => isKept(item, index));
  }

  find(isWanted: (item: T, index: number) => boolean): T | undefined {
    let index = 0;
    for (const item of this) if (isWanted(item, index++)) return item;
    return undefined;
  }

  /** Searches from the end: recent items are found without reading earlier ones. */
  findLast(isWanted: (item: T, index: number) => boolean): T | undefined {
    for (let index = this.length - 1; index >= 0; index -= 1) {
      const item = this.at(index);
      if (item !== undefined && isWanted(item, index)) return item;
    }
    return undefined;
  }

  some(isWanted: (item: T, index: number) => boolean): boolean {
    let index = 0;
    for (const item of this) if (isWanted(item, index++)) return true;
    return false;
  }

  every(isWanted: (item: T, index: number) => boolean): boolean {
    return !this.some((item, index) => !isWanted(item, index));
  }

  /** The items from `start` to before `end`, both counted as by `Array.prototype.slice`. */
  slice(start?: number, end?: number): T[] {
    return this.toArray().slice(start, end);
  }
}
