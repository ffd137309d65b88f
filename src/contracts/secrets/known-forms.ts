/** One way in which a value is written. */
export interface Form {
  readonly text: string;
  /** Matched as a whole word only: within other letters it could be part of a word. */
  readonly isWord?: true | undefined;
  /** Digits of base64 around it that it has a share in. */
  readonly shares?: readonly [before: number, after: number] | undefined;
}

/** A reversible encoding of a value. */
export interface Encoding {
  readonly name: string;
  readonly encode: (value: string) => string;
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const inAddress = (text: string): string => {
  try {
    return encodeURIComponent(text);
  } catch {
    // Half a character has no code.
    return text;
  }
};

const inHex = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Returns the base64 of a value at an offset in a group of three bytes: only the digits that depend on it alone. */
const inBase64 = (value: string, before: number): string => {
  const bytes = new TextEncoder().encode(value);
  const binary = '\0'.repeat(before) + Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const first = Math.ceil((before * 8) / 6);
  return btoa(binary).slice(first, Math.floor(((before + bytes.length) * 8) / 6));
};

const forAddresses = (digits: string): string => digits.replaceAll('+', '-').replaceAll('/', '_');

const small = (text: string): string => text.toLowerCase();
const capital = (text: string): string => text.toUpperCase();

/** The ways in which values are looked for, most likely first. */
export const encodings: readonly Encoding[] = [
  { name: '', encode: (value) => value },
  { name: 'json', encode: inJson },
  { name: 'json-json', encode: (value) => inJson(inJson(value)) },
  { name: 'uri', encode: inAddress },
  { name: 'uri-small', encode: (value) => inAddress(value).replaceAll(/%[0-9A-F]{2}/g, small) },
  { name: 'form', encode: (value) => inAddress(value).replaceAll('%20', '+') },
  { name: 'hex', encode: inHex },
  { name: 'hex-capital', encode: (value) => capital(inHex(value)) },
  { name: 'small', encode: small },
  { name: 'capital', encode: capital },
  ...[0, 1, 2].flatMap((before): readonly Encoding[] => [
    { name: `base64-${before}`, encode: (value) => inBase64(value, before) },
    { name: `base64url-${before}`, encode: (value) => forAddresses(inBase64(value, before)) },
  ]),
];

/** Words and short numbers are searched verbatim only; other encodings would match too much. */
const WORD = /^(?:[A-Za-z]{1,15}|\d{1,6})$/;

/** Returns the texts by which a value is found, in any case of letters. */
export const formsOf = (value: string): readonly Form[] => {
  if (WORD.test(value)) return [{ text: value, isWord: true }];
  const plain = encodings.filter(({ name }) => !name.startsWith('base64')).map(({ encode }) => encode(value));
  const bytes = new TextEncoder().encode(value).length;
  const base64 = [0, 1, 2].flatMap((before): readonly Form[] => {
    const digits = inBase64(value, before);
    const shares = [before === 0 ? 0 : 1, ((before + bytes) * 8) % 6 === 0 ? 0 : 1] as const;
    return [...new Set([digits, forAddresses(digits)])].map((text) => ({ text, shares }));
  });
  const seen = new Set<string>();
  return [...plain.map((text): Form => ({ text })), ...base64].filter(({ text }) => {
    const isNew = !seen.has(text.toLowerCase()) && text.length >= 3;
    seen.add(text.toLowerCase());
    return isNew;
  });
};
