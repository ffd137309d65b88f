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

/** The history of nothing. */
export const emptyHistory = <T>(): History<T> => ({ full: [], tail: [], length: 0 });

/** `history` with `items` at its end. */
export const append = <T>(history: History<T>, ...items: readonly T[]): History<T> => {
  if (items.length === 0) return history;
  let full = history.full;
  let tail = [...history.tail, ...items];
  while (tail.length >= CHUNK) {
    full = [...full, tail.slice(0, CHUNK)];
    tail = tail.slice(CHUNK);
  }
  return { full, tail, length: history.length + items.length };
};

/**
 * A read-only view of a history for whoever needs its items: a model building its request, a reducer, a test.
 *
 * Making one copies nothing; only `toArray` does.
 */
export class HistoryView<T> implements Iterable<T> {
  readonly #history: History<T>;

  constructor(history: History<T>) {
    this.#history = history;
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
}
