import { tryRead } from '../../base/try-read.ts';

/** One way in which a value is written. */
export interface Form {
  readonly text: string;
  /** Matched as a whole word only: within other letters it could be part of a word. */
  readonly isWord?: true | undefined;
  /** Digits around it that it has a share in. */
  readonly shares?: readonly [before: number, after: number] | undefined;
}

/** A reversible encoding of a value. */
export interface Encoding {
  readonly name: string;
  readonly encode: (value: string) => string;
  /** The number of digits around it that it has a share in. */
  readonly shares?: ((value: string) => readonly [before: number, after: number]) | undefined;
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Half a character has no code. */
const inAddress = (text: string): string => tryRead(() => encodeURIComponent(text), text);

/** The bytes of UTF-8, a character each. */
const bytesOf = (text: string): string =>
  /[^ -~]/.test(text)
    ? Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
    : text;

/** The bytes of UTF-16, of which PowerShell makes its base64. */
const wideBytesOf = (text: string): string =>
  text.replaceAll(/[^]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return String.fromCharCode(code & 255, code >> 8);
  });

const inNumbers = (bytes: string, radix: number, between: string): string =>
  Array.from(bytes, (byte) =>
    byte
      .charCodeAt(0)
      .toString(radix)
      .padStart(radix < 3 ? 8 : radix / 8, '0'),
  ).join(between);

/** A list of bytes, as numbers of a radix. */
const list = (name: string, radix: number, between: string): Encoding => ({
  name,
  encode: (value) => inNumbers(bytesOf(value), radix, between),
});

/** Returns the base64 of bytes at an offset in a group of three: only the digits that depend on them alone. */
const inBase64 = (bytes: string, before = 0): string =>
  btoa('\0'.repeat(before) + bytes).slice(
    Math.ceil((before * 8) / 6),
    Math.floor(((before + bytes.length) * 8) / 6),
  );

/** The same in base32 (RFC 4648), at an offset in a group of five. */
const inBase32 = (bytes: string, before: number): string =>
  inNumbers(bytes, 2, '')
    .slice((before * 2) % 5)
    .replaceAll(/.{1,5}/g, (bits) => {
      const digit = Number.parseInt(bits, 2);
      return bits.length < 5 ? '' : String.fromCharCode(digit < 26 ? digit + 65 : digit + 24);
    });

const forAddresses = (digits: string): string => digits.replaceAll('+', '-').replaceAll('/', '_');

const small = (text: string): string => text.toLowerCase();
const capital = (text: string): string => text.toUpperCase();

/** The digits of a number of bits of the bytes of a value, at each offset in a group; those at the ends have a share in what is around. */
const digits = (
  name: string,
  bits: 5 | 6,
  bytes: (value: string) => string,
  write: (bytes: string, before: number) => string,
): readonly Encoding[] =>
  Array.from({ length: bits === 6 ? 3 : 5 }, (_, before) => {
    const shareAt = (end: number): number => Math.min(1, (end * 8) % bits);
    return {
      name: `${name}-${before}`,
      encode: (value) => write(bytes(value), before),
      shares: (value) => [shareAt(before), shareAt(before + bytes(value).length)],
    };
  });

const base64 = (kind: string, bytes: (value: string) => string): readonly Encoding[] => [
  ...digits(`base64${kind}`, 6, bytes, inBase64),
  ...digits(`base64url${kind}`, 6, bytes, (all, before) => forAddresses(inBase64(all, before))),
];

/** The ways in which values are looked for, most likely first. */
export const encodings: readonly Encoding[] = [
  { name: '', encode: (value) => value },
  { name: 'json', encode: inJson },
  { name: 'json-json', encode: (value) => inJson(inJson(value)) },
  { name: 'uri', encode: inAddress },
  { name: 'uri-small', encode: (value) => inAddress(value).replaceAll(/%[0-9A-F]{2}/g, small) },
  { name: 'form', encode: (value) => inAddress(value).replaceAll('%20', '+') },
  // Without its padding; and where a line ends after its sign of equality, which ends lines in mails.
  { name: 'bare', encode: (value) => value.replaceAll('=', '') },
  { name: 'reversed', encode: (value) => Array.from(value).toReversed().join('') },
  list('hex', 16, ''),
  { name: 'hex-capital', encode: (value) => capital(inNumbers(bytesOf(value), 16, '')) },
  { name: 'small', encode: small },
  { name: 'capital', encode: capital },
  list('hex-apart', 16, ' '),
  list('hex-colons', 16, ':'),
  // The same in front of each is quoted-printable, too.
  list('hex-equals', 16, '='),
  list('hex-braces', 16, '}\\u{'),
  list('hex-0x', 16, ',0x'),
  list('hex-0x-apart', 16, ', 0x'),
  list('bytes', 10, ','),
  list('bytes-apart', 10, ', '),
  list('bytes-spaced', 10, ' '),
  list('binary', 2, ''),
  list('binary-apart', 2, ' '),
  // Whichever byte of two comes first: without the last one, which is 0 in ASCII.
  { name: 'hex-wide', encode: (value) => inNumbers(wideBytesOf(value).slice(0, -1), 16, '') },
  ...base64('', bytesOf),
  ...base64('-wide', wideBytesOf),
  ...base64('-twice', (value) => bytesOf(inBase64(bytesOf(value)))),
  ...digits('base32', 5, bytesOf, inBase32),
];

/** Words and short numbers are searched verbatim only; other encodings would match too much. */
const WORD = /^(?:[A-Za-z]{1,15}|\d{1,6})$/;

/** Returns the texts by which a value is found, in any case of letters. */
export const formsOf = (value: string): readonly Form[] => {
  if (WORD.test(value)) return [{ text: value, isWord: true }];
  const seen = new Set<string>();
  const forms = encodings.map(({ encode, shares }): Form => ({
    text: encode(value),
    shares: shares?.(value),
  }));
  return forms.filter(({ text }) => {
    const isNew = !seen.has(text.toLowerCase()) && text.length >= 3;
    seen.add(text.toLowerCase());
    return isNew;
  });
};
