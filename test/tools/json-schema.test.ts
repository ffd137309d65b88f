import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Json, JsonSchema } from '../../src/base/json/json.ts';
import { toolNames } from '../../src/models/calls/tool-names.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { jsonSchema } from '../../src/tools/schemas/json-schema.ts';
import { checkSchema } from '../../src/tools/schemas/schemas.ts';
import { anyCharacter } from '../support/any-character.ts';

const fits = (schema: JsonSchema, value: Json): boolean => {
  const checked = checkSchema(jsonSchema(schema), value);
  if ('then' in checked) throw new Error('it waits');
  return checked.ok;
};

const FACTORIAL: JsonSchema = {
  type: 'dict',
  properties: { number: { type: 'integer', description: 'At least 0.' }, exact: { type: 'Boolean' } },
  required: ['number'],
};

describe('a tool with a raw JSON Schema', () => {
  test('[FIND-18] checks what it is called with, by its parameters alone, under a name with a dot', async () => {
    const seen: Json[] = [];
    const factorial = tool({
      name: 'math.factorial',
      description: 'The factorial of a number.',
      parameters: FACTORIAL,
      execute: (input) => {
        expectTypeOf(input).toEqualTypeOf<Json>();
        seen.push(input);
        return 120;
      },
    });
    expect(factorial.parameters).toEqual({
      type: 'object',
      properties: { number: { type: 'integer', description: 'At least 0.' }, exact: { type: 'boolean' } },
      required: ['number'],
    });
    const model = scriptedModel([
      { calls: [{ id: '1', name: 'math.factorial', input: { number: 'five' } }] },
      { calls: [{ id: '2', name: 'math.factorial', input: { exact: true } }] },
      { calls: [{ id: '3', name: 'math.factorial', input: { number: 5 } }] },
      '120',
    ]);
    const { records, output } = await agent({ name: 'clerk', tools: [factorial], model }).run('5!');
    const results = records.flatMap((record) => record.results);
    expect(results.map(({ ok }) => ok)).toEqual([false, false, true]);
    expect(results[0]?.text).toContain('number: Invalid input: expected integer, received string');
    expect(results[1]?.text).toContain('number: Invalid input: expected integer, received undefined');
    expect({ seen, output }).toEqual({ seen: [{ number: 5 }], output: '120' });
  });

  test('[FIND-18] has the type that its author gives it', () => {
    tool({
      name: 'add',
      description: 'Adds.',
      input: jsonSchema<{ a: number; b: number }>({ type: 'object', properties: { a: { type: 'number' } } }),
      execute: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ a: number; b: number }>();
        return input.a + input.b;
      },
    });
  });

  test.each<[string, JsonSchema, readonly Json[], readonly Json[]]>([
    ['types of other vocabularies', { type: 'float' }, [1, 1.5], ['1', null]],
    ['any', { type: 'any' }, [1, 'a', null, []], []],
    ['tuple', { type: 'tuple', items: { type: 'integer' } }, [[1, 2]], [['a'], 1]],
    ['several types', { type: ['string', 'null'] }, ['a', null], [1]],
    ['nullable', { type: 'string', nullable: true }, ['a', null], [1]],
    ['enum', { enum: ['a', 1, { b: 2 }] }, ['a', 1, { b: 2 }], ['b', { b: 3 }]],
    ['const', { const: [1] }, [[1]], [[2], 1]],
    ['bounds', { minimum: 1, exclusiveMaximum: 3 }, [1, 2.9], [0, 3]],
    ['bounds of draft 4', { minimum: 1, exclusiveMinimum: true }, [1.1], [1]],
    ['multiples', { multipleOf: 0.1 }, [0.3, 1], [0.35]],
    ['lengths', { minLength: 1, maxLength: 2 }, ['a', '😀😀'], ['', 'abc']],
    ['a pattern', { pattern: '^a+$' }, ['aa', 1], ['b']],
    ['lists', { items: { type: 'string' }, minItems: 1, uniqueItems: true }, [['a']], [[], [1], ['a', 'a']]],
    ['places', { prefixItems: [{ type: 'string' }], items: false }, [['a'], []], [[1], ['a', 'b']]],
    ['places of draft 7', { items: [{ type: 'string' }], additionalItems: false }, [['a']], [['a', 'b']]],
    ['contains', { contains: { const: 1 }, maxContains: 1 }, [[1, 2]], [[2], [1, 1]]],
    ['no other key', { properties: { a: {} }, additionalProperties: false }, [{ a: 1 }, {}], [{ b: 1 }]],
    [
      'other keys',
      { patternProperties: { '^x': { type: 'number' } }, additionalProperties: { type: 'string' } },
      [{ x1: 1, a: 'b' }],
      [{ x1: 'a' }, { a: 1 }],
    ],
    ['required of draft 3', { properties: { a: { type: 'string', required: true } } }, [{ a: 'b' }], [{}]],
    ['names', { propertyNames: { maxLength: 1 } }, [{ a: 1 }], [{ ab: 1 }]],
    ['dependencies', { dependentRequired: { a: ['b'] } }, [{ a: 1, b: 2 }, {}], [{ a: 1 }]],
    ['dependencies of draft 7', { dependencies: { a: { required: ['b'] } } }, [{ a: 1, b: 2 }], [{ a: 1 }]],
    ['any of', { anyOf: [{ type: 'string' }, { type: 'number' }] }, ['a', 1], [true]],
    ['one of', { oneOf: [{ minimum: 2 }, { multipleOf: 2 }] }, [3, 0], [4, 1]],
    ['all of', { allOf: [{ minimum: 2 }, { maximum: 3 }] }, [2], [1, 4]],
    ['not', { not: { type: 'string' } }, [1], ['a']],
    [
      'if',
      JSON.parse('{"if":{"const":1},"then":false,"else":{"type":"string"}}') as JsonSchema,
      ['a'],
      [1, 2],
    ],
    ['a definition', { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, ['a'], [1]],
    [
      'a definition of draft 7',
      { items: { $ref: '#/definitions/a~1b' }, definitions: { 'a/b': { type: 'string' } } },
      [['a']],
      [[1]],
    ],
    [
      'itself',
      { properties: { next: { $ref: '#' } }, required: ['id'] },
      [{ id: 1, next: { id: 2 } }],
      [{ id: 1, next: {} }],
    ],
    [
      'a name of a prototype',
      { properties: { toString: { type: 'string' } }, required: ['valueOf'] },
      [{ valueOf: 1 }],
      [{}, { valueOf: 1, toString: 1 }],
    ],
    [
      'a property that is called like a type',
      { properties: { type: { type: 'dict' } } },
      [{ type: {} }],
      [{ type: 'dict' }],
    ],
  ])('[FIND-18] understands %s', (_, schema, good, bad) => {
    expect({
      good: good.filter((value) => !fits(schema, value)),
      bad: bad.filter((value) => fits(schema, value)),
    }).toEqual({ good: [], bad: [] });
  });

  test('[FIND-18] a schema that refers to what is not in it, or is none, is refused when the tool is made', () => {
    const make = (parameters: JsonSchema) => () =>
      tool({ name: 'a', description: 'A.', parameters, execute: () => 1 });
    expect(make({ properties: { a: { $ref: '#/$defs/missing' } } })).toThrow('#/$defs/missing');
    expect(make({ $ref: 'https://example.com/schema.json' })).toThrow('https://example.com');
    expect(make({ type: 'array' })).toThrow('not an object');
    expect(() => jsonSchema(JSON.parse('[1]') as JsonSchema)).toThrow(
      expect.objectContaining({ code: 'tool.invalid' }),
    );
  });

  test('[FIND-18] a schema that refers to itself without end is an issue, not a hang', () => {
    expect(fits({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }, 1)).toBe(false);
    const twice: JsonSchema = {
      $ref: '#/$defs/a',
      $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } },
    };
    expect(fits(twice, 1)).toBe(false);
  });

  test('[FIND-18] what zod describes is judged as zod judges it', () => {
    const schema = z.object({
      a: z.number().int(),
      b: z.array(z.enum(['x', 'y'])).optional(),
      c: z.record(z.string(), z.boolean()),
    });
    const { $schema: _, ...described } = z.toJSONSchema(schema);
    const plain = JSON.parse(JSON.stringify(described)) as JsonSchema;
    fc.assert(
      fc.property(
        fc.record(
          {
            a: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string()),
            b: fc.oneof(fc.array(fc.constantFrom('x', 'y', 'z')), fc.constant(null)),
            c: fc.dictionary(fc.string(), fc.oneof(fc.boolean(), fc.integer())),
          },
          { requiredKeys: [] },
        ),
        (value) => {
          const json = JSON.parse(JSON.stringify(value)) as Json;
          expect(fits(plain, json)).toBe(schema.strict().safeParse(json).success);
        },
      ),
    );
  });
});

