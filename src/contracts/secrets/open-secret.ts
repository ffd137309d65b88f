import { escapePattern } from '../../base/text/escape-pattern.ts';
import { UNFINISHED } from './credentials.ts';
import { publicTokens } from './public-tokens.ts';
import { ASSIGNING, NAMES } from './assigned-values.ts';

const begins = [...new Set(publicTokens.flatMap((token) => token.begins)), 'eyJ'];
const beginnings = begins.map(escapePattern).join('|');
/** The first letters of each beginning, not all of it. */
const firstLetters = new Set(
  begins.flatMap((begin) => Array.from(begin, (_, index) => begin.slice(0, index)).slice(1)),
);
const MOST_LETTERS = Math.max(...begins.map(({ length }) => length)) - 1;

/** Part of the text that is examined: longer keys are found before they end. */
const TAIL = 2_100;

/** None has a space in it, whatever stands before it. */
const OPEN = new RegExp(
  [
    `(?<![A-Za-z0-9])(?:${beginnings})[\\w.+/=~%-]{0,400}$`,
    // The first part of a token of parts is the longest that is bounded.
    '(?<![\\w-])eyJ[\\w-]{0,2000}(?:\\.[\\w-]{0,3})?$',
    '://[^\\s/"\'<>]{1,400}$',
    ...UNFINISHED,
    `(?<=(?:${NAMES})[\\w.-]{0,40}${ASSIGNING}\\\\{0,3}["'\`]?)[^\\s"'\`]{1,400}$`,
  ].join('|'),
  'gi',
);

const ARMOUR =
  /-----BEGIN ?[A-Z0-9 _-]{0,40}PRIVATE KEY(?: BLOCK)?-----(?![^]*-----END ?[A-Z0-9 _-]{0,40}PRIVATE KEY(?: BLOCK)?-----)[^]*$/;

/**
 * Returns the position from which the end of the text could be an incomplete secret of known form; its length if there
 * is none.
 */
export const openAt = (text: string): number => {
  const armour = text.includes('-----BEGIN') ? text.search(ARMOUR) : -1;
  OPEN.lastIndex = Math.max(text.length - TAIL, text.lastIndexOf(' ') + 1, text.lastIndexOf('\n') + 1);
  return Math.min(armour === -1 ? text.length : armour, OPEN.exec(text)?.index ?? text.length);
};

/**
 * Returns the position from which the end of the text could be the first letters of a key with a known prefix; its
 * length if there is none.
 */
export const letterAt = (text: string): number => {
  for (let start = Math.max(0, text.length - MOST_LETTERS); start < text.length; start += 1) {
    if (start > 0 && isLetterOrDigit(text.charCodeAt(start - 1))) continue;
    if (firstLetters.has(text.slice(start))) return start;
  }
  return text.length;
};

const isLetterOrDigit = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
