import { jsonrepair } from 'jsonrepair';
import { repairTime } from './json-faults.ts';

/** JSON found in a text. */
export interface LooseJson {
  readonly value: unknown;
  /** True if the text ended within a value: the repaired value may not be what was meant. */
  readonly isTruncated: boolean;
  /** Its position in the text. */
  readonly start: number;
  readonly end: number;
}

/** Openings tried in one text: a hostile one must not cost a second. */
const MAX_TRIES = 8;
/** The cost of repairing grows faster than length and depth: JSON beyond both limits is parsed only if it is valid. */
const MAX_MENDED_LENGTH = 100_000;
const MAX_MENDED_DEPTH = 200;
/** A repair may take that long, in ms. */
const MAX_REPAIR_MS = 200;

/**
 * Parses the first object or list in a text, in a fence or amid prose, and repairs it if necessary: single quotes,
 * missing quotes, commas and brackets, comments.
 *
 * If the text ends within a string, or before a value, the JSON counts as truncated. A missing closing bracket at the
 * very end does not: models forget it.
 *
 * @example looseJson("Sure: {a: 'x',}")?.value // => { a: 'x' }
 */
export const looseJson = (text: string, from = 0): LooseJson | undefined => {
  let start = from;
  let left = MAX_MENDED_LENGTH;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    start = nextOpening(text, start);
    if (start < 0) return undefined;
    const { end, isOpen, isMidValue, depth } = extentOf(text, start);
    const json = text.slice(start, end);
    const found = parseOrMend(
      json,
      () => depth <= MAX_MENDED_DEPTH && end - start <= left && repairTime(json) <= MAX_REPAIR_MS,
    );
    left -= end - start;
    if (found !== undefined && looksMeant(found.value, json))
      return { value: found.value, isTruncated: isOpen && isMidValue, start, end };
    start += 1;
  }
  return undefined;
};

const nextOpening = (text: string, from: number): number => {
  for (let at = from; at < text.length; at += 1) if ('{['.includes(text.charAt(at))) return at;
  return -1;
};

/** Words in square brackets are not a list: `[sic]` is repaired to `["sic"]`. */
const looksMeant = (value: unknown, text: string): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (!Array.isArray(value) || value.length === 0 || /^\[\s*[-{["'\d]/.test(text));

interface Extent {
  readonly end: number;
  readonly isOpen: boolean;
  readonly isMidValue: boolean;
  /** The most brackets that are open. */
  readonly depth: number;
}

/** The end of an opening, strings left out of account. */
const extentOf = (text: string, start: number): Extent => {
  let depth = 0;
  let deepest = 0;
  let quote = '';
  let last = '';
  for (let at = start; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (quote !== '') {
      if (sign === '\\') at += 1;
      else if (sign === quote) quote = '';
      continue;
    }
    // An apostrophe within a word opens no string.
    if (sign === '"' || (sign === "'" && /[\s{[:,]/.test(last || '{'))) quote = sign;
    else if (sign === '{' || sign === '[') deepest = Math.max(deepest, (depth += 1));
    else if (sign === '}' || sign === ']') {
      depth -= 1;
      if (depth === 0) return { end: at + 1, isOpen: false, isMidValue: false, depth: deepest };
    }
    last = sign;
  }
  const isMidValue = quote !== '' || /[:,{[]\s*$/.test(text.slice(-8));
  return { end: text.length, isOpen: true, isMidValue, depth: deepest };
};

const parseOrMend = (text: string, isMendable: () => boolean): { readonly value: unknown } | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return isMendable() ? mendJson(text) : undefined;
  }
};

const mendJson = (text: string): { readonly value: unknown } | undefined => {
  try {
    const value: unknown = JSON.parse(jsonrepair(text));
    return { value };
  } catch {
    return undefined;
  }
};
