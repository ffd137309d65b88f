/**
 * A text as any database takes it and gives it back, whatever is in it: NUL, half of a surrogate pair and the mark itself are
 * written as a mark and four digits. The stored text of two texts after each other is their stored texts after each other.
 */
export const storedText = (text: string): string =>
  text.replaceAll(UNSTORABLE, (character) => MARK + character.charCodeAt(0).toString(16).padStart(4, '0'));

/** The text behind a stored one. */
export const textOf = (stored: string): string =>
  stored.includes(MARK)
    ? stored.replaceAll(MARKED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    : stored;

const MARK = '\u0001';
/** A lone half of a pair is a character of its own to a pattern that knows of pairs. */
const UNSTORABLE = new RegExp(`[\\0${MARK}\\p{Surrogate}]`, 'gu');
const MARKED = new RegExp(`${MARK}([0-9a-f]{4})`, 'g');