describe('the name of a tool', () => {
  test.each(['math.factorial', 'fs/read', 'a:b', 'größe.ändern', '天気', 'a'.repeat(256), '_x'])(
    '[FIND-18] may be what definitions in the world use: %s',
    async (name) => {
      const named = tool({ name, description: 'A.', parameters: { type: 'object' }, execute: () => 'done' });
      const model = scriptedModel([{ calls: [{ id: '1', name, input: {} }] }, 'ok']);
      const { records } = await agent({ name: 'clerk', tools: [named], model }).run('go');
      expect(records.flatMap(({ results }) => results)).toMatchObject([{ tool: name, ok: true }]);
    },
  );

  test.each(['', 'a b', 'a\nb', '.a', '1a', '__proto__', 'a'.repeat(257), 'a\u202eb'])(
    '[FIND-18] may not be what could be taken for something else: %j',
    (name) => {
      expect(() =>
        tool({ name, description: 'A.', parameters: { type: 'object' }, execute: () => 1 }),
      ).toThrow(expect.objectContaining({ code: 'tool.invalid' }));
    },
  );

  test('[FIND-18] goes over the wire as one that providers take, unique, and comes back', () => {
    const name = fc.oneof(
      fc.string({ unit: anyCharacter, minLength: 1 }),
      fc.constantFrom(
        'a.b',
        'a_b',
        'a/b',
        `${'x'.repeat(70)}.a`,
        `${'x'.repeat(70)}.b`,
        'é',
        'è',
        'a_b_ea0dcb19',
      ),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 40 }), (all) => {
        const names = toolNames(all);
        const legal = all.map((each) => names.legal(each));
        expect(legal.filter((each) => !/^[\w-]{1,64}$/.test(each))).toEqual([]);
        expect(new Set(legal).size).toBe(all.length);
        expect(legal.map((each) => names.original(each))).toEqual(all);
      }),
    );
  });
});
