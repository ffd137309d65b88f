import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonSchema } from '../../src/base/json/json.ts';
import { portableSchema, wireOutput } from '../../src/models/schemas/output-schema.ts';

const wire = (schema: z.ZodType) => wireOutput({ name: 'out', schema: z.toJSONSchema(schema) as JsonSchema });

describe('a structured output', () => {
  it('of an object goes out as it is, without its dialect', () => {
    const output = wire(z.object({ a: z.number() }));
    expect(output.schema).not.toHaveProperty('$schema');
    expect(output).toMatchObject({ isStrict: true, schema: { type: 'object', required: ['a'] } });
    expect(output.unwrap('{"a":1}')).toBe('{"a":1}');
  });

  it('[FIND-52] goes out without its marks of secrets, and is as strict as without', () => {
    const secret = z.string().meta({ writeOnly: true });
    const fields = { a: secret, b: z.string().meta({ format: 'password' }), writeOnly: z.string() };
    const { schema, isStrict } = wire(z.object(fields));
    expect(isStrict).toBe(true);
    expect(schema).toMatchObject({ required: ['a', 'b', 'writeOnly'] });
    expect(schema['properties']).toEqual({
      a: { type: 'string' },
      b: { type: 'string' },
      writeOnly: { type: 'string' },
    });
  });

  it.each([
    [z.array(z.string()), '{"value":["a"]}', '["a"]'],
    [z.string(), '{"value":"a"}', '"a"'],
    [z.null(), '{"value":null}', 'null'],
  ])('of anything else is wrapped and unwrapped', (schema, text, expected) => {
    expect(wire(schema).schema).toMatchObject({ type: 'object', required: ['value'] });
    expect(wire(schema).unwrap(text)).toBe(expected);
  });

  it.each(['no JSON', '["a"]', '{"values":1}'])('that is not wrapped is left as it is: %j', (text) => {
    expect(wire(z.array(z.string())).unwrap(text)).toBe(text);
  });

  it('of plain objects is closed and strict: unknown keys would be stripped anyway', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { a: { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] } },
      required: ['a'],
    };
    const { schema: closed, isStrict } = wireOutput({ name: 'out', schema });
    expect(isStrict).toBe(true);
    expect(closed).toMatchObject({
      additionalProperties: false,
      properties: { a: { additionalProperties: false } },
    });
  });

  it.each([
    ['an optional property', z.object({ a: z.number().optional() })],
    ['free keys', z.record(z.string(), z.number())],
    ['an open object within', z.object({ a: z.looseObject({}) })],
  ])('with %s is not strict', (_, schema) => {
    expect(wire(schema).isStrict).toBe(false);
  });

  const strict = (schema: z.ZodType) =>
    wireOutput({ name: 'out', schema: z.toJSONSchema(schema) as JsonSchema }, 'nullable');

  it('with optional properties is strict where these may be null, and such a null is taken back as absent', () => {
    const output = strict(
      z.object({
        city: z.string(),
        unit: z.enum(['C', 'F']).optional().describe('Of the scale.'),
        note: z.string().nullable().optional(),
        place: z.object({ zip: z.string().optional() }).optional(),
        days: z.array(z.object({ rain: z.number().optional() })),
      }),
    );
    expect(output.isStrict).toBe(true);
    expect(output.schema).toMatchObject({
      required: ['city', 'unit', 'note', 'place', 'days'],
      properties: {
        city: { type: 'string' },
        unit: { type: ['string', 'null'], enum: ['C', 'F', null], description: 'Of the scale.' },
        place: {
          anyOf: [
            { type: 'object', required: ['zip'], properties: { zip: { type: ['string', 'null'] } } },
            { type: 'null' },
          ],
        },
        days: { items: { required: ['rain'], properties: { rain: { type: ['number', 'null'] } } } },
      },
    });
    const said = {
      city: 'K',
      unit: null,
      note: null,
      place: { zip: null },
      days: [{ rain: null }, { rain: 1 }],
    };
    expect(JSON.parse(output.unwrap(JSON.stringify(said)))).toEqual({
      city: 'K',
      note: null,
      place: {},
      days: [{}, { rain: 1 }],
    });
    const whole = '{ "city": "K", "unit": "C", "note": "x", "place": { "zip": "1" }, "days": [] }';
    expect(output.unwrap(whole)).toBe(whole);
    expect(output.unwrap('{"city": "K", "un')).toBe('{"city": "K", "un');
  });

  it('of a union takes back the nulls of the variant that it is of, and of what is referred to', () => {
    const leaf = z.object({ kind: z.literal('leaf'), size: z.number().optional() }).meta({ id: 'leaf' });
    const other = z.object({ kind: z.literal('other'), size: z.number().nullable() });
    const output = strict(z.object({ of: z.union([other, leaf]), more: leaf.optional() }));
    expect(output.isStrict).toBe(true);
    const read = (value: object): unknown => JSON.parse(output.unwrap(JSON.stringify(value)));
    expect(read({ of: { kind: 'leaf', size: null }, more: null })).toEqual({ of: { kind: 'leaf' } });
    expect(read({ of: { kind: 'other', size: null }, more: { kind: 'leaf', size: null } })).toEqual({
      of: { kind: 'other', size: null },
      more: { kind: 'leaf' },
    });
  });

  it('with free keys is not strict with nullable properties either', () => {
    expect(strict(z.object({ a: z.looseObject({}).optional() })).isStrict).toBe(false);
  });

  it('keeps references in reach when it is wrapped', () => {
    const schema: JsonSchema = {
      type: 'array',
      items: { $ref: '#/$defs/n' },
      $defs: { n: { type: 'number' } },
    };
    expect(wireOutput({ name: 'out', schema }).schema).toMatchObject({
      properties: { value: { items: { $ref: '#/$defs/n' } } },
      $defs: { n: { type: 'number' } },
    });
  });

  it('moves limits that a provider refuses into descriptions, and leaves properties of the same names alone', () => {
    const { schema } = wire(z.object({ format: z.string().min(2).describe('Which.'), minimum: z.number() }));
    expect(portableSchema(schema)).toEqual({
      type: 'object',
      properties: {
        format: { type: 'string', description: 'Which. (minLength: 2)' },
        minimum: { type: 'number' },
      },
      required: ['format', 'minimum'],
      additionalProperties: false,
    });
  });

  it('knows a property from a keyword of the same name', () => {
    const { schema, isStrict } = wire(z.object({ not: z.string(), default: z.object({ if: z.number() }) }));
    expect(isStrict).toBe(true);
    expect(portableSchema(schema)).toEqual(schema);
    expect(wire(z.object({ default: z.looseObject({}) })).isStrict).toBe(false);
  });

  it.each([z.record(z.string(), z.number()), z.object({ a: z.looseObject({}) })])(
    'with free keys cannot be said in the subset: closing the object would change it',
    (schema) => {
      expect(portableSchema(wire(schema).schema)).toBeUndefined();
    },
  );
});
