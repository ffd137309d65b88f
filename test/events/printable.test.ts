import fc from 'fast-check';
import { expect, test } from 'vitest';
import { oneLine, printable } from '../../src/base/text/printable.ts';
import { processorTime } from '../support/processor-time.ts';

test.each([
  ['colours', '\u001b[31mred\u001b[0m', 'red'],
  ['cursor moves and clearing', 'a\u001b[2J\u001b[1;1Hb', 'ab'],
  ['the one-byte form', '\u009b31mred', 'red'],
  ['titles and the clipboard', 'a\u001b]0;title\u0007b\u001b]52;c;aGk=\u001b\\c', 'abc'],
  ['links, but not what they say', '\u001b]8;;http://x\u0007text\u001b]8;;\u0007', 'text'],
  ['device strings', 'a\u001bPq#0\u001b\\b', 'ab'],
  ['character sets and resets', 'a\u001b(Bb\u001bcc', 'abc'],
  ['bells, backspaces and nulls', 'a\u0007\b\0b\u007f', 'ab'],
  ['a return that would overwrite the line', 'good\rbad', 'good\nbad'],
  ['marks that turn the direction of writing', 'a\u202eb\u2066c', 'abc'],
  ['an escape that never ends', 'a\u001b]0;title', 'a0;title'],
])('[M53] it takes out %s', (_, text, expected) => {
  expect(printable(text)).toBe(expected);
});

test('[M53] tabs, line feeds, emojis and other scripts stay', () => {
  expect(printable('a\tb\nc é 漢字 👩‍🚀')).toBe('a\tb\nc é 漢字 👩‍🚀');
});

test('[M53] no escape and no control character survives, whatever comes', () => {
  const nasty = fc.string({
    unit: fc.constantFrom('\u001b', '[', ']', '0', 'm', '\u0007', '\u009b', '\\', 'x', '\r', '\n'),
  });
  fc.assert(fc.property(nasty, (text) => !/(?!\n)\p{Cc}/u.test(printable(text))));
});

test('long hostile text takes no long time', () => {
  const hostile = ['\u001b]'.repeat(200_000), `\u001b[${'0'.repeat(400_000)}`];
  expect(processorTime(() => hostile.map(printable))).toBeLessThan(1_000);
});

test('oneLine folds white space and cuts, never through a character', () => {
  expect(oneLine('  Reading\n\tconfig.json ')).toBe('Reading config.json');
  expect(oneLine('abcdef', 4)).toBe('abc…');
  expect(oneLine('ab😀cd', 4)).toBe('ab…');
  expect(oneLine('x'.repeat(1_000_000))).toHaveLength(200);
});
