import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { oddValueIn } from '../../src/base/json/odd-value.ts';

class Bird {
  readonly name = 'owl';
}

const cycle: Record<string, unknown> = { name: 'ouroboros' };
cycle['tail'] = [cycle];

const nested = (levels: number): unknown => (levels === 0 ? null : [nested(levels - 1)]);

const shared = { seen: [1] };

describe('what is no plain JSON is found, named and placed', () => {
  test.each<readonly [found: string, at: string, value: unknown]>([
    ['undefined', 'state', undefined],
    ['NaN', 'state.n', { n: Number.NaN }],
    ['-Infinity', 'state[1]', [0, -Infinity]],
    ['a bigint', 'state.big', { big: 1n }],
    ['a symbol', 'state', Symbol('x')],
    ['a function', 'state.toJSON', { toJSON: () => 1 }],
    ['a Date', 'state.seen[1].at', { seen: [null, { at: new Date(0) }] }],
    ['a Map', 'state', new Map()],
    ['a Uint8Array', 'state.bytes', { bytes: new Uint8Array(2) }],
    ['an Error', 'state["it\'s odd"]', { "it's odd": new Error('x') }],
    ['a Bird', 'state', new Bird()],
    ['an object of a class', 'state', new (class {})()],
    ['a Promise', 'state', Promise.resolve()],
    ['a cycle', 'state.tail[0]', cycle],
    ['undefined', 'state[1]', [0, undefined]],
    ['undefined', 'state[0]', Array.from({ length: 1 })],
    ['more than 100 levels', `state${'[0]'.repeat(100)}`, nested(101)],
    [
      'an object that cannot be read',
      'state.trap',
      {
        trap: new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error('it bites');
            },
          },
        ),
      },
    ],
  ])('%s at %s', (found, at, value) => {
    expect(oddValueIn(value, 'state')).toEqual({ found, at });
  });

  test('a hole in a list is undefined', () => {
    const holed = [1];
    holed[2] = 3;
    expect(oddValueIn(holed, 'state')).toEqual({ found: 'undefined', at: 'state[1]' });
  });
});

describe('what is plain JSON passes', () => {
  test.each<readonly [what: string, value: unknown]>([
    ['null', null],
    ['the same thing in two places', [shared, shared]],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 })],
    ['a property that is undefined', { a: undefined }],
    ['keys that every object has', JSON.parse('{"__proto__":1,"constructor":{},"valueOf":[]}')],
    ['100 levels', nested(100)],
  ])('%s', (_, value) => {
    expect(oddValueIn(value, 'state')).toBeUndefined();
  });

  test('whatever JSON there is, and nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(oddValueIn(value, 'state')).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true }), (value) => {
        if (oddValueIn(value, 'state') !== undefined) return;
        expect(JSON.parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify({ value })).value);
      }),
    );
  });
});

describe('what was known before', () => {
  test('is not looked at again: the cost follows from what changed', () => {
    let looks = 0;
    const long = new Proxy([1, 2, 3], {
      get: (target, key) => {
        looks += 1;
        return Reflect.get(target, key);
      },
    });
    const before = { long, list: [{ long }], step: 0 };
    expect(oddValueIn(before, 'state')).toBeUndefined();
    expect(looks).toBeGreaterThan(0);
    looks = 0;
    expect(
      oddValueIn({ ...before, list: [...before.list, { more: 1 }], step: 1 }, 'state', before),
    ).toBeUndefined();
    expect(oddValueIn(before, 'state', before)).toBeUndefined();
    expect(looks).toBe(0);
  });

  test.each<readonly [what: string, before: unknown]>([
    ['something else', { at: 'x', list: ['x'] }],
    ['nothing', undefined],
    ['a list', [[]]],
    ['a word', 'list'],
  ])('hides nothing that is new where it was %s', (_, before) => {
    expect(oddValueIn({ list: [new Date(0)] }, 'state', before)).toEqual({
      found: 'a Date',
      at: 'state.list[0]',
    });
  });
});
