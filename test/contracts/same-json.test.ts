import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonical } from '../../src/base/json/canonical.ts';
import type { Json } from '../../src/base/json/json.ts';
import { isSameJson } from '../../src/base/json/same-json.ts';

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

test('a value is the same as what is read back of it, and as no other', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      const [first, second] = [one, other].map((value) => JSON.parse(JSON.stringify(value)) as Json);
      expect(isSameJson(first, JSON.parse(JSON.stringify(first)))).toBe(true);
      expect(isSameJson(first, second)).toBe(canonical(first ?? null) === canonical(second ?? null));
    }),
  );
});

test('the order of names says nothing, nor does a name without a value', () => {
  expect(isSameJson({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 })).toBe(true);
  expect(isSameJson({ a: 1, b: undefined }, { a: 1 })).toBe(true);
  expect(isSameJson({ a: 1 }, { a: 1, b: undefined })).toBe(true);
});

test('what JSON would change is not the same as what it becomes', () => {
  for (const odd of [Number.NaN, new Date(0), [undefined], new Map([['a', 1]])])
    expect(isSameJson(JSON.parse(JSON.stringify(odd)), odd)).toBe(false);
  expect(isSameJson({ toString: 1 }, {})).toBe(false);
  expect(isSameJson({}, { toString: 1 })).toBe(false);
  expect(isSameJson([1], { 0: 1 })).toBe(false);
});
