import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fittedLine } from '../../src/cli/terminal/fitted-line.ts';
import { play } from './fake-terminal.ts';
import { colours as paint } from '../../src/cli/terminal/paint.ts';

/** The lines as a terminal that does not wrap is sent them, without what moves the cursor. */
const drawn = (text: string): readonly string[] => stripVTControlCharacters(text).split(/[\r\n]+/);

describe('a line on a terminal', () => {
  test.each([80, 60, 120])(
    '[FIND-83] of the run of the README is never wider than the %i columns there are, and says where it is cut',
    async (columns) => {
      const { code, stderr } = await play(['ask', 'What does an agent do in each step of its run?', 'docs'], {
        isTTY: true,
        columns,
      });
      expect(code).toBe(0);
      expect(drawn(stderr).filter((line) => line.length > columns)).toEqual([]);
      const table = drawn(stderr).filter((line) => /^ {2}[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏✓✗■…] |^ {4}└/.test(line));
      expect(table.length).toBeGreaterThan(2);
      expect(table.filter((line) => line.length > columns)).toEqual([]);
      expect(table.some((line) => line.endsWith('…'))).toBe(columns < 100);
    },
  );

  test('[FIND-83] that is cut keeps its colours, and ends them', () => {
    expect(fittedLine(`${paint.red('abcdef')} x`, 4)).toBe(`${paint.red('abc…')}`);
    expect(fittedLine(`a ${paint.dim('bc')}`, 4)).toBe(`a ${paint.dim('bc')}`);
    expect(fittedLine('', 4)).toBe('');
  });

  test('[FIND-83] of wide characters is cut by what they take', () => {
    expect(fittedLine('日本語', 6)).toBe('日本語');
    expect(fittedLine('日本語', 5)).toBe('日本…');
    expect(fittedLine('日本語', 4)).toBe('日…');
    expect(fittedLine('👩‍👩‍👧x', 2)).toBe('…');
  });

  test('[FIND-83] is left as it is where it fits, and is as long as there is room for where it does not', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), fc.integer({ min: 1, max: 40 }), (text, columns) => {
        const fitted = fittedLine(text, columns);
        expect(fitted).toBe(text.length <= columns ? text : `${text.slice(0, columns - 1)}…`);
      }),
    );
  });
});
