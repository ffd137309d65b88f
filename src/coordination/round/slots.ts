/**
 * A list whose places change one at a time: a change copies a chunk and the list of chunks, not all of it, so that a supervisor of
 * thousands pays the same for each reply. Plain JSON; an older version never changes.
 */
export interface Slots<T> {
  readonly length: number;
  readonly chunks: readonly (readonly T[])[];
}

const CHUNK = 64;

/** A list of `length` places, each with its first content. */
export const slots = <T>(length: number, fill: (index: number) => T): Slots<T> => ({
  length,
  chunks: Array.from({ length: Math.ceil(length / CHUNK) }, (_, chunk) =>
    Array.from({ length: Math.min(CHUNK, length - chunk * CHUNK) }, (__, at) => fill(chunk * CHUNK + at)),
  ),
});

/** The content of a place; undefined where there is none. */
export const slotAt = <T>({ chunks }: Slots<T>, index: number): T | undefined =>
  chunks[Math.floor(index / CHUNK)]?.[index % CHUNK];

/** The list with another content at a place. */
export const withSlot = <T>(list: Slots<T>, index: number, content: T): Slots<T> => {
  const at = Math.floor(index / CHUNK);
  const chunk = list.chunks[at];
  if (chunk === undefined || index % CHUNK >= chunk.length) return list;
  return { ...list, chunks: list.chunks.with(at, chunk.with(index % CHUNK, content)) };
};

/** The list with one more place at its end. */
export const addSlot = <T>({ length, chunks }: Slots<T>, content: T): Slots<T> => {
  const last = chunks.at(-1);
  return last === undefined || last.length === CHUNK
    ? { length: length + 1, chunks: [...chunks, [content]] }
    : { length: length + 1, chunks: chunks.with(-1, [...last, content]) };
};

/** All contents, in order. */
export const slotList = <T>({ chunks }: Slots<T>): readonly T[] => chunks.flat();
