import { describe, expect, test } from 'vitest';
import type { Json, JsonSchema } from '../../src/base/json/json.ts';
import { toolInputs } from '../../src/models/calls/tool-inputs.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { jsonSchema } from '../../src/tools/schemas/json-schema.ts';
import { checkSchema } from '../../src/tools/schemas/schemas.ts';

const check = (schema: JsonSchema, value: Json) => {
  const checked = checkSchema(jsonSchema(schema), value);
  if ('then' in checked) throw new Error('it waits');
  return checked;
};

describe('a tool whose schema somebody else wrote', () => {
  test.each([
    ['a list of what it takes none of', Array.from({ length: 180_000 }, () => 'no')],
    ['a list that is longer than can be checked', Array.from({ length: 300_000 }, () => 1)],
  ])('[FIND-18] refuses %s with a few words, and the run goes on', async (_, value) => {
    const sum = tool({
      name: 'sum',
      description: 'Adds up.',
      parameters: {
        type: 'object',
        properties: {
          all: {
            anyOf: [
              { type: 'array', items: { type: 'integer' } },
              { type: 'object', additionalProperties: { type: 'integer' } },
            ],
          },
        },
      },
      execute: () => 'never',
    });
    const model = scriptedModel([
      { calls: [{ id: '1', name: 'sum', input: { all: value } }] },
      'It is too long.',
    ]);
    const { output, records } = await agent({ name: 'clerk', tools: [sum], model }).run('Add');
    const [result] = records.flatMap(({ results }) => results);
    expect(output).toBe('It is too long.');
    expect(result?.ok).toBe(false);
    expect(result?.text).toMatch(
      /all\.\d+: (Invalid input: expected integer|Cannot be checked as it is too long)/,
    );
    expect(result?.text.length).toBeLessThan(20_000);
  });

  const LOOP = { a: { $ref: '#/$defs/a' } };
  const long = Array.from({ length: 200_001 }, () => 1);
  const numbers = { type: 'array', items: { type: 'number' } };

  test.each<[string, JsonSchema, Json]>([
    ['not', { not: { $ref: '#/$defs/a' }, $defs: LOOP }, 1],
    ['not, of much', { not: numbers }, long],
    ['one of', { oneOf: [{ type: 'array' }, numbers] }, long],
    ['if', { if: { $ref: '#/$defs/a' }, else: true, $defs: LOOP }, 1],
    ['contains', { contains: { $ref: '#/$defs/a' }, minContains: 0, maxContains: 0, $defs: LOOP }, [1]],
  ])('[FIND-18] takes nothing for checked that it gave up on: %s', (_, schema, value) => {
    expect(check(schema, value)).toMatchObject({ ok: false });
  });

  test('[FIND-18] takes what fits one alternative, though it had to give up on another', () => {
    expect(check({ anyOf: [{ $ref: '#/$defs/a' }, { type: 'number' }], $defs: LOOP }, 1)).toMatchObject({
      ok: true,
    });
  });

  test('[FIND-18] heeds all that depends on a property, in whatever keyword it says so', () => {
    const schema: JsonSchema = {
      dependencies: { a: ['b'] },
      dependentRequired: { a: ['c'] },
      dependentSchemas: { a: { properties: { d: { type: 'string' } } } },
    };
    expect(check(schema, { a: 1, b: 1, c: 1, d: 'x' })).toMatchObject({ ok: true });
    for (const value of [
      { a: 1, c: 1 },
      { a: 1, b: 1 },
      { a: 1, b: 1, c: 1, d: 1 },
    ])
      expect(check(schema, value)).toMatchObject({ ok: false });
  });

  test('[FIND-18] is refused where a property of whatever name refers to what is not in it', () => {
    for (const name of ['default', 'enum', 'const', 'example', 'examples'])
      expect(() => jsonSchema({ type: 'object', properties: { [name]: { $ref: '#/$defs/none' } } })).toThrow(
        '#/$defs/none',
      );
    expect(() => jsonSchema({ type: 'object', default: { $ref: '#/$defs/none' } })).not.toThrow();
  });

  test('[FIND-22] comes to a request that can be sent, however many alternatives it multiplies', () => {
    const kind = (name: string) => ({
      type: 'object',
      properties: { [name]: { type: 'string' } },
    });
    const two = (n: number) => ({ anyOf: [kind(`a${n}`), kind(`b${n}`)] });
    const itself = { anyOf: Array.from({ length: 30 }, () => ({ $ref: '#/$defs/x' })) };
    const parts = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`p${n}`, { $ref: '#/$defs/y' }]));
    const many: readonly [JsonSchema, readonly string[]][] = [
      [{ allOf: Array.from({ length: 40 }, (_, n) => two(n)) }, []],
      [{ $ref: '#/$defs/x', $defs: { x: itself } }, []],
      [
        { type: 'object', properties: parts, $defs: { y: { type: 'object', properties: parts } } },
        ['$ref', '$defs'],
      ],
    ];
    for (const [parameters, refused] of many) {
      const spec = { name: 'a', description: '', parameters };
      const sent = toolInputs([spec], refused).schema(spec);
      expect(sent['type']).toBe('object');
      expect(JSON.stringify(sent).length).toBeLessThan(1_000_000);
    }
  });

  test('whose pattern would take JavaScript for ever refuses what does not match, takes what does, and the run goes on', async () => {
    const found: string[] = [];
    const find = tool({
      name: 'find',
      description: 'Finds it.',
      parameters: {
        type: 'object',
        properties: { name: { type: 'string', pattern: '^(a+)+$' } },
        patternProperties: { '^(b+)+$': { type: 'number' } },
        additionalProperties: false,
        required: ['name'],
      },
      execute: (input) => {
        found.push(JSON.stringify(input).slice(0, 30));
        return 'found';
      },
    });
    const call = (id: string, input: Json) => ({ calls: [{ id, name: 'find', input }] });
    const model = scriptedModel([
      call('1', { name: `${'a'.repeat(5_000)}!` }),
      call('2', { name: 'a', [`${'b'.repeat(5_000)}!`]: 1 }),
      call('3', { name: 'aaa', bbb: 1 }),
      'Done.',
    ]);
    const { records, output } = await agent({ name: 'finder', model, tools: [find] }).run('go');
    expect(output).toBe('Done.');
    expect(found).toEqual(['{"name":"aaa","bbb":1}']);
    expect(records.flatMap(({ results }) => results.map(({ ok }) => ok))).toEqual([false, false, true]);
    expect(records[0]?.results[0]?.text).toContain('must match pattern /^(a+)+$/');
  });

  test.each([
    ['a text', { pattern: '(?=.*x)y' }, 'a'.repeat(10_000)],
    ['what a text must not be', { not: { pattern: '(?=.*x)y' } }, 'a'.repeat(10_000)],
    ['a name', { patternProperties: { '(?=.*x)y': false } }, { ['a'.repeat(10_000)]: 1 }],
    [
      'one of many texts',
      { items: { pattern: '(?=.*x)y' } },
      Array.from({ length: 40 }, () => 'a'.repeat(10_000)),
    ],
    [
      'many texts, each of which could be',
      { items: { pattern: '^(?:a?){9000}$' } },
      Array.from({ length: 300 }, () => 'a'.repeat(100)),
    ],
  ] as const)('that cannot be matched in time with %s is refused by name', (_, schema, value) => {
    const checked = check(schema, value);
    expect(checked.ok).toBe(false);
    expect(JSON.stringify(checked)).toMatch(
      /Cannot be checked as (?:it|its name) is too long|Cannot be checked as a part/,
    );
  });

  test('forbids nothing by a pattern that refers back to what it matched', () => {
    expect(check({ pattern: '^(a+)+\\1$' }, `${'a'.repeat(100)}!`).ok).toBe(true);
  });

  test.each(['^(.)\\1$', '('])(
    'forbids no name, and no value, by a pattern of names that is not read: %s',
    (pattern) => {
      const patternProperties = { [pattern]: { type: 'number' } } as const;
      expect(check({ patternProperties }, { name: 'x' }).ok).toBe(true);
      expect(check({ patternProperties, additionalProperties: false }, { aa: 1 }).ok).toBe(true);
      expect(check({ patternProperties, properties: { name: { type: 'number' } } }, { name: 'x' }).ok).toBe(
        false,
      );
    },
  );

  test('is matched with as many texts as a list may have', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `item-${index}`);
    expect(check({ items: { pattern: '^[a-z]+-[0-9]+$' } }, many).ok).toBe(true);
    expect(check({ items: { pattern: '^[a-z]+-[0-9]+$' } }, [...many, 'item']).ok).toBe(false);
  });
});
