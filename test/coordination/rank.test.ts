import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Card } from '../../src/coordination/round/card.ts';
import { byChance, byNames, byScores, tierFor, UNJUDGED } from '../../src/patterns/state/rank.ts';
import { saidJson } from '../../src/coordination/round/said-json.ts';

const cards = (...names: readonly string[]): readonly Card[] =>
  names.map((name) => ({ name, description: '', skills: [] }));
const names = ({ ranked }: ReturnType<typeof byScores>) => ranked.map(({ member }) => member);

describe('[KAIZEN-40] by scores', () => {
  test('the best comes first, and is a choice', () => {
    const ranking = byScores(cards('a', 'b', 'c'), { a: 0.1, b: 0.9, c: 0.6 });
    expect(names(ranking)).toEqual(['b', 'c', 'a']);
    expect(ranking.degraded).toBeNull();
  });

  test('one of whom nothing was said has 0.5, as has one with a score that is none', () => {
    const { ranked } = byScores(cards('a', 'b', 'c', 'd'), { b: 0.9, c: 7, d: NaN });
    expect(ranked).toEqual([
      { member: 'b', score: 0.9 },
      { member: 'a', score: UNJUDGED },
      { member: 'c', score: UNJUDGED },
      { member: 'd', score: UNJUDGED },
    ]);
  });

  test('a tie at the top goes to the first, visibly; one further down is no matter', () => {
    const tie = byScores(cards('a', 'b', 'c'), { a: 0.1, b: 0.9, c: 0.9 });
    expect(names(tie)).toEqual(['b', 'c', 'a']);
    expect(tie.degraded).toBe("'b' and 'c' are equally good");
    expect(byScores(cards('a', 'b', 'c'), { a: 0.9, b: 0.1, c: 0.1 }).degraded).toBeNull();
  });

  test.each([{}, { z: 0.9 }, { a: null }, { a: -1 }])(
    'without a score it is as given, visibly: %j',
    (scores) => {
      const ranking = byScores(cards('a', 'b'), scores);
      expect(names(ranking)).toEqual(['a', 'b']);
      expect(ranking.degraded).toBe('nobody has a score');
    },
  );

  test('names from nowhere do not count, whatever they are called', () => {
    expect(byScores(cards('toString', 'b'), { b: 0.9 }).ranked[1]).toEqual({
      member: 'toString',
      score: UNJUDGED,
    });
    expect(names(byNames(cards('a', 'b', 'c'), ['c', 'x']))).toEqual(['c', 'a', 'b']);
    expect(byNames(cards('a', 'b'), ['x']).degraded).toBe('nobody that there is was named');
  });
});

test('[KAIZEN-41] chance gives everybody a turn, the same for the same seed', () => {
  const all = cards('a', 'b', 'c');
  const counts: Record<string, number> = { a: 0, b: 0, c: 0 };
  for (let run = 0; run < 3_000; run += 1) {
    const [first = ''] = names(byChance(all, `run-${run}`));
    counts[first] = (counts[first] ?? 0) + 1;
  }
  for (const count of Object.values(counts)) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  expect(byChance(all, 'x')).toEqual(byChance(all, 'x'));
});

describe('[KAIZEN-45] the tier that does it', () => {
  const nothing = { canHandle: null, complexity: null, requiresTier: null };

  test('takes what it can, passes on what it cannot, and the top takes what is left', () => {
    expect(tierFor({ ...nothing, canHandle: true }, 1, 3)).toBe(1);
    expect(tierFor({ ...nothing, canHandle: false }, 1, 3)).toBe(2);
    expect(tierFor({ ...nothing, canHandle: false }, 3, 3)).toBe(3);
  });

  test('a tier that is required is gone to at once, whatever this one can', () => {
    expect(tierFor({ ...nothing, canHandle: true, requiresTier: 3 }, 1, 3)).toBe(3);
    expect(tierFor({ ...nothing, canHandle: true, requiresTier: 9 }, 1, 3)).toBe(3);
    expect(tierFor({ ...nothing, canHandle: true, requiresTier: 1 }, 2, 3)).toBe(2);
  });

  test.each([
    [-5, 1],
    [1 / 3, 1],
    [0.34, 2],
    [7, 2],
  ])('where nobody says whether it can, complexity %d leads to tier %d', (complexity, tier) => {
    expect(tierFor({ ...nothing, complexity }, 1, 3)).toBe(tier);
  });

  test('never leads down, nor past the top', () => {
    const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
    fc.assert(
      fc.property(
        fc.record({
          canHandle: maybe(fc.boolean()),
          complexity: maybe(fc.double({ min: -2, max: 2, noNaN: true })),
          requiresTier: maybe(fc.integer({ min: -3, max: 9 })),
        }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        (assessment, top, at) => {
          const tier = Math.min(at, top);
          const found = tierFor(assessment, tier, top);
          expect(found).toBeGreaterThanOrEqual(tier);
          expect(found).toBeLessThanOrEqual(top);
        },
      ),
    );
  });
});

test.each([
  ['{"a":1}', { a: 1 }],
  ['Sure:\n```json\n{"a":1}\n```\nThere.', { a: 1 }],
  ['```\n[1]\n```', [1]],
  ['```\nno json\n```', '```\nno json\n```'],
  ['just words', 'just words'],
  [{ a: 1 }, { a: 1 }],
])('[TENEX-64] what a member says is data where it is JSON, fenced or not: %j', (said, found) => {
  expect(saidJson(said)).toEqual(found);
});
