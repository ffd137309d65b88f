import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SmallMap } from '../../src/base/collections/small-map.ts';
import { SmallSet } from '../../src/base/collections/small-set.ts';

const key = fc.constantFrom('a', 'b', 'c');
const change = fc.oneof(
  fc.record({ what: fc.constant('set' as const), key, value: fc.option(fc.nat(), { nil: undefined }) }),
  fc.record({ what: fc.constant('delete' as const), key }),
);

test('a small map is a map, whatever is done to it', () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const [small, map] = [
        new SmallMap<string, number | undefined>(),
        new Map<string, number | undefined>(),
      ];
      for (const each of changes) {
        const [some, all] =
          each.what === 'set'
            ? [small.set(each.key, each.value).size, map.set(each.key, each.value).size]
            : [small.delete(each.key), map.delete(each.key)];
        expect(some).toBe(all);
        expect([...small]).toEqual([...map]);
        expect([...small.keys()]).toEqual([...map.keys()]);
        expect([...small.values()]).toEqual([...map.values()]);
        expect(small.size).toBe(map.size);
        for (const one of ['a', 'b', 'c']) {
          expect(small.has(one)).toBe(map.has(one));
          expect(small.get(one)).toBe(map.get(one));
        }
      }
    }),
  );
});

test('a small set is a set, whatever is done to it', () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const [small, set] = [new SmallSet<string>(), new Set<string>()];
      for (const each of changes) {
        const [some, all] =
          each.what === 'set'
            ? [small.add(each.key).size, set.add(each.key).size]
            : [small.delete(each.key), set.delete(each.key)];
        expect(some).toBe(all);
        expect([...small]).toEqual([...set]);
        expect(small.size).toBe(set.size);
        for (const one of ['a', 'b', 'c']) expect(small.has(one)).toBe(set.has(one));
      }
    }),
  );
});

/** What comes by where, at each value, something is changed. */
const walked = (values: Iterable<string>, at: Readonly<Record<string, () => void>>): readonly string[] => {
  const seen: string[] = [];
  for (const value of values) {
    seen.push(value);
    at[value]?.();
  }
  return seen;
};

test('what is added or deleted while a small set or map is iterated is met as in a large one', () => {
  const inSet = (values: Set<string> | SmallSet<string>): readonly string[] =>
    walked(values.add('a'), {
      a: () => values.add('b'),
      b: () => {
        values.delete('a');
        values.add('c');
      },
    });
  expect(inSet(new SmallSet())).toEqual(inSet(new Set()));
  const cleared = (values: Set<string> | SmallSet<string>): readonly string[] =>
    walked(values.add('a').add('b').add('c'), {
      a: () => {
        values.clear();
      },
    });
  expect(cleared(new SmallSet())).toEqual(cleared(new Set()));
  const inMap = (values: Map<string, number> | SmallMap<string, number>): readonly string[] =>
    walked(values.set('a', 1).keys(), {
      a: () => {
        values.delete('a');
        values.set('b', 2);
      },
      b: () => values.set('c', 3),
    });
  expect(inMap(new SmallMap())).toEqual(inMap(new Map()));
});

test('a cleared small set is empty, also one with a table', () => {
  for (const values of [[], ['a'], ['a', 'b']]) {
    const small = new SmallSet<string>();
    for (const value of values) small.add(value);
    small.clear();
    expect([...small]).toEqual([]);
    expect([...small.add('c')]).toEqual(['c']);
  }
});
