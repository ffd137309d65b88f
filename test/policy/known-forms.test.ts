import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldText } from '../../src/contracts/secrets/folded-text.ts';
import { Redactor } from '../../src/contracts/secrets/redactor.ts';
import { StreamRedactor } from '../../src/contracts/secrets/stream-redactor.ts';
import { sized } from '../support/thorough.ts';

const VALUE = 'Zq7-hunter2_PASS/word+99=x';
const redactor = new Redactor({ KEY: VALUE });
const bytes = Buffer.from(VALUE);
const hex = bytes.toString('hex');
const each = (write: (code: number) => string): string =>
  Array.from(VALUE, (character) => write(character.codePointAt(0) ?? 0)).join('');
const digits = (code: number, length: number): string => code.toString(16).padStart(length, '0');
const between = (separator: string): string => Array.from(VALUE).join(separator);
const lines = (text: string, width: number, between: string): string =>
  text.replaceAll(new RegExp(`.{${width}}`, 'g'), (line) => line + between);

/** Base32 by RFC 4648, by the arithmetic of large numbers. */
const inBase32 = (given: Buffer): string => {
  const padded = Buffer.concat([given, Buffer.alloc((5 - (given.length % 5)) % 5)]);
  let number = BigInt(`0x${padded.toString('hex')}`);
  let written = '';
  for (let digit = 0; digit < (padded.length * 8) / 5; digit += 1) {
    written = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(Number(number & 31n)) + written;
    number >>= 5n;
  }
  return written.slice(0, Math.ceil((given.length * 8) / 5)).padEnd(written.length, '=');
};

