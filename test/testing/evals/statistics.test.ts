import { describe, expect, test } from 'vitest';
import { bootstrapMean } from '../../../src/testing/statistics/bootstrap.ts';
import { meanOf, shareOf } from '../../../src/testing/statistics/intervals.ts';
import type { Confusion } from '../../../src/testing/statistics/kappa.ts';
import { kappaOf } from '../../../src/testing/statistics/kappa.ts';
import { mcNemar } from '../../../src/testing/statistics/mcnemar.ts';
import { normalQuantile, normalShare } from '../../../src/testing/statistics/normal.ts';

/** Draws that are the same each time: a linear congruence, apart from what is tested. */
const draws = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
};

describe('the interval of a share', () => {
  test("is Wilson's: 8 of 10 is 0.4902 to 0.9433, and none of 10 is 0 to 0.2775", () => {
    expect(shareOf(8, 10)).toEqual({
      value: 0.8,
      low: expect.closeTo(0.4902, 4),
      high: expect.closeTo(0.9433, 4),
    });
    expect(shareOf(0, 10)).toEqual({ value: 0, low: 0, high: expect.closeTo(0.2775, 4) });
    expect(shareOf(0, 0)).toBeUndefined();
  });
});

describe('the exact test of McNemar', () => {
  test.each([
    [0, 0, 1],
    [1, 9, 22 / 1024],
    [9, 1, 22 / 1024],
    [5, 5, 1],
    [0, 5, 2 / 32],
    [0, 6, 2 / 64],
    [2, 3, 1],
  ])('%i against %i: p = %f', (better, worse, p) => {
    expect(mcNemar(better, worse)).toBeCloseTo(p, 10);
  });

  test('does not lose thousands of pairs in a double', () => {
    expect(mcNemar(2_000, 2_000)).toBe(1);
    // The normal approximation with its correction: z = (220 − 1) / √4000.
    expect(mcNemar(1_890, 2_110)).toBeCloseTo(2 * (1 - normalShare(219 / Math.sqrt(4_000))), 3);
  });
});

describe('the agreement of two raters', () => {
  const confusion = (
    bothPass: number,
    onlyEvaluator: number,
    onlyPerson: number,
    bothFail: number,
  ): Confusion => ({
    bothPass,
    onlyEvaluator,
    onlyPerson,
    bothFail,
  });

  test('is κ of Cohen: 20, 5, 10 and 15 of 50 is 0.4, and 45, 15, 25 and 15 of 100 is 0.1304', () => {
    expect(kappaOf(confusion(20, 5, 10, 15))?.value).toBeCloseTo(0.4, 10);
    expect(kappaOf(confusion(45, 15, 25, 15))?.value).toBeCloseTo(0.1304, 4);
    expect(kappaOf(confusion(5, 0, 0, 5))).toEqual({ value: 1, low: 1, high: 1 });
    expect(kappaOf(confusion(0, 5, 5, 0))?.value).toBe(-1);
  });

  test('cannot be told where all verdicts are the same, and of none', () => {
    expect(kappaOf(confusion(9, 0, 0, 0))).toBeUndefined();
    expect(kappaOf(confusion(0, 0, 0, 0))).toBeUndefined();
  });

  test.each([
    [20, 5, 10, 15],
    [45, 2, 3, 50],
    [90, 1, 4, 5],
    [10, 30, 5, 55],
  ])('has the interval of the delta method, by numeric derivatives: %i, %i, %i, %i', (a, b, c, d) => {
    const of = a + b + c + d;
    const shares = [a / of, b / of, c / of, d / of];
    const kappaAt = ([p = 0, q = 0, r = 0, t = 0]: readonly number[]): number => {
      const all = p + q + r + t;
      const chance = ((p + q) * (p + r) + (r + t) * (q + t)) / all ** 2;
      return ((p + t) / all - chance) / (1 - chance);
    };
    const step = 1e-6;
    const slopes = shares.map((_, at) => {
      const moved = (by: number) =>
        kappaAt(shares.map((share, index) => (index === at ? share + by : share)));
      return (moved(step) - moved(-step)) / (2 * step);
    });
    const meanSlope = slopes.reduce((sum, slope, at) => sum + slope * (shares[at] ?? 0), 0);
    const variance =
      slopes.reduce((sum, slope, at) => sum + slope ** 2 * (shares[at] ?? 0), 0) - meanSlope ** 2;
    const found = kappaOf(confusion(a, b, c, d));
    expect((found?.value ?? 0) - (found?.low ?? 0)).toBeCloseTo(1.959964 * Math.sqrt(variance / of), 5);
  });

  test('has an interval that holds the true κ in about 95 of 100 samples', () => {
    // Truth: cells of 0.45, 0.1, 0.15 and 0.3.
    const truth = kappaOf(confusion(450, 100, 150, 300))?.value ?? 0;
    const random = draws(7);
    let held = 0;
    for (let sample = 0; sample < 1_000; sample += 1) {
      const cells = [0, 0, 0, 0];
      for (let pair = 0; pair < 100; pair += 1) {
        const at = random();
        const cell = at < 0.45 ? 0 : at < 0.55 ? 1 : at < 0.7 ? 2 : 3;
        cells[cell] = (cells[cell] ?? 0) + 1;
      }
      const [a = 0, b = 0, c = 0, d = 0] = cells;
      const found = kappaOf(confusion(a, b, c, d));
      if (found !== undefined && found.low <= truth && truth <= found.high) held += 1;
    }
    expect(held).toBeGreaterThan(925);
    expect(held).toBeLessThan(975);
  });
});

describe('the bootstrap', () => {
  test('is the same each time, and as wide as the interval of Student for values without skew', () => {
    const values = Array.from({ length: 40 }, (_, index) => (index % 8) / 8);
    const found = bootstrapMean(values);
    const student = meanOf(values);
    expect(bootstrapMean(values)).toEqual(found);
    expect(found?.value).toBeCloseTo(student?.value ?? 0, 10);
    const width = (found?.high ?? 0) - (found?.low ?? 0);
    expect(width / ((student?.high ?? 0) - (student?.low ?? 0))).toBeGreaterThan(0.85);
    expect(width / ((student?.high ?? 0) - (student?.low ?? 0))).toBeLessThan(1.1);
  });

  test('is shifted where values are skewed, and says nothing of one value', () => {
    const found = bootstrapMean([...Array.from({ length: 30 }, () => 0), 1, 1]);
    expect((found?.high ?? 0) - (found?.value ?? 0)).toBeGreaterThan((found?.value ?? 0) - (found?.low ?? 0));
    expect(bootstrapMean([1])).toBeUndefined();
    expect(bootstrapMean([1, 1, 1])).toEqual({ value: 1, low: 1, high: 1 });
  });

  test('holds the true mean in about 95 of 100 samples', () => {
    const random = draws(11);
    let held = 0;
    for (let sample = 0; sample < 200; sample += 1) {
      const found = bootstrapMean(Array.from({ length: 40 }, () => random() ** 2));
      if (found !== undefined && found.low <= 1 / 3 && 1 / 3 <= found.high) held += 1;
    }
    expect(held).toBeGreaterThan(180);
    expect(held).toBeLessThan(200);
  });
});

test('the normal distribution has its quantiles', () => {
  for (const [share, z] of [
    [0.025, -1.959964],
    [0.5, 0],
    [0.975, 1.959964],
    [0.999, 3.090232],
  ] as const)
    expect(normalQuantile(share)).toBeCloseTo(z, 3);
});
