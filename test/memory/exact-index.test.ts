import { describe, expect, test } from 'vitest';
import { exactIndex } from '../../src/memory/memories/exact-index.ts';

const vector = (...values: readonly number[]): Float32Array => new Float32Array(values);

const filled = async () => {
  const index = exactIndex();
  await index.add('east', vector(2, 0));
  await index.add('north', vector(0, 3));
  await index.add('north-east', vector(5, 5));
  await index.add('nowhere', vector(0, 0));
  return index;
};

describe('an exact index of vectors', () => {
  test('finds the nearest first, by direction and not by length', async () => {
    const found = await (await filled()).search(vector(10, 1), 2);
    expect(found.map(({ id }) => id)).toEqual(['east', 'north-east']);
    expect(found[0]?.score).toBeCloseTo(10 / Math.sqrt(101), 5);
  });

  test('finds those that point the other way last, and no vector without a direction', async () => {
    const found = await (await filled()).search(vector(-1, -1), 10);
    expect(found.map(({ id }) => id)).toEqual(['east', 'north', 'north-east']);
    expect(found[2]?.score).toBeCloseTo(-1, 5);
  });

  test('finds nothing for a query without a direction, and nothing where nothing is wanted', async () => {
    const index = await filled();
    expect(await index.search(vector(0, 0), 3)).toEqual([]);
    expect(await index.search(vector(1, 0), 0)).toEqual([]);
  });

  test('forgets what is removed, and replaces what is added once more', async () => {
    const index = await filled();
    await index.remove('east');
    await index.add('north', vector(1, 0));
    const found = await index.search(vector(1, 0), 1);
    expect(found).toEqual([{ id: 'north', score: 1 }]);
  });
});
