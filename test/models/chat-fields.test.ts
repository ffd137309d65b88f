import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/base/json/json.ts';
import { isJsonObject } from '../../src/base/json/json.ts';
import { chatFields } from '../../src/models/openai/chat-fields.ts';
import { sized } from '../support/thorough.ts';

const FLOWS = /(^|_)(text|summary|content|thinking|reasoning)$/;

/** The law itself: what two values under one name come to, each time as a value of its own. */
const merged = (key: string, before: Json | undefined, value: Json): Json => {
  if (before === undefined) return value;
  if (typeof before === 'string' && typeof value === 'string')
    return FLOWS.test(key) ? before + value : value || before;
  if (Array.isArray(before) && Array.isArray(value)) return value.reduce(appended, before);
  return isJsonObject(before) && isJsonObject(value) ? joined(before, value) : value;
};
const joined = (before: JsonObject, value: JsonObject): JsonObject =>
  Object.entries(value).reduce<JsonObject>(
    (found, [key, each]) => (each == null ? found : { ...found, [key]: merged(key, before[key], each) }),
    before,
  );
const isSame = (left: JsonObject, right: JsonObject): boolean =>
  left['type'] === right['type'] &&
  left['index'] === right['index'] &&
  (left['id'] === undefined || right['id'] === undefined || left['id'] === right['id']) &&
  Object.entries(right).some(([key, value]) => FLOWS.test(key) && typeof value === 'string');
const appended = (list: readonly Json[], item: Json): readonly Json[] => {
  const last = list.at(-1);
  return isJsonObject(last) && isJsonObject(item) && isSame(last, item)
    ? [...list.slice(0, -1), joined(last, item)]
    : [...list, item];
};
const together = (pieces: readonly JsonObject[]): JsonObject | undefined => {
  let fields: JsonObject | undefined;
  for (const piece of pieces)
    for (const [key, value] of Object.entries(piece))
      if (key !== 'role' && value != null && value !== '')
        fields = { ...fields, [key]: merged(key, fields?.[key], value) };
  return fields;
};

const names = fc.constantFrom(
  'role',
  'text',
  'reasoning_content',
  'signature',
  'details',
  'index',
  'type',
  'id',
);
const values = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<Json>('', 'a', 'b', 0, 1, true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
const streams = fc.array(fc.dictionary(names, values, { maxKeys: 4, noNullPrototype: true }), {
  maxLength: 8,
});

describe('the fields of a stream that are not known', () => {
  test('come to what their pieces come to one after the other, and what was given out stays as it was', () => {
    fc.assert(
      fc.property(streams, (pieces) => {
        const fields = chatFields(new Set(['role']));
        const kept = structuredClone(pieces);
        const seen: [JsonObject | undefined, string | undefined][] = [];
        for (const [index, piece] of pieces.entries()) {
          fields.take(piece);
          if (index % 2 === 0) continue;
          const all = fields.all();
          seen.push([all, JSON.stringify(all)]);
        }
        expect(fields.all()).toEqual(together(kept));
        expect(pieces).toEqual(kept);
        for (const [all, text] of seen) expect(JSON.stringify(all)).toBe(text);
      }),
      { numRuns: sized(300, 2_000) },
    );
  });

  test('keep fields that are called like what every object has', () => {
    const pieces = ['{"__proto__":{"text":"a"},"toString":"s"}', '{"x":"1","__proto__":{"text":"b"}}'];
    const fields = chatFields(new Set());
    for (const piece of pieces) fields.take(JSON.parse(piece) as JsonObject);
    const all = fields.all() ?? {};
    expect(JSON.stringify(all)).toBe('{"__proto__":{"text":"ab"},"toString":"s","x":"1"}');
    expect(Object.getPrototypeOf(all)).toBe(Object.prototype);
  });
});
