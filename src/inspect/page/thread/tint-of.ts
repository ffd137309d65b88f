/** The number of tints; `thread.css` has a colour for each. */
const TINTS = 8;

/** The tint of a member, the same wherever its name stands. */
export const tintOf = (name: string): number => {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return hash % TINTS;
};

/** The initial of a member, with its number if that is short. */
export const initialOf = (name: string): string => {
  const [initial = '?'] = name.match(/[\p{Letter}\p{Number}]/u) ?? [];
  const [, number = ''] = /-(\d{1,2})$/.exec(name) ?? [];
  return `${initial.toUpperCase()}${number}`;
};
