/**
 * Encodes a text so that any database stores and returns it: NUL, lone surrogates and the mark itself are written as a mark and four
 * digits. Concatenation is preserved.
 */
export const storedText = (text: string): string =>
  text.replaceAll(UNSTORABLE, (character) => MARK + character.charCodeAt(0).toString(16).padStart(4, '0'));

/** Decodes a stored text. */
export const textOf = (stored: string): string =>
  stored.includes(MARK)
    ? stored.replaceAll(MARKED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    : stored;

const MARK = '\u0001';
/** With the flag u, a surrogate matches only if it is lone. */
const UNSTORABLE = new RegExp(`[\\0${MARK}\\p{Surrogate}]`, 'gu');
const MARKED = new RegExp(`${MARK}([0-9a-f]{4})`, 'g');
