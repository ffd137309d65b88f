/**
 * A text without the run of `characters` that it ends with: what `/[…]+$/` means, in time that grows with the run alone. (The pattern
 * looks at every such run in the text from each of its places: quadratic where they are long.)
 *
 * @example trimEndOf('/srv/files//', '/') // => '/srv/files'
 */
export const trimEndOf = (text: string, characters: string): string => {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
};
