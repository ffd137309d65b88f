import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonInPieces, partialJson } from '../../src/base/json/partial-json.ts';

test.each([
  ['', undefined],
  ['Tides', undefined],
  ['{', {}],
  ['[', []],
  ['{"tit', {}],
  ['{"title"', {}],
  ['{"title":', {}],
  ['{"title": "Ti', { title: 'Ti' }],
  [String.raw`{"title": "a \"b\" c\\`, { title: String.raw`a "b" c` + '\\' }],
  [String.raw`{"title": "a\u00e`, { title: 'a' }],
  [String.raw`{"title": "a\u00e9`, { title: 'aé' }],
  ['{"n": 12', {}],
  ['{"n": 12,', { n: 12 }],
  ['{"n": tru', {}],
  ['{"n": true ', { n: true }],
  ['{"a": [1, 2', { a: [1] }],
  ['{"a": [{"b": "c', { a: [{ b: 'c' }] }],
  ['```json\n{"a": "b"}\n```', { a: 'b' }],
  ['{"a": "b"} and more', { a: 'b' }],
  ['{"a": nonsense, "b": 1}', {}],
  ['{"__proto__": {"x": 1}, "a": "b"', { a: 'b' }],
])('%j is so far %j', (text, value) => {
  expect(partialJson(text)).toEqual(value);
});

/** Whether one value is what the other may still become: texts are beginnings, numbers and words are whole. */
const isBeginning = (part: unknown, whole: unknown): boolean => {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part);
  if (Array.isArray(part))
    return (
      Array.isArray(whole) &&
      part.length <= whole.length &&
      part.every((item, index) => isBeginning(item, whole[index]))
    );
  if (typeof part === 'object' && part !== null)
    return Object.entries(part).every(([key, value]) => isBeginning(value, Reflect.get(Object(whole), key)));
  return Object.is(part, whole);
};

const unsafe = /__proto__|constructor|prototype/;

test('each beginning of JSON is a beginning of its value, and all of it is the value', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())),
      fc.nat(),
      (value, at) => {
        const text = JSON.stringify(value);
        fc.pre(!unsafe.test(text));
        expect(partialJson(text)).toEqual(JSON.parse(text));
        const cut = text.slice(0, at % (text.length + 1));
        const part = partialJson(cut);
        expect(cut === '' ? part === undefined : isBeginning(part, JSON.parse(text)), cut).toBe(true);
      },
    ),
  );
});

test('no depth overflows the stack', () => {
  expect(partialJson('['.repeat(100_000))).toBeDefined();
});

test('piece by piece, the value is that of the text so far, wherever it is cut, and no value changes later', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.constantFrom('```json\n{"a": [1, "\\u00e9\\q"]} ', '{"a" 1}', '[1,,2]'),
      ),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
      (text, sizes) => {
        const json = jsonInPieces();
        const seen: { readonly value: unknown; readonly copy: unknown }[] = [];
        for (let at = 0, index = 0; at < text.length; index += 1) {
          const end = at + (sizes[index % sizes.length] ?? 1);
          const before = seen.at(-1)?.copy;
          const hasChanged = json.append(text.slice(at, end));
          const { value } = json;
          const whole = jsonInPieces();
          whole.append(text.slice(0, end));
          expect(value).toEqual(whole.value);
          expect(hasChanged ? undefined : value).toEqual(hasChanged ? undefined : before);
          seen.push({ value, copy: structuredClone(value) });
          at = end;
        }
        for (const { value, copy } of seen) expect(value).toEqual(copy);
      },
    ),
  );
});

test('a part that is closed is the same object in each later value', () => {
  const json = jsonInPieces();
  json.append('[{"a":1},');
  const [first] = json.value as readonly object[];
  json.append('{"b":2}]');
  expect((json.value as readonly object[])[0]).toBe(first);
});

test('what may still become another value is read again only within a bound', () => {
  const json = jsonInPieces();
  for (let index = 0; index < 2_000; index += 1) json.append('1');
  json.append(' ');
  expect(json.value).toBeUndefined();
});
