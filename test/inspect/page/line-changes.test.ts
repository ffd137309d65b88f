import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ComparedLine } from '../../../src/inspect/page/trial/line-changes.ts';
import { lineChanges } from '../../../src/inspect/page/trial/line-changes.ts';

const signs = { both: ' ', left: '-', right: '+' };
const shown = (lines: readonly ComparedLine[]) => lines.map(({ text, side }) => `${signs[side]}${text}`);

/** The lines of one of the texts that were compared. */
const textOf = (lines: readonly ComparedLine[], side: 'left' | 'right'): string =>
  lines
    .filter((line) => line.side === 'both' || line.side === side)
    .map(({ text }) => text)
    .join('\n');

test('two texts are compared line by line, with what they share in between', () => {
  expect(shown(lineChanges('a\nb\nc\nd\ne', 'a\nx\nc\ne\nf'))).toEqual([
    ' a',
    '-b',
    '+x',
    ' c',
    '-d',
    ' e',
    '+f',
  ]);
  expect(shown(lineChanges('same', 'same'))).toEqual([' same']);
});

test('either text can be read from their difference, and equal texts have none', () => {
  const text = fc
    .array(fc.constantFrom('', 'a', 'b', 'c'), { maxLength: 12 })
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (left, right) => {
      const lines = lineChanges(left, right);
      expect([textOf(lines, 'left'), textOf(lines, 'right')]).toEqual([left, right]);
      expect(lines.every(({ side }) => side === 'both')).toBe(left === right);
    }),
  );
});

test('texts of many lines are compared in bounded work, and still whole', () => {
  const numbered = (word: string) =>
    Array.from({ length: 5_000 }, (_, index) => `${word} ${index}`).join('\n');
  const [left, right] = [`begin\n${numbered('a')}\nend`, `begin\n${numbered('b')}\nend`];
  const lines = lineChanges(left, right);
  expect([textOf(lines, 'left'), textOf(lines, 'right')]).toEqual([left, right]);
  expect([lines[0], lines.at(-1)].map((line) => line?.side)).toEqual(['both', 'both']);
});
