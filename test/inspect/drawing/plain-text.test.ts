import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brief, oneLine, piecesOf, plain } from '../../../src/inspect/drawing/plain-text.ts';

// oxlint-disable-next-line no-control-regex
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

describe('texts that anybody may have made', () => {
  test('hold nothing that cannot be seen, or that changes how the rest is read', () => {
    const characters = fc.constantFrom(
      'a',
      'ß',
      '字',
      '👩‍🚀',
      '\n',
      '\u001b',
      '\u202e',
      '\u2066',
      '\u0000',
      '\u200b',
      '\ufeff',
      '\u{e0041}',
    );
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 400 }), (parts) => {
        const shown = piecesOf(parts.join(''));
        for (const text of [shown.map((piece) => piece.text).join(''), plain(parts.join(''))]) {
          expect(text).not.toMatch(hidden);
          expect(text).not.toMatch(/[\u{e0000}-\u{e007f}]/u);
        }
        expect(shown.length).toBeLessThan(130);
      }),
    );
  });

  test('are as they were where all of it can be seen', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ' ', 'é', '字', '\n', '\t', '<', '&', '🦊') }),
        (text) => {
          expect(piecesOf(text)).toEqual(text === '' ? [] : [{ text }]);
        },
      ),
    );
  });

  test('have marks that say what stands there', () => {
    expect(piecesOf('a\u202eb\u001b[31m')).toEqual([
      { text: 'a' },
      { text: '‹202E›', means: 'U+202E right-to-left override' },
      { text: 'b' },
      { text: '␛', means: 'U+001B escape' },
      { text: '[31m' },
    ]);
    expect(piecesOf('a\u202e'.repeat(5_000)).length).toBeLessThan(130);
    expect(plain('\u200b'.repeat(100))).toBe(`${'‹200B›'.repeat(8)}…×100`);
  });

  test('are cut to one line, however long they are', () => {
    expect(oneLine('one\n\n  two', 20)).toBe('one two');
    expect(oneLine('x'.repeat(1_000_000), 5)).toBe('xxxxx…');
    expect(brief({ a: ['\u202e', 1] }, 40)).toBe('{"a":["‹202E›",1]}');
    expect(brief(undefined)).toBe('');
  });
});
