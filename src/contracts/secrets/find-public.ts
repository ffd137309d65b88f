import { assignedValues } from './assigned-values.ts';
import { inAddresses, inArmour, inHeaders } from './credentials.ts';
import type { Place } from './phrase-finder.ts';
import { publicTokens, tokensWithin } from './public-tokens.ts';

/** An undeclared secret: its place, and the kind it was recognised as. */
export interface FoundSecret extends Place {
  readonly name: string;
}

/** Kinds of lookups that a text needs, by the hints (three characters each) found in it. */
const TOKEN = 1;
const ASSIGNED = 2;
const HEADER = 4;
const ADDRESS = 8;
const ARMOUR = 16;

/** By three characters, the kinds of secrets that a text with them may hold; and whether any hint starts with two. */
const hints = new Map<number, number>();
const pairs = new Uint8Array(128 * 128);

/** No hint has a letter outside ASCII, for which this is one of a kind. */
const numberOf = (first: number, second: number, third: number): number =>
  (first | second | third) < 128 ? (first << 14) | (second << 7) | third : -1;

const pairOf = (first: number, second: number): number => ((first & 127) << 7) | (second & 127);

const hint = (piece: string, kind: number): void => {
  const first = piece.charCodeAt(0);
  const second = piece.charCodeAt(1);
  const number = numberOf(first, second, piece.charCodeAt(2));
  hints.set(number, (hints.get(number) ?? 0) | kind);
  pairs[pairOf(first, second)] = 1;
};

for (const { begins } of publicTokens) for (const begin of begins) hint(begin, TOKEN);
for (const { has } of tokensWithin) for (const piece of has) hint(piece, TOKEN);
const inAnyCase = (word: string): readonly string[] => {
  const small = word.slice(0, 3);
  return [small, small.toUpperCase(), `${small.charAt(0).toUpperCase()}${small.slice(1)}`];
};
for (const word of [
  'password',
  'pwd',
  'secret',
  'token',
  'credential',
  'jwt',
  'key',
  'auth',
  'dsn',
  'account',
  'sig',
  'session',
])
  for (const piece of inAnyCase(word)) hint(piece, ASSIGNED);
for (const word of ['authorization', 'bearer', 'basic', 'curl', 'password', 'secret', 'token', 'key'])
  for (const piece of inAnyCase(word)) hint(piece, HEADER);
hint('://', ADDRESS);
hint('-----', ARMOUR);

const hintsIn = (text: string): number => {
  let found = 0;
  let first = text.charCodeAt(0);
  let second = text.charCodeAt(1);
  for (let index = 2; index < text.length; index += 1) {
    const third = text.charCodeAt(index);
    if (pairs[pairOf(first, second)] === 1) found |= hints.get(numberOf(first, second, third)) ?? 0;
    first = second;
    second = third;
  }
  return found;
};

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const beginning = publicTokens.map(({ begins, rest }) => `(?:${begins.map(escapePattern).join('|')})${rest}`);
const TOKENS = new RegExp(
  [`(?<![A-Za-z0-9])(?:${beginning.join('|')})`, ...tokensWithin.map(({ all }) => all)].join('|'),
  'g',
);

const tokens = (text: string): readonly Place[] =>
  [...text.matchAll(TOKENS)].map(({ 0: { length }, index }) => ({ start: index, end: index + length }));

const lookups: readonly (readonly [kind: number, name: string, find: (text: string) => readonly Place[]])[] =
  [
    [TOKEN, 'key', tokens],
    [ARMOUR, 'private key', inArmour],
    [ADDRESS, 'credentials', inAddresses],
    [HEADER, 'credentials', inHeaders],
    [ASSIGNED, 'secret', assignedValues],
  ];

/** Shorter texts hold no recognisable secret. */
const SHORTEST = 8;

/**
 * Finds secrets that are recognisable without being declared: keys of known form, private keys, credentials before the
 * `@` of a URL or after `Authorization:`, and values assigned to a name such as `password`.
 *
 * Takes time proportional to the text: little for one without hints.
 */
export const findPublic = (text: string): readonly FoundSecret[] => {
  if (text.length < SHORTEST) return NONE;
  const found = hintsIn(text);
  if (found === 0) return NONE;
  return lookups.flatMap(([kind, name, find]) =>
    (found & kind) === 0 ? NONE : find(text).map((place) => ({ ...place, name })),
  );
};

const NONE: readonly FoundSecret[] = [];
