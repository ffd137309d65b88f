import type { ErrorData } from './error-data.ts';

/** A list entry that cannot be read: damaged, or written by a later release. */
export interface UnreadableEntry {
  /** Id of the run or thread, as far as that is known. */
  readonly id: string;
  /** The reason why it cannot be read. */
  readonly error: ErrorData;
}

/** A list of all that can be read, which names beside it what cannot: one damaged entry never hides the others. */
export type Listed<Item> = readonly Item[] & {
  /** Not enumerable: the list compares, prints and spreads as any other. */
  readonly unreadable: readonly UnreadableEntry[];
};

/** Makes a list of what could be read, with what could not. */
export const listWith = <Item>(
  items: readonly Item[],
  unreadable: readonly UnreadableEntry[],
): Listed<Item> =>
  // The type differs from an array only by this property.
  Object.defineProperty([...items], 'unreadable', { value: unreadable }) as readonly Item[] as Listed<Item>;
