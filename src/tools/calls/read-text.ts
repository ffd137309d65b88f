import { fittingLength } from './cut-text.ts';

/** The piece of a text that is wanted: from 1, both ends included. */
export interface WantedPiece {
  /** Default 1. */
  readonly from?: number | undefined;
  /** Default: the end. */
  readonly to?: number | undefined;
  /** Default `lines`. */
  readonly by?: 'lines' | 'characters' | undefined;
  /** Shows the places of the piece that have this text, in any case. */
  readonly find?: string | undefined;
}

/** The longest text to look for, in characters: a search takes time proportional to both texts. */
export const MAX_SOUGHT = 100;

/** Places shown at a time. */
const MAX_PLACES = 20;

/** Characters shown before and after a text that was found. */
const AROUND = 100;

/** Returns the reason why a text does not have the piece; undefined if it has. */
export const rangeProblem = (
  text: string,
  { from = 1, to, by = 'lines' }: WantedPiece,
): string | undefined => {
  if (to !== undefined && to < from) return `it would end at ${to}, before it starts at ${from}`;
  const lines = linesIn(text);
  if (from <= (by === 'lines' ? lines : text.length)) return undefined;
  return `it would start at ${from}, and the text has ${lines} lines, ${text.length} characters`;
};

/**
 * Reads a piece of a text within a limit in bytes, or the places in it that have a text; says what it is of the whole, and where to continue.
 *
 * @example
 * readText('one\ntwo\nthree', { from: 2, to: 2 }, 1_000) // => 'lines 2 to 2 of 3, characters 5 to 8 of 13:\ntwo\n'
 */
export const readText = (text: string, wanted: WantedPiece, maxBytes: number): string => {
  const range = rangeOf(text, wanted);
  return wanted.find === undefined
    ? pieceOf(text, range, maxBytes)
    : placesOf(text, range, wanted.find, maxBytes);
};

/** A part of a text, in characters from 0, without its end. */
interface Range {
  readonly start: number;
  readonly end: number;
}

const rangeOf = (text: string, { from = 1, to = Infinity, by = 'lines' }: WantedPiece): Range => {
  if (by === 'characters') return { start: from - 1, end: Math.min(to, text.length) };
  const start = afterLines(text, from - 1, 0);
  return { start, end: to === Infinity ? text.length : afterLines(text, to - from + 1, start) };
};

const pieceOf = (text: string, { start, end }: Range, maxBytes: number): string => {
  // No character takes less than a byte.
  const candidate = text.slice(start, Math.min(end, start + maxBytes));
  const piece = candidate.slice(0, fittingLength(candidate, maxBytes));
  const stop = start + piece.length;
  const first = breaksIn(text, 0, start) + 1;
  const last = first + breaksIn(text, start, stop - 1);
  const about = `lines ${first} to ${last} of ${linesIn(text)}, characters ${start + 1} to ${stop} of ${text.length}`;
  return `${about}:\n${piece}${stop < end ? continuation(stop) : ''}`;
};

const placesOf = (text: string, { start, end }: Range, find: string, maxBytes: number): string => {
  const { within, sought } = ignoreCase(text, find);
  const places: number[] = [];
  let found = 0;
  for (
    let at = within.indexOf(sought, start);
    at >= 0 && at + sought.length <= end;
    at = within.indexOf(sought, at + sought.length)
  ) {
    found += 1;
    if (places.length <= MAX_PLACES) places.push(at);
  }
  const shown = describePlaces(text, places.slice(0, MAX_PLACES), sought.length, maxBytes);
  const about = `${shown.length} of ${found} places that have '${find}', in ${linesIn(text)} lines, ${text.length} characters`;
  const next = places[shown.length];
  return `${about}${shown.length === 0 ? '' : ':'}${shown.join('')}${next === undefined ? '' : continuation(next)}`;
};

/** As many places as fit, one at least: the line, the character, and what is around. */
const describePlaces = (
  text: string,
  places: readonly number[],
  length: number,
  maxBytes: number,
): readonly string[] => {
  const shown: string[] = [];
  let [line, seen, room] = [1, 0, maxBytes];
  for (const at of places) {
    line += breaksIn(text, seen, at);
    seen = at;
    const around = text.slice(Math.max(0, at - AROUND), at + length + AROUND).replaceAll(/\s+/g, ' ');
    const place = `\n- line ${line}, character ${at + 1}: …${around}…`;
    room -= new TextEncoder().encode(place).length;
    if (shown.length > 0 && room < 0) break;
    shown.push(place);
  }
  return shown;
};

const continuation = (at: number): string => `\n[continue by characters from ${at + 1}]`;

/** A few letters change their length with their case: a text with one is searched as it is. */
const ignoreCase = (text: string, find: string): { readonly within: string; readonly sought: string } => {
  const lower = text.toLowerCase();
  return lower.length === text.length
    ? { within: lower, sought: find.toLowerCase() }
    : { within: text, sought: find };
};

/** A line break at the end starts no line. */
const linesIn = (text: string): number => breaksIn(text, 0, text.length - 1) + 1;

const breaksIn = (text: string, start: number, end: number): number => {
  let count = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
};

/** The position after a number of lines; the end if there are fewer. */
const afterLines = (text: string, lines: number, start: number): number => {
  let at = start;
  for (let left = lines; left > 0; left -= 1) {
    const next = text.indexOf('\n', at);
    if (next < 0) return text.length;
    at = next + 1;
  }
  return at;
};
