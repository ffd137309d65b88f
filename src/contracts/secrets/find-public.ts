import { escapePattern } from '../../base/text/escape-pattern.ts';
import { assignedValues } from './assigned-values.ts';
import type { FoundPlace } from './credentials.ts';
import { inAddresses, inArmour, inHeaders } from './credentials.ts';
import type { Place } from './phrase-finder.ts';
import { publicTokens, tokensWithin } from './public-tokens.ts';

/** An undeclared secret: its place, and the kind it was recognised as. */
export interface FoundSecret extends FoundPlace {
  readonly name: string;
}

/** Kinds of lookups that a text needs, by the hints (three characters each) found in it. */
const TOKEN = 1;
const ASSIGNED = 2;
const HEADER = 4;
const ADDRESS = 8;
const ARMOUR = 16;
const WITHIN = 32;

/** By three characters, the kinds of secrets that a text with them may hold; and whether any hint starts with two. */
const hints = new Map<number, number>();
const pairs = new Uint8Array(128 * 128);

/** No hint has a letter outside ASCII, for which this is one of a kind. */
const numberOf = (first: number, second: number, third: number): number =>
  (first | second | third) < 128 ? (first << 14) | (second << 7) | third : -1;

const pairOf = (first: number, second: number): number => ((first & 127) << 7) | (second & 127);

const headOf = (piece: string): number =>
  numberOf(piece.charCodeAt(0), piece.charCodeAt(1), piece.charCodeAt(2));

const hint = (piece: string, kind: number): void => {
  const number = headOf(piece);
  hints.set(number, (hints.get(number) ?? 0) | kind);
  pairs[pairOf(piece.charCodeAt(0), piece.charCodeAt(1))] = 1;
};

for (const { begins } of publicTokens) for (const begin of begins) hint(begin, TOKEN);
for (const { has } of tokensWithin) for (const piece of has) hint(piece, WITHIN);
/** The first three letters of words, in small letters, in capitals, and with a capital. */
const hintWords = (words: string, kind: number): void => {
  for (const word of words.split(' '))
    for (const piece of [word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)])
      hint(piece, kind);
};
// Of password, secret, token, key, authorization; of credential, account, session; of bearer, basic, curl, sshpass.
hintWords('pas sec tok key aut', ASSIGNED | HEADER);
hintWords('pwd cre jwt dsn acc sig ses', ASSIGNED);
hintWords('bea bas cur ssh', HEADER);
hint('://', ADDRESS);
hint('-----', ARMOUR);

/** Calls `found` with the kinds of each hint in a text, and where it is. */
const scan = (text: string, found: (kinds: number, head: number, index: number) => void): void => {
  let first = text.charCodeAt(0);
  let second = text.charCodeAt(1);
  for (let index = 2; index < text.length; index += 1) {
    const third = text.charCodeAt(index);
    if (pairs[pairOf(first, second)] === 1) {
      const head = numberOf(first, second, third);
      const kinds = hints.get(head);
      if (kinds !== undefined) found(kinds, head, index - 2);
    }
    first = second;
    second = third;
  }
};

/** By the three characters that they begin with, the pattern of all tokens that do: words such as `test` and `access` do, too. */
const tokensByHead = new Map<number, RegExp>();

const tokenPattern = (head: number): RegExp => {
  const known = tokensByHead.get(head);
  if (known !== undefined) return known;
  const forms = publicTokens.flatMap(({ begins, rest }) =>
    begins.filter((begin) => headOf(begin) === head).map((begin) => `${escapePattern(begin)}${rest}`),
  );
  const made = new RegExp(`(?<![A-Za-z0-9])(?:${forms.join('|')})`, 'y');
  tokensByHead.set(head, made);
  return made;
};

const tokens = (text: string): readonly Place[] => {
  const places: Place[] = [];
  let from = 0;
  scan(text, (kinds, head, index) => {
    if ((kinds & TOKEN) === 0 || index < from) return;
    const pattern = tokenPattern(head);
    pattern.lastIndex = index;
    if (!pattern.test(text)) return;
    from = pattern.lastIndex;
    places.push({ start: index, end: from });
  });
  return places;
};

const within = tokensWithin.map(({ has, all }) => ({ has, pattern: new RegExp(all, 'g') }));

const tokensAround = (text: string): readonly Place[] =>
  within
    .filter(({ has }) => has.some((piece) => text.includes(piece)))
    .flatMap(({ pattern }) =>
      [...text.matchAll(pattern)].map(({ 0: { length }, index }) => ({ start: index, end: index + length })),
    );

const lookups: readonly (readonly [
  kind: number,
  name: string,
  find: (text: string) => readonly FoundPlace[],
])[] = [
  [TOKEN, 'key', tokens],
  [WITHIN, 'key', tokensAround],
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
  let found = 0;
  scan(text, (kinds) => (found |= kinds));
  if (found === 0) return NONE;
  return lookups.flatMap(([kind, name, find]) =>
    (found & kind) === 0 ? NONE : find(text).map((place) => ({ ...place, name })),
  );
};

const NONE: readonly FoundSecret[] = [];