/** How a value is written by what it went through. */
const ways: Readonly<Record<string, string>> = {
  'as it is': VALUE,
  'JSON of PHP': VALUE.replaceAll('/', '\\/'),
  'JSON of Go': VALUE.replaceAll('+', '\\u002b').replaceAll('=', '\\u003d'),
  'JSON in JSON in JSON': JSON.stringify(JSON.stringify(VALUE.replaceAll('/', '\\/'))).slice(2, -2),
  'an escape for each character': each((code) => `\\u${digits(code, 4)}`),
  'an escape for each byte': each((code) => `\\x${digits(code, 2)}`),
  'HTML, by name and number': VALUE.replaceAll('/', '&#x2F;').replaceAll('+', '&#43;'),
  'HTML in HTML': VALUE.replaceAll('/', '&amp;#x2F;'),
  'HTML, each character': each((code) => `&#${code};`),
  'an address': encodeURIComponent(VALUE),
  'an address in an address': encodeURIComponent(encodeURIComponent(VALUE)),
  'an address, each character': each((code) => `%${digits(code, 2)}`),
  hex,
  'hex with spaces': hex.replaceAll(/..(?!$)/g, '$& '),
  'hex with colons': hex.replaceAll(/..(?!$)/g, '$&:').toUpperCase(),
  'a list of bytes': [...bytes].join(','),
  'the JSON of a buffer': JSON.stringify(bytes),
  'the JSON of a buffer, over lines': JSON.stringify(bytes, null, 2),
  base64: bytes.toString('base64'),
  'base64 in lines of 20': lines(Buffer.from(`-${VALUE}`).toString('base64'), 20, '\n'),
  'base64 in lines of 76': lines(Buffer.from('a'.repeat(40) + VALUE).toString('base64'), 76, '\r\n'),
  'base64 in lines within JSON': lines(Buffer.from(VALUE).toString('base64'), 20, '\\n'),
  'base64 of UTF-16': Buffer.from(`+${VALUE}`, 'utf16le').toString('base64'),
  'base64 of base64': Buffer.from(bytes.toString('base64')).toString('base64'),
  'two lines': `${VALUE.slice(0, 10)}\r\n    ${VALUE.slice(10)}`,
  'two lines of a shell': `${VALUE.slice(0, 10)}\\\n  ${VALUE.slice(10)}`,
  'characters that nobody sees': `${VALUE.slice(0, 5)}\u200B${VALUE.slice(5, 9)}\u2060\u00AD${VALUE.slice(9)}`,
  'graphemes that are joined': between('\u034F'),
  'tags that nobody sees': between('\u{E0001}'),
  'selectors of variants': between('\uFE0F\u{E01EF}'),
  'marks of direction': between('\u200E\u202E\u2066'),
  'fillers and shorthand controls': between('\u3164\u{1BCA0}'),
  'escapes of JavaScript': each((code) => `\\u{${code.toString(16)}}`),
  'a list of bytes with spaces': [...bytes].join(' '),
  'a list of bytes without brackets': [...bytes].join(', '),
  'a list of hexadecimal bytes': [...bytes].map((byte) => `0x${digits(byte, 2)}`).join(', '),
  'a narrow list of hexadecimal bytes': [...bytes]
    .map((byte) => `0X${digits(byte, 2).toUpperCase()}`)
    .join(','),
  'hex of UTF-16': Buffer.from(VALUE, 'utf16le').toString('hex'),
  'hex of UTF-16, the large byte first': Buffer.from(VALUE, 'utf16le').swap16().toString('hex'),
  'quoted-printable, each character': each((code) => `=${digits(code, 2).toUpperCase()}`),
  'quoted-printable, in part': VALUE.replaceAll('=', '=3D').replaceAll('_', '=5F'),
  'an octal escape for each character': each((code) => `\\${code.toString(8).padStart(3, '0')}`),
  'octal escapes of a shell': each((code) => `\\0${code.toString(8).padStart(3, '0')}`),
  'two lines of a mail': `${VALUE.slice(0, 10)}=\r\n${VALUE.slice(10).replaceAll('=', '=3D')}`,
  'lines of a mail, each of one character': between('=\n'),
  binary: [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join(''),
  'binary with spaces': [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join(' '),
  base32: inBase32(bytes),
  'base32, small, behind other text': inBase32(Buffer.concat([Buffer.from('ab'), bytes])).toLowerCase(),
  'base32 before other text': inBase32(Buffer.concat([Buffer.from('xyz'), bytes, Buffer.from('!')])),
  reversed: Array.from(VALUE).reverse().join(''),
  'letters of full width': each((code) => String.fromCodePoint(code + 0xfee0)),
  'in colours of a terminal': between('\u001B[1;31m\u001B[0m'),
  'control characters': between('\0\u0007\u001F\u007F\u0085'),
  tabs: between('\t'),
};

describe('a known value', () => {
  test.each(Object.entries(ways))('[FIND-52] is redacted, written as %s', (_, written) => {
    const shown = redactor.text(`It is ${written} then.`);
    expect(shown).toMatch(/^It is \S{0,60}\[redacted KEY\]\S{0,20} then\.$|"data": ?\[\s*\[redacted KEY\]/);
  });

  test.each(Object.entries(ways))('is redacted in pieces as in one, written as %s', (_, written) => {
    const text = `It is ${written} then.\nAnd %2 & \\u00`;
    for (const size of [1, 2, 3, 7, 20]) {
      const stream = new StreamRedactor(redactor);
      let shown = '';
      for (let from = 0; from < text.length; from += size)
        shown += stream.push(text.slice(from, from + size));
      shown += stream.end();
      const whole = redactor.text(text);
      // The opening of its first escape, or a digit of base64 that belongs to what is before it, too, may be shown.
      expect(shown.endsWith(whole.slice(whole.indexOf('[redacted'))), `${shown} in pieces of ${size}`).toBe(
        true,
      );
      expect(shown.length - whole.length).toBeLessThanOrEqual(4);
    }
  });

  /** What a terminal, a browser or a person shows nothing of. */
  const unseen = fc.oneof(
    fc.constantFrom('\r\n', '\\\n\t', '=\r\n', '=\n', '\u001B[0m', '\u001B[38;5;196m', '\0', '\b', '\u009F'),
    fc
      .integer({ min: 0x80, max: 0xe0fff })
      .map((code) => (code >= 0xd800 && code < 0xe000 ? 0xad : code))
      .map((code) => String.fromCodePoint(code))
      .filter((character) => /\p{Default_Ignorable_Code_Point}/u.test(character)),
    fc.integer({ min: 0xe0000, max: 0xe0fff }).map((code) => String.fromCodePoint(code)),
  );

  test('is redacted whatever nobody sees is between its characters, and however the text is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(unseen, { maxLength: 2 }), {
          minLength: VALUE.length - 1,
          maxLength: VALUE.length - 1,
        }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }),
        (gaps, sizes) => {
          const written = Array.from(VALUE, (character, nth) => character + (gaps[nth] ?? []).join('')).join(
            '',
          );
          const text = `It is ${written} then.`;
          expect(redactor.text(text)).toBe('It is [redacted KEY] then.');
          const stream = new StreamRedactor(redactor);
          let shown = '';
          for (let from = 0, nth = 0; from < text.length; nth += 1) {
            const until = from + (sizes[nth % sizes.length] ?? 1);
            shown += stream.push(text.slice(from, until));
            from = until;
          }
          expect(shown + stream.end()).toBe('It is [redacted KEY] then.');
        },
      ),
      { numRuns: sized(200, 2_000) },
    );
  });

  test('is redacted each time, verbatim and escaped, and nothing beside it', () => {
    const text = `a%20b ${VALUE}\n${VALUE.replaceAll('/', '\\/')}\n%41 ${VALUE.replaceAll('/', '%2F')}&amp;`;
    expect(redactor.text(text)).toBe('a%20b [redacted KEY]\n[redacted KEY]\n%41 [redacted KEY]&amp;');
  });

  test('of a few letters is no secret where a line ends in its midst', () => {
    const short = new Redactor({ PIN: '123456', WORD: 'planet' });
    expect(short.text('123\n456 plan\net')).toBe('123\n456 plan\net');
  });
});

test('a folded text has nothing that Unicode says nobody sees', () => {
  const seen: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    if (!/^\p{Default_Ignorable_Code_Point}$/u.test(character)) continue;
    if (foldText(`a${character}b`).text !== 'ab') seen.push(code.toString(16));
  }
  expect(seen).toEqual([]);
  // Pictures and mathematical letters stand beside them.
  for (const text of ['a\u{1F600}b', 'a\u{1D400}b', 'a\u{1D172}b', 'a\u{1BCA4}b', 'a\u2070b'])
    expect(foldText(text).text).toBe(text);
});

test('a folded text knows where each part of it was', () => {
  const text = 'a\n  b%2Fc&#43;\u200Bd\u{E0001}g\th=3D\\112\u001B[1mｋ';
  const folded = foldText(text);
  expect(folded.text).toBe('ab/c+dgh=Jk');
  const places = Array.from(folded.text, (_, start) => ({ start, end: start + 1 }));
  expect(folded.unfold(places).map(({ start, end }) => text.slice(start, end))).toEqual([
    'a',
    'b',
    '%2F',
    'c',
    '&#43;',
    'd',
    'g',
    'h',
    '=3D',
    '\\112',
    'ｋ',
  ]);
});

test('a text without escapes and breaks is not copied to be folded', () => {
  const text = 'It is only a text, of one line; 3 + 4 = 7.';
  expect(foldText(text).text).toBe(text);
  expect(foldText(text).unfold([{ start: 3, end: 5 }])).toEqual([{ start: 3, end: 5 }]);
});
