import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../src/base/json/json.ts';
import { JsonPacker, JsonUnpacker } from '../../src/persistence/packed-json.ts';

const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'a', '0', ''), fc.string());

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      fc.string(),
      fc.constantFrom('~', '~~1', '~abcdef', 'a word'),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(name, tie('value')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries) as Json),
  ),
}));

test('what a packer packed an unpacker makes again, whatever names there are, and no prototype is changed by one', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 6 }), (values) => {
      const packer = new JsonPacker();
      const unpacker = new JsonUnpacker();
      const packed = values.map((each) => JSON.parse(JSON.stringify(packer.pack(each))) as Json);
      const unpacked = packed.map((each) => unpacker.unpack(each));
      expect(JSON.stringify(unpacked)).toBe(JSON.stringify(values));
    }),
  );
  expect(Object.keys({}.constructor.prototype as object)).toEqual([]);
});
