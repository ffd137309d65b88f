import { type Schema, Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Json, type JsonObject, toJson } from '../../src/base/json/json.ts';
import { jsonSchemaIssues } from '../../src/tools/schemas/json-schema-check.ts';

const key = fc.constantFrom('a', 'b', 'c');
const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object');
const scalar = fc.oneof(
  fc.constantFrom(null, true, false, 0.5, 1.5, '', 'a', 'ab', 'abc', 'été'),
  fc.integer({ min: -3, max: 5 }),
);

/** The words of a choice between schemas. */
const CHOICE = ['if', 'then', 'else'] as const;

const { value, schema } = fc.letrec<{ value: unknown; schema: unknown }>((tie) => {
  const some = fc.array(tie('schema'), { minLength: 1, maxLength: 2 });
  const few = fc.nat(3);
  const limit = fc.integer({ min: -2, max: 4 });
  const partly = <Field>(fields: Readonly<Record<string, fc.Arbitrary<Field>>>) =>
    fc.record({ ...fields }, { requiredKeys: [] });
  return {
    value: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 3 }),
    ),
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.boolean(),
      fc.record({ type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })) }),
      partly<unknown>({ enum: fc.uniqueArray(scalar, { minLength: 1 }), const: tie('value') }),
      partly({ minimum: limit, maximum: limit, exclusiveMinimum: limit, exclusiveMaximum: limit }),
      partly<unknown>({ multipleOf: fc.constantFrom(1, 2, 0.5), minLength: few, maxLength: few }),
      fc.record({ pattern: fc.constantFrom('^a', 'b$', '^[a-c]+$', '') }),
      partly<unknown>({ items: tie('schema'), prefixItems: some, minItems: few, maxItems: few }),
      partly<unknown>({
        uniqueItems: fc.boolean(),
        contains: tie('schema'),
        minContains: few,
        maxContains: few,
      }),
      partly<unknown>({
        properties: fc.dictionary(key, tie('schema'), { maxKeys: 3 }),
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), tie('schema')),
        additionalProperties: tie('schema'),
        required: fc.uniqueArray(key),
      }),
      partly<unknown>({
        minProperties: few,
        maxProperties: few,
        propertyNames: tie('schema'),
        dependentRequired: fc.dictionary(key, fc.uniqueArray(key)),
        dependentSchemas: fc.dictionary(key, tie('schema')),
      }),
      partly<unknown>({ allOf: some, anyOf: some, oneOf: some, not: tie('schema') }),
      partly<unknown>(Object.fromEntries(CHOICE.map((word) => [word, tie('schema')]))),
    ),
  };
});

const isObject = (given: unknown): given is JsonObject & Schema =>
  typeof given === 'object' && given !== null;

test('[FIND-18] a value is valid by a schema if @cfworker/json-schema says so, too', () => {
  const verdicts = { valid: 0, invalid: 0 };
  fc.assert(
    fc.property(schema.filter(isObject), value, (made, given) => {
      const json: Json = toJson(given);
      const judged = new Validator(structuredClone(made), '2020-12').validate(json).valid;
      verdicts[judged ? 'valid' : 'invalid'] += 1;
      expect(jsonSchemaIssues(made, json).length === 0).toBe(judged);
    }),
    { numRuns: 1_000 },
  );
  // Neither verdict is the only one that was tried.
  expect(Math.min(verdicts.valid, verdicts.invalid)).toBeGreaterThan(100);
});
