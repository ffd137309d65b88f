/**
 * A first-in, first-out queue as plain JSON: full chunks, a growing tail, and the number of removed items.
 *
 * I1 Adding copies at most a tail, and removing copies nothing, except for the list of chunks once per chunk.
 * I2 An older version is never changed.
 */
export interface JsonQueue<T> {
  readonly full: readonly (readonly T[])[];
  readonly tail: readonly T[];
  /** Number of removed items of the first chunk; less than a chunk. */
  readonly gone: number;
  readonly size: number;
}

const CHUNK = 32;

/** The empty queue. */
export const emptyQueue: JsonQueue<never> = { full: [], tail: [], gone: 0, size: 0 };

/** A queue with an item added at its end. */
export const enqueue = <T>({ full, tail, gone, size }: JsonQueue<T>, item: T): JsonQueue<T> =>
  tail.length < CHUNK
    ? { full, tail: [...tail, item], gone, size: size + 1 }
    : { full: [...full, tail], tail: [item], gone, size: size + 1 };

/** The first item; undefined if the queue is empty. */
export const peekFirst = <T>({ full, tail, gone }: JsonQueue<T>): T | undefined => (full[0] ?? tail)[gone];

/** A queue without its first item. */
export const dequeue = <T>({ full, tail, gone, size }: JsonQueue<T>): JsonQueue<T> => {
  if (size <= 1) return emptyQueue;
  const next = gone + 1;
  return full.length > 0 && next === CHUNK
    ? { full: full.slice(1), tail, gone: 0, size: size - 1 }
    : { full, tail, gone: next, size: size - 1 };
};

/** A queue with the items that `isKept` accepts, in order. */
export const filterQueue = <T>(line: JsonQueue<T>, isKept: (item: T) => boolean): JsonQueue<T> => {
  if (line.size === 0) return line;
  let kept: JsonQueue<T> = emptyQueue;
  for (const item of [...line.full.flat(), ...line.tail].slice(line.gone))
    if (isKept(item)) kept = enqueue(kept, item);
  return kept;
};
