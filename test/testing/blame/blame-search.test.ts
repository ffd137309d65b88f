import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findLatest } from '../../../src/testing/blame/find-latest.ts';
import { findSmallest } from '../../../src/testing/blame/find-smallest.ts';

describe('the latest start that succeeds', () => {
  test('is found, with attempts that grow with the logarithm of the length', async () => {
    const lengths = fc.tuple(fc.integer({ min: 1, max: 2_000 }), fc.nat());
    await fc.assert(
      fc.asyncProperty(lengths, async ([end, any]) => {
        const latest = any % end;
        let looks = 0;
        const found = await findLatest(end, async (index) => {
          looks += 1;
          await Promise.resolve();
          return index <= latest;
        });
        expect(found).toBe(latest);
        expect(looks).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(end + 1)) + 3);
      }),
    );
  });

  test('is none where not even the first succeeds, at a second, thorough look', async () => {
    const looks: (readonly [number, boolean])[] = [];
    const fails = async (index: number, isThorough: boolean): Promise<boolean> => {
      await Promise.resolve();
      looks.push([index, isThorough]);
      return false;
    };
    expect(await findLatest(5, fails)).toBeUndefined();
    expect(looks).toEqual([
      [4, false],
      [3, false],
      [1, false],
      [0, false],
      [0, true],
    ]);
    expect(await findLatest(0, fails)).toBeUndefined();
  });

  test('is found although each first attempt fails: the failure that the answer rests on is looked at again', async () => {
    const latest = 6;
    const found = await findLatest(10, async (index, isThorough) => {
      await Promise.resolve();
      return index <= latest && (isThorough || index < 3);
    });
    expect(found).toBe(latest);
  });
});

describe('the smallest part that succeeds', () => {
  test('has no item too many, and succeeds', async () => {
    const cases = fc.tuple(fc.integer({ min: 1, max: 24 }), fc.array(fc.nat(), { maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(cases, async ([length, any]) => {
        const items = Array.from({ length }, (_, index) => index);
        const needed = [...new Set(any.map((each) => each % length))];
        const succeeds = async (part: readonly number[]): Promise<boolean> => {
          await Promise.resolve();
          return needed.every((item) => part.includes(item));
        };
        const found = await findSmallest(items, succeeds);
        // Where nothing is needed, one item is left.
        const least = needed.length > 0 ? needed.toSorted((one, other) => one - other) : found.slice(0, 1);
        expect(found).toEqual(least);
      }),
    );
  });
});
