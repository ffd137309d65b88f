import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { graphemesOf } from '../../src/cli/terminal/graphemes.ts';
import { oneLine } from '../../src/base/text/printable.ts';
import { cellsOf } from '../../src/cli/terminal/cells.ts';
import { fittedLine } from '../../src/cli/terminal/fitted-line.ts';
import { colours as paint } from '../../src/cli/terminal/paint.ts';
import { tableLines } from '../../src/cli/terminal/table.ts';
import { wrappedLine } from '../../src/cli/terminal/wrapped-text.ts';
import { noticeLines } from '../../src/cli/words/notice-lines.ts';

/** Graphemes of all kinds, with the cells that a terminal draws them in. */
const KNOWN: readonly (readonly [text: string, cells: number])[] = [
  ['a', 1],
  [' ', 1],
  ['é', 1],
  ['e\u0301', 1],
  ['a\u0300\u0316\u0320', 1],
  ['…', 1],
  ['→', 1],
  ['東', 2],
  ['か', 2],
  ['が', 2],
  ['ｶﾞ', 2],
  ['Ａ', 2],
  ['、', 2],
  ['한', 2],
  ['\u1112\u1161\u11ab', 2],
  ['𠀀', 2],
  ['क\u094dष', 2],
  ['☕', 2],
  ['❤', 1],
  ['❤\uFE0F', 2],
  ['👍🏽', 2],
  ['👩\u200d👩\u200d👧', 2],
  ['❤\uFE0F\u200d🔥', 2],
  ['🇯🇵', 2],
  ['🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}', 2],
  ['1\uFE0F\u20e3', 2],
  // A note of three characters: its head, its stem and its flag.
  ['\u{1D158}\u{1D165}\u{1D16E}', 1],
  ['\ufffd', 1],
];

const knownText = fc.array(fc.constantFrom(...KNOWN), { maxLength: 60 });
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  knownText.map((parts) => parts.map(([text]) => text).join('')),
);
const width = fc.integer({ min: 1, max: 80 });

describe('the cells of a terminal', () => {
  test('are counted of each kind of grapheme as terminals draw it', () => {
    for (const [text, cells] of KNOWN) expect(`${text} ${cellsOf(text)}`).toBe(`${text} ${cells}`);
    fc.assert(
      fc.property(knownText, (parts) => {
        const text = parts.map(([each]) => each).join('');
        expect(cellsOf(text)).toBe(parts.reduce((sum, [, cells]) => sum + cells, 0));
      }),
    );
  });

  test('are none for what is not seen: joiners, selectors, control characters', () => {
    for (const text of ['', '\u200b', '\u200d', '\uFE0F', '\u0301', '\u0007', '\ufeff'])
      expect(cellsOf(text)).toBe(0);
  });
});

describe('a line of any characters', () => {
  test('is never wider than the terminal, and is cut between two graphemes', () => {
    fc.assert(
      fc.property(anyText, width, (text, columns) => {
        const line = oneLine(text);
        const fitted = fittedLine(line, columns);
        expect(cellsOf(fitted)).toBeLessThanOrEqual(columns);
        if (fitted === line) return;
        expect(fitted.endsWith('…')).toBe(true);
        const whole = graphemesOf(line);
        const kept = graphemesOf(fitted.slice(0, -1));
        expect(kept).toEqual(whole.slice(0, kept.length));
        // The next grapheme would not have fitted in.
        expect(cellsOf(kept.join('')) + cellsOf(whole[kept.length] ?? '')).toBeGreaterThan(columns - 1);
      }),
    );
  });

  test('keeps all that it has where it is wrapped, and no part of it is wider than the terminal', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 80 }), (text, columns) => {
        const line = oneLine(text);
        const wrapped = wrappedLine(line, columns);
        expect(wrapped.join('').replaceAll(' ', '')).toBe(line.replaceAll(' ', ''));
        const broken = wrapped.filter((part) => !/[/\\]/.test(part));
        expect(broken.filter((part) => cellsOf(part) > columns)).toEqual([]);
        expect(wrapped.flatMap(graphemesOf).filter((each) => each !== ' ')).toEqual(
          graphemesOf(line).filter((each) => each !== ' '),
        );
      }),
    );
  });
});

describe('a table', () => {
  test('has each column begin in the same cell, whatever is in the ones before', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyText, anyText), { minLength: 1, maxLength: 6 }), (texts) => {
        const rows = texts.map(([one, other]) => [
          { text: oneLine(one), most: 20, paint: paint.red },
          { text: oneLine(other), most: 9, isRight: true },
          { text: '|' },
        ]);
        const ends = tableLines(rows, 100).map((line) => cellsOf(stripVTControlCharacters(line)));
        expect(new Set(ends).size).toBe(1);
      }),
    );
  });

  test('leaves a column out that nobody has anything in', () => {
    expect(tableLines([[{ text: 'a' }, { text: '' }, { text: 'b' }]], 100)).toEqual(['a  b']);
    expect(tableLines([], 100)).toEqual([]);
  });

  test('cuts no field in a file or a pipe', () => {
    const row = [{ text: 'x'.repeat(50), most: 9 }, { text: 'y' }];
    expect(tableLines([row], 100)).toEqual([`${'x'.repeat(8)}…  y`]);
    expect(tableLines([row], Infinity)).toEqual([`${'x'.repeat(50)}  y`]);
  });
});

describe('what to type', () => {
  const notice = {
    words: 'Waits for an answer: clerk asks: 東京へ行きますか、それとも京都へ行きますか?',
    command: "troupe answer 3f9a1c0b7d2e TEXT --request 81c0ffee81c0 --store 'my runs.db'",
  };

  test('is on the same line where there is room for it', () => {
    expect(noticeLines('!', notice, Infinity)).toEqual([`  ! ${notice.words} · ${notice.command}`]);
  });

  test('is below it elsewhere, in lines that a shell reads as one', () => {
    expect(noticeLines('!', notice, 60)).toEqual([
      '  ! Waits for an answer: clerk asks:',
      '    東京へ行きますか、それとも京都へ行きますか?',
      '    troupe answer 3f9a1c0b7d2e TEXT --request 81c0ffee81c0 \\',
      "      --store 'my runs.db'",
    ]);
    for (const columns of [40, 50, 60, 79]) {
      const lines = noticeLines('!', notice, columns);
      for (const line of lines) expect(cellsOf(line)).toBeLessThanOrEqual(columns);
      const typed = lines.slice(lines.findIndex((line) => line.includes('troupe')));
      expect(
        typed
          .join('\n')
          .replaceAll(/ \\\n +/g, ' ')
          .trim(),
      ).toBe(notice.command);
    }
  });
});
