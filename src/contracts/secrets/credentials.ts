import { tryRead } from '../../base/try-read.ts';
import type { Place } from './phrase-finder.ts';

/** A place, and the beginning of what it was recognised by. */
export interface FoundPlace extends Place {
  readonly from?: number | undefined;
}

/** `https://user:password@host`: the part between the slashes and the `@`. */
const IN_ADDRESS = /:\/\/(?<credentials>[^\s/:@"'<>`\\?#]{0,128}:[^\s/@"'<>`\\]{1,256})@(?=[\w[%.-])/g;

/** `https://token@host`, with a token in place of the user. */
const TOKEN_IN_ADDRESS =
  /:\/\/(?<credentials>(?=[^\s/:@"'<>]{0,60}\d)[^\s/:@"'<>`\\?#]{20,256})@(?=[\w[%.-])/g;

/** The beginning of credentials in a header: `Authorization: Bearer …`, and the same without its header. */
const AUTHORIZING = String.raw`\b(?:authorization["'\\]{0,4}\s{0,3}[:=]\s{0,3}["'\\]{0,4}(?:(?:Basic|Bearer|Token|Digest|Api-?Key|AWS4-HMAC-SHA256|Negotiate|Bot|SSWS)\s{1,3})?|bearer\s{1,3}|bearer["'\\]{0,4}\s{0,3}[:=]\s{0,3}["'\\]{0,4})`;
const AUTHORIZATION = new RegExp(String.raw`${AUTHORIZING}(?<credentials>[\w.~+/%:-]{6,}={0,3})`, 'gi');

/** Also of the configuration of Docker: `"auth": "…"`. */
const BEFORE_BASIC = String.raw`(?:\bBasic\s{1,3}|"auth\\{0,3}"\s{0,3}:\s{0,9}\\{0,3}")`;
const BASIC = new RegExp(`${BEFORE_BASIC}(?<credentials>[A-Za-z0-9+/]{8,}={0,2})`, 'gi');

/** `login ada password hunter2` of a `.netrc`, `sshpass -p hunter2` */
const BEFORE_WORD = String.raw`password(?<=\blogin[ \t]\S{1,99}\s{1,9}password)[ \t]{1,9}|-p(?<=\bsshpass[ \t]{1,9}-p) ?["']?`;
/** `curl -u user:password` */
const BEFORE_USER = String.raw`-(?:u|-user)(?<=\bcurl\b[^\n]{0,300}\s--?u(?:ser)?)[ =]{0,2}["']?`;
/** `--password hunter2`, `-p"hunter2"` */
const BEFORE_PASSWORD = String.raw`--?(?<=(?:^|\s)--?)(?:[a-z]{1,20}-)?(?:pass(?:word|wd|phrase)|token|secret(?:-?key)?|(?:api|access)-?key)(?:[ =]|\s{1,2})["']?`;
const FLAG = new RegExp(
  String.raw`(?:${BEFORE_USER}(?=[^\s"']{0,100}:)|${BEFORE_WORD}|${BEFORE_PASSWORD})(?<credentials>[^\s"'$<{[-][^\s"']{3,256})`,
  'gi',
);

/** Patterns of credentials in headers and command lines that the end of a text is in the midst of. */
export const UNFINISHED: readonly string[] = [
  String.raw`(?<=${AUTHORIZING})[\w.~+/%:-]{1,400}={0,3}$`,
  // As many as a user and a password take that are looked at.
  String.raw`(?<=${BEFORE_BASIC})[A-Za-z0-9+/]{1,820}={0,2}$`,
  String.raw`(?<=${BEFORE_USER}|${BEFORE_WORD}|${BEFORE_PASSWORD})[^\s"'$<{[-][^\s"']{0,256}$`,
];

/** A key in its armour; where that has no end, its lines. */
const ARMOURED =
  /-----BEGIN ?[A-Z0-9 _-]{0,40}PRIVATE KEY(?: BLOCK)?-----(?<credentials>(?:[^-"]|-(?!----)){0,40000}-----END ?[A-Z0-9 _-]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\\{1,2}[nr]|\s){0,6}[A-Za-z0-9+/=]{16,}){1,1000})/g;

const TEMPLATE = /^(?:[^:]*:)?(?:\$|<|\{|%[({]|%[sd]$|\[|\*+$|x+$|\.\.\.$)/i;

type IsSecret = (found: string, before: string) => boolean;

const placesOf = (text: string, pattern: RegExp, isSecret: IsSecret): readonly FoundPlace[] =>
  [...text.matchAll(pattern)].flatMap((match) => {
    const found = match.groups?.['credentials'] ?? '';
    const before = match[0].lastIndexOf(found);
    const start = match.index + before;
    const end = start + found.length;
    return isSecret(found, match[0].slice(0, before)) ? [{ start, end, from: match.index }] : [];
  });

/** The users and passwords in a text's addresses. */
export const inAddresses = (text: string): readonly FoundPlace[] => [
  ...placesOf(text, IN_ADDRESS, (found) => !TEMPLATE.test(found) && !found.endsWith(':')),
  ...placesOf(text, TOKEN_IN_ADDRESS, (found) => !TEMPLATE.test(found)),
];

/** The credentials in a text's headers and command lines. */
export const inHeaders = (text: string): readonly FoundPlace[] => [
  ...placesOf(text, AUTHORIZATION, isAuthorization),
  ...placesOf(text, BASIC, isUserAndPassword),
  ...placesOf(text, FLAG, (found) => !TEMPLATE.test(found) && (/\d/.test(found) || /[^\w.-]/.test(found))),
];

/** The private keys in a text, armour and all but its first line. */
export const inArmour = (text: string): readonly FoundPlace[] => placesOf(text, ARMOURED, () => true);

/** A header makes clear what its value is; the word alone also occurs in prose. */
const isAuthorization: IsSecret = (found, before) => {
  if (TEMPLATE.test(found)) return false;
  const isMixed = /\d/.test(found) && /[A-Za-z]/.test(found) && found.length >= 8;
  return isMixed || (/^authorization/i.test(before) && found.length >= 16);
};

const isUserAndPassword = (found: string): boolean =>
  tryRead(() => /^[\x20-\x7e]{1,200}:[\x20-\x7e]{0,400}$/.test(atob(found)), false);
