/** The list that was there before, if the next one has the same items: views compare by identity. */
export const keepSame = <Item>(before: readonly Item[], next: readonly Item[]): readonly Item[] =>
  next.length === before.length && next.every((each, at) => each === before[at]) ? before : next;
