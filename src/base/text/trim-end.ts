/**
 * Removes the trailing run of `characters`: equivalent to `/[…]+$/`, in time that grows with that run alone. (The
 * pattern would be quadratic in long runs anywhere in the text.)
 *
 * @example trimEndOf('/srv/files//', '/') // => '/srv/files'
 */
export const trimEndOf = (text: string, characters: string): string => {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
};
