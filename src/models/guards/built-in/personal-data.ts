import { cardNumbers } from './card-numbers.ts';
import type { NamedPlace } from '../../../contracts/secrets/redact-places.ts';
import { inOrder } from './found-places.ts';
import { ibans } from './ibans.ts';

/** The kinds of personal data that are found. */
export const personalKinds = ['email', 'phone', 'card', 'iban', 'ip', 'ssn'] as const;

/** One of {@link personalKinds}. */
export type PersonalKind = (typeof personalKinds)[number];

/** Also as addresses and HTML escape its sign. */
const EMAIL =
  /[\p{L}\p{N}_.+%'-]{1,64}(?:@|%40|&#0?64;)(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}[\p{L}]{2,24}/gu;

/** `ann (at) example (dot) org` */
const SPELT_EMAIL =
  /[\w.+-]{1,64} ?[([] ?at ?[\])] ?(?:[\w-]{1,63}(?: ?[([] ?dot ?[\])] ?|\.)){1,8}[a-z]{2,24}/gi;

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
/** A version of a program has the form of an address: the word before it tells. */
const VERSION = '(?<!\\b(?:versions?|ver|release|build)[.:]?[ \\t]{0,2}(?:v|is )?)';
const IPV4 = new RegExp(`(?<![\\w.])${VERSION}(?:${OCTET}\\.){3}${OCTET}(?![\\w]|\\.\\d)`, 'gi');
const IPV6 = /(?<![\w:.])[0-9A-Fa-f:]{2,39}(?![\w:])/g;

/** Numbers with the sign or the prefix of another country, with a trunk prefix, and as North America writes them. */
const PHONES: readonly RegExp[] = [
  /(?<![\w+])(?:\+|00)[1-9]\d{0,2}(?:[ .\-/]{0,1}\(?\d{1,5}\)?){1,7}(?!\w)/g,
  /(?<![\w+.,/-])\(?0\d{1,5}\)?[ \-/]{1,1}\d{3,8}(?:[ -]?\d{2,4}){0,3}(?![\w]|[.,]\d)/g,
  /(?<![\w+.,/-])0\d(?:[ .]\d{2}){4}(?![\w]|[.,]\d)/g,
  /(?<![\w+.,-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])\d{3}[ .-]\d{4}(?![\w]|[.,-]\d)/g,
];

/** Of the United States: no area 000, 666 or from 900 on, no group 00, no number 0000. */
const SSN = /(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g;

const finders: Readonly<Record<PersonalKind, (text: string) => readonly NamedPlace[]>> = {
  email: (text) => [EMAIL, SPELT_EMAIL].flatMap((email) => placesOf(text, email, 'e-mail address')),
  iban: ibans,
  card: cardNumbers,
  ip: (text) => [
    ...placesOf(text, IPV4, 'IP address'),
    ...placesOf(text, IPV6, 'IP address').filter(({ start, end }) => isIpv6(text.slice(start, end))),
  ],
  ssn: (text) => placesOf(text, SSN, 'social security number'),
  phone: (text) =>
    PHONES.flatMap((phone) => placesOf(text, phone, 'phone number')).filter(({ start, end }) => {
      const { length } = text.slice(start, end).replaceAll(/\D/g, '');
      return length >= 8 && length <= 15;
    }),
};

/** The order in which kinds are looked for: what is certain before what is likely. */
const ORDER: readonly PersonalKind[] = ['email', 'iban', 'card', 'ssn', 'ip', 'phone'];

/**
 * The personal data of these kinds in a text, by their published forms and check digits, also in letters and digits of other widths and with
 * characters between them that nobody sees. Takes time in proportion to the text.
 */
export const personalData = (text: string, kinds: readonly PersonalKind[]): readonly NamedPlace[] => {
  const { plain, origins } = plainText(text);
  const found = inOrder(ORDER.flatMap((kind) => (kinds.includes(kind) ? finders[kind](plain) : [])));
  if (plain === text) return found;
  return found.map(({ start, end, name }) => ({
    start: origins[start] ?? start,
    end: origins[end] ?? text.length,
    name,
  }));
};

const UNSEEN = /[\u00AD\u200B-\u200F\u2060-\u2064\uFEFF]/;

/** A text in plain letters and digits (NFKC), and where each of them, and its end, is in the text itself. */
const plainText = (text: string): { readonly plain: string; readonly origins: readonly number[] } => {
  if (!UNSEEN.test(text) && text.normalize('NFKC') === text) return { plain: text, origins: [] };
  const origins: number[] = [];
  let plain = '';
  let at = 0;
  for (const character of text) {
    const shown = UNSEEN.test(character) ? '' : character.normalize('NFKC');
    for (let index = 0; index < shown.length; index += 1) origins.push(at);
    plain += shown;
    at += character.length;
  }
  return { plain, origins };
};

const placesOf = (text: string, pattern: RegExp, name: string): readonly NamedPlace[] =>
  Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
    name,
  }));

/** As RFC 4291 has it; `::` by itself, and what could be a time or a name in C++, is none. */
const isIpv6 = (written: string): boolean => {
  const halves = written.split('::');
  const groups = written.split(':').filter((group) => group !== '');
  if (halves.length > 2 || groups.some((group) => group.length > 4) || /^:[^:]|[^:]:$/.test(written))
    return false;
  if (halves.length === 1) return groups.length === 8;
  return (
    groups.length >= 2 && groups.length <= 7 && groups.some((group) => group.length >= 3 && /\d/.test(group))
  );
};
