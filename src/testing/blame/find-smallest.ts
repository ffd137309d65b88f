/**
 * Finds a smallest part of a list that still succeeds: without any one of its items it does not (delta debugging, Zeller and Hildebrandt 2002).
 * The whole list is known to succeed.
 */
export const findSmallest = async <Item>(
  items: readonly Item[],
  succeeds: (part: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> => {
  let left = items;
  let parts = 2;
  while (left.length > 1) {
    const smaller = await firstOf(candidatesOf(left, parts), succeeds);
    if (smaller !== undefined) {
      parts = smaller.isPart ? 2 : Math.max(2, parts - 1);
      left = smaller.items;
    } else if (parts >= left.length) return left;
    else parts = Math.min(left.length, parts * 2);
  }
  return left;
};

interface Candidate<Item> {
  readonly items: readonly Item[];
  /** One of the parts; otherwise all but one. */
  readonly isPart: boolean;
}

/** The parts, the last ones first, and what is left without each. */
const candidatesOf = <Item>(items: readonly Item[], count: number): readonly Candidate<Item>[] => {
  const size = Math.ceil(items.length / count);
  const starts = Array.from(
    { length: Math.ceil(items.length / size) },
    (_, index) => index * size,
  ).toReversed();
  const parts = starts.map((start) => ({ items: items.slice(start, start + size), isPart: true }));
  // Of two parts, what is left without one is the other.
  if (parts.length <= 2) return parts;
  const rests = starts.map((start) => ({
    items: [...items.slice(0, start), ...items.slice(start + size)],
    isPart: false,
  }));
  return [...parts, ...rests];
};

const firstOf = async <Item>(
  candidates: readonly Candidate<Item>[],
  succeeds: (part: readonly Item[]) => Promise<boolean>,
): Promise<Candidate<Item> | undefined> => {
  for (const candidate of candidates) if (await succeeds(candidate.items)) return candidate;
  return undefined;
};
