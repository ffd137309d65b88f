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
  /** The number of digits of base64 around it that it has a share in. */
  readonly shares?: ((value: string) => readonly [before: number, after: number]) | undefined;
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

/** The bytes of UTF-8, a character each. */
const bytesOf = (text: string): string =>
  /[^ -~]/.test(text)
    ? Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
    : text;

/** The bytes of UTF-16, of which PowerShell makes its base64. */
const wideBytesOf = (text: string): string => {
  let bytes = '';
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    bytes += String.fromCharCode(code & 255, code >> 8);
  }
  return bytes;
};

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

const forAddresses = (digits: string): string => digits.replaceAll('+', '-').replaceAll('/', '_');

const small = (text: string): string => text.toLowerCase();
const capital = (text: string): string => text.toUpperCase();

/** The base64 of the bytes of a value, at each offset in a group of three. */
const base64 = (kind: string, bytes: (value: string) => string): readonly Encoding[] =>
  [0, 1, 2].flatMap((before): readonly Encoding[] => {
    const encode = (value: string): string => inBase64(bytes(value), before);
    const shares = (value: string) =>
      [before === 0 ? 0 : 1, ((before + bytes(value).length) * 8) % 6 === 0 ? 0 : 1] as const;
    return [
      { name: `base64${kind}-${before}`, encode, shares },
      { name: `base64url${kind}-${before}`, encode: (value) => forAddresses(encode(value)), shares },
    ];
  });

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
