import { cardNumbers } from './card-numbers.ts';
import type { NamedPlace } from '../../../contracts/secrets/redact-places.ts';
import { inOrder } from './found-places.ts';
import { ibans } from './ibans.ts';

/** The kinds of personal data that are found. */
export const personalKinds = ['email', 'phone', 'card', 'iban', 'ip'] as const;

/** One of {@link personalKinds}. */
export type PersonalKind = (typeof personalKinds)[number];

const EMAIL =
  /[\p{L}\p{N}_.+%'-]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}[\p{L}]{2,24}/gu;

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
  /(?<![\w+.,-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}(?![\w]|[.,-]\d)/g,
];

const finders: Readonly<Record<PersonalKind, (text: string) => readonly NamedPlace[]>> = {
  email: (text) => placesOf(text, EMAIL, 'e-mail address'),
  iban: ibans,
  card: cardNumbers,
  ip: (text) => [
    ...placesOf(text, IPV4, 'IP address'),
    ...placesOf(text, IPV6, 'IP address').filter(({ start, end }) => isIpv6(text.slice(start, end))),
  ],
  phone: (text) =>
    PHONES.flatMap((phone) => placesOf(text, phone, 'phone number')).filter(({ start, end }) => {
      const { length } = text.slice(start, end).replaceAll(/\D/g, '');
      return length >= 8 && length <= 15;
    }),
};

/** The order in which kinds are looked for: what is certain before what is likely. */
const ORDER: readonly PersonalKind[] = ['email', 'iban', 'card', 'ip', 'phone'];

/** The personal data of these kinds in a text, by their published forms and check digits. Takes time in proportion to the text. */
export const personalData = (text: string, kinds: readonly PersonalKind[]): readonly NamedPlace[] =>
  inOrder(ORDER.flatMap((kind) => (kinds.includes(kind) ? finders[kind](text) : [])));

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
