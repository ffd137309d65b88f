import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linearPattern } from '../../src/base/text/linear-pattern.ts';

/** As JavaScript itself reads a pattern that came from elsewhere. */
const native = (source: string): RegExp => {
  try {
    return new RegExp(source, 'uy');
  } catch {
    return new RegExp(source, 'y');
  }
};

/** The first match by JavaScript. V8 would by itself also find empty ones within a character. */
const firstBy = (expression: RegExp, text: string): string | undefined => {
  for (let at = 0; at <= text.length; at += 1) {
    if (expression.unicode && /^[\uDC00-\uDFFF]/.test(text.slice(at))) continue;
    expression.lastIndex = at;
    const found = expression.exec(text);
    if (found !== null) return found[0];
  }
  return undefined;
};

describe('a pattern that somebody else wrote', () => {
  test.each([
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(a*)*b',
    '^(?:a?){40}a{40}$',
    '(x+x+)+y',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '^(a{1,30}){1,30}$',
    '^(?=(a+)+$)a',
  ])('is matched in time that grows with the text: %s', (source) => {
    const text = `${'a'.repeat(3_000)}${'x'.repeat(3_000)}!`;
    expect(linearPattern(source)?.test(text)).toBe(false);
  });

  test('says that it would take too long where it would', () => {
    const pattern = linearPattern('(?=.*x)y');
    expect(pattern?.test('ax')).toBe(false);
    expect(pattern?.test('a'.repeat(10_000))).toBeUndefined();
    expect(pattern?.find('a'.repeat(10_000))).toBeUndefined();
  });

  test.each([
    ['^(?:){9007199254740991}$', '', true],
    ['^(?:(?:a{0}){999999999}b{0}){999999999,}$', 'a', false],
  ])('takes no time for nothing, however often it counts it: %s', (source, text, expected) => {
    expect(linearPattern(source)?.test(text)).toBe(expected);
  });

  test('takes no more time for a lookaround that is long, where that is not entered', () => {
    expect(linearPattern('(?=a{19000}x)b')?.test('c'.repeat(400_000))).toBe(false);
  });

  test.each(['(', '(?:', '(?=', '(?<!'])(
    'is not read where more %s are in each other than a stack takes',
    (open) => {
      for (const depth of [300, 2_000, 20_000])
        expect(linearPattern(`${open.repeat(depth)}a${')'.repeat(depth)}`)).toBeUndefined();
      expect(linearPattern(`${open.repeat(50)}a${')'.repeat(50)}`)?.test('a')).toBe(true);
      expect(linearPattern('(a)'.repeat(1_000))?.test('a'.repeat(1_000))).toBe(true);
    },
  );

  test.each(['(a)\\1', '(?<name>a)\\k<name>', '(', '[z-a]', '(a{1000}){1000}', '(?i:a)'])(
    'is not read where it cannot be bounded, or is none: %s',
    (source) => {
      expect(linearPattern(source)).toBeUndefined();
    },
  );

  const letters = fc.constantFrom('a', 'b', 'c', '-', ' ', '\n', '0', 'é', '😀', 'B', '_');
  const texts = fc.array(letters, { maxLength: 12 }).map((found) => found.join(''));
  const atoms = fc.constantFrom(
    ...'a b c . \\d \\w \\s \\W [ab] [^a] [a-c\\-] [\\]x] \\b \\B ^ $ \\p{Lu} \\u0061 \\x62'.split(' '),
    ...'\\u{1F600} 😀 \\- \\n \\t \\. { } ] a{2} \\cA \\0'.split(' '),
  );
  const patterns = fc.letrec<{ node: string; piece: string }>((tie) => ({
    piece: fc.oneof(
      { weight: 4, arbitrary: atoms },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom('(', '(?:', '(?=', '(?!', '(?<=', '(?<!', '(?<n>'), tie('node'))
          .map(([open, inner]) => `${open}${inner})`),
      },
      {
        weight: 3,
        arbitrary: fc
          .tuple(
            tie('piece'),
            fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '{1,3}', '*?', '+?', '??', '{0,2}?'),
          )
          .map(([inner, count]) => inner + count),
      },
    ),
    node: fc.oneof(
      { maxDepth: 4 },
      tie('piece'),
      fc.array(tie('piece'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
      fc.array(tie('node'), { minLength: 2, maxLength: 3 }).map((parts) => parts.join('|')),
    ),
  })).node;

  test('matches what JavaScript matches', () => {
    let read = 0;
    fc.assert(
      fc.property(patterns, texts, (source, text) => {
        const pattern = linearPattern(source);
        if (pattern === undefined) return;
        const expected = native(source);
        read += 1;
        expect(pattern.test(text), `${source} ~ ${JSON.stringify(text)}`).toBe(
          firstBy(expected, text) !== undefined,
        );
      }),
      { numRuns: 6_000 },
    );
    expect(read).toBeGreaterThan(2_000);
  });

  test.each([
    ['[A-Z]{2}-\\d+', 'the ticket AB-17, not CD-2', 'AB-17'],
    ['\\d+?', 'in 2026', '2'],
    ['a|ab', 'xab', 'a'],
    ['(?<![\\w-])[a-z]+(?![\\w-])', 'no-one is here', 'is'],
    ['x*', 'ab', ''],
    ['z', 'ab', undefined],
  ])('finds what JavaScript finds: %s', (source, text, expected) => {
    expect(linearPattern(source)?.find(text)).toBe(expected);
    expect(firstBy(native(source), text)).toBe(expected);
  });
});
