/** Sets the item at `index` in the list of a key. */
export const putInPlace = <T>(lists: Map<string, T[]>, key: string, index: number, item: T): void => {
  const list = lists.get(key) ?? [];
  list[index] = item;
  lists.set(key, list);
};
