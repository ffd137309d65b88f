/** Longer names are not tried. */
const LONGEST = 128;

/**
 * Tests a name against a pattern of a JSON Schema; undefined where that might take long, or the pattern is none. Simple patterns are decided: with
 * no repeated group and at most one repetition, or two after `^`, which takes a square of the name's length at most.
 *
 * @example
 * matchSimply('^x-', 'x-key'); // true
 * matchSimply('^(a+)+$', 'aaaa'); // undefined
 */
export const matchSimply = (pattern: string, name: string): boolean | undefined => {
  const repetitions = pattern.replaceAll('(?:', '(').match(/[*+?{]/g) ?? [];
  const most = pattern.startsWith('^') ? 2 : 1;
  if (name.length > LONGEST || repetitions.length > most || /\)[*+?{]/.test(pattern)) return undefined;
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    return undefined;
  }
};
