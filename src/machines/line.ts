/**
 * First in, first out, as plain JSON: full chunks, a tail that is still filling, and how many of the first are gone.
 *
 * I1  Adding copies at most a tail and taking the first copies nothing, but for a list of chunks once in a chunk.
 * I2  An older version is never changed.
 */
export interface Line<T> {
  readonly full: readonly (readonly T[])[];
  readonly tail: readonly T[];
  /** Of the first chunk; less than a chunk. */
  readonly gone: number;
  readonly size: number;
}

const CHUNK = 32;

/** The line of nobody. */
export const emptyLine: Line<never> = { full: [], tail: [], gone: 0, size: 0 };

/** `line` with somebody at its end. */
export const addTo = <T>({ full, tail, gone, size }: Line<T>, item: T): Line<T> =>
  tail.length < CHUNK
    ? { full, tail: [...tail, item], gone, size: size + 1 }
    : { full: [...full, tail], tail: [item], gone, size: size + 1 };

/** Who is first; undefined where nobody is. */
export const firstOf = <T>({ full, tail, gone }: Line<T>): T | undefined => (full[0] ?? tail)[gone];

/** `line` without who was first. */
export const withoutFirst = <T>({ full, tail, gone, size }: Line<T>): Line<T> => {
  if (size <= 1) return emptyLine;
  const next = gone + 1;
  return full.length > 0 && next === CHUNK
    ? { full: full.slice(1), tail, gone: 0, size: size - 1 }
    : { full, tail, gone: next, size: size - 1 };
};

/** `line` with those only whom `isKept` keeps, in their order. */
export const keepIn = <T>(line: Line<T>, isKept: (item: T) => boolean): Line<T> => {
  if (line.size === 0) return line;
  let kept: Line<T> = emptyLine;
  for (const item of [...line.full.flat(), ...line.tail].slice(line.gone))
    if (isKept(item)) kept = addTo(kept, item);
  return kept;
};
