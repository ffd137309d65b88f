import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../src/base/json/json.ts';
import type { Schema } from '../../src/base/schemas/schema.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { issuesText } from '../../src/base/schemas/schema.ts';
import { checkInput, checkSchema, jsonSchemaOf } from '../../src/tools/schemas/schemas.ts';
import { describeWithFixtures, fixtures } from '../support/fixtures.ts';
import { perform, performNow } from './tool-context.ts';

const sum = z.object({ a: z.number(), b: z.number() });

describe('checking a value', () => {
  test('[M18] is synchronous where the schema is, and takes any Standard Schema', async () => {
    expect(checkSchema(sum, { a: 1, b: 2 })).toEqual({ ok: true, value: { a: 1, b: 2 } });
    const later: Schema<unknown, number> = {
      '~standard': {
        version: 1,
        vendor: 'home-made',
        validate: async (value) =>
          typeof value === 'number'
            ? { value }
            : { issues: [{ message: 'no number', path: ['deep', { key: 0 }] }] },
      },
    };
    expect(checkSchema(later, 1)).toBeInstanceOf(Promise);
    expect(await checkSchema(later, 1)).toEqual({ ok: true, value: 1 });
    expect(await checkSchema(later, 'x')).toEqual({
      ok: false,
      issues: [{ path: 'deep.0', message: 'no number' }],
    });
  });

  test('[DODO-19] names all problems, each with its place', () => {
    expect(checkSchema(z.object({ a: z.number(), list: z.array(z.string()) }), { list: ['x', 1] })).toEqual({
      ok: false,
      issues: [
        { path: 'a', message: 'Invalid input: expected number, received undefined' },
        { path: 'list.1', message: 'Invalid input: expected string, received number' },
      ],
    });
  });

  test('[M18] a check of zod that has to be waited for runs once', async () => {
    let times = 0;
    const looked = z.object({ id: z.string().refine(async (id) => ((times += 1), id === 'x')) });
    expect(await checkSchema(looked, { id: 'x' })).toEqual({ ok: true, value: { id: 'x' } });
    expect(await checkSchema(looked, { id: 'y' })).toEqual({
      ok: false,
      issues: [{ path: 'id', message: 'Invalid input' }],
    });
    expect(times).toBe(2);
  });

  test('[M18] what zod says is what its own Standard Schema says', async () => {
    const schemas: readonly z.ZodType[] = [
      sum,
      z.email('no mail'),
      z.union([sum, z.string()]),
      z.strictObject({}),
      z.coerce.number(),
    ];
    for (const schema of schemas)
      for (const value of [{ a: 1, b: 2 }, { a: 'x' }, 'x', '7', null, [], {}]) {
        const said = await schema['~standard'].validate(value);
        const checked = await checkSchema(schema, value);
        expect(checked.ok ? { value: checked.value } : checked.issues.map(({ message }) => message)).toEqual(
          said.issues?.map(({ message }) => message) ?? said,
        );
      }
  });

  test('[M18] passes on what a broken schema throws', async () => {
    const broken = z.string().refine(() => {
      throw new Error('broken rule');
    });
    await expect(async () => checkSchema(broken, 'x')).rejects.toThrow('broken rule');
  });
});

describe('problems as a text', () => {
  test('[DODO-19] fit into one message', () => {
    expect(
      issuesText([
        { path: 'a', message: 'no number' },
        { path: '', message: 'bad' },
      ]),
    ).toBe('a: no number; bad');
    expect(issuesText([])).not.toBe('');
  });

  test('[F16] are counted past the twentieth, and cut where they are long', () => {
    const many = checkSchema(
      z.array(z.string()),
      Array.from({ length: 200_000 }, (_, index) => index),
    );
    if (many instanceof Promise || many.ok) throw new Error('it must not fit');
    expect(issuesText(many.issues)).toMatch(/; and 199980 more$/);
    const long = checkSchema(z.strictObject({}), { ['x'.repeat(100_000)]: 1 });
    if (long instanceof Promise || long.ok) throw new Error('it must not fit');
    expect(issuesText(long.issues).length).toBeLessThan(400);
  });
});

describe('arguments from models', () => {
  test('[F16] a string that is JSON of the right shape is taken for what it holds', () => {
    expect(checkInput(sum, '{"a":1,"b":2}')).toEqual({ ok: true, value: { a: 1, b: 2 } });
  });

  test('[F16] only once: JSON in JSON in JSON is refused', () => {
    expect(checkInput(sum, JSON.stringify('{"a":1,"b":2}'))).toMatchObject({ ok: false });
  });

  test('[F16] a string stays one where the schema wants a string', () => {
    expect(checkInput(z.string(), '{"a":1}')).toEqual({ ok: true, value: '{"a":1}' });
  });

  test('[DODO-19] problems inside a string of JSON are named', () => {
    expect(checkInput(sum, '{"a":1}')).toMatchObject({ issues: [{ path: 'b' }] });
  });

  test('[F16] the same holds for an asynchronous schema', async () => {
    const later = sum.refine(async () => true);
    expect(await checkInput(later, '{"a":1,"b":2}')).toMatchObject({ ok: true });
    expect(await checkInput(later, '[]')).toMatchObject({ ok: false });
  });

  const deep = (depth: number): Json => {
    let value: Json = 1;
    for (let level = 0; level < depth; level += 1) value = { a: value };
    return value;
  };
  const nested: z.ZodType = z.lazy(() => z.union([z.number(), z.object({ a: nested })]));
  const add = tool({ name: 'add', description: 'Adds.', input: sum, execute: ({ a, b }) => a + b });
  const tree = tool({ name: 'tree', description: 'Tree.', input: z.object({ a: nested }), execute: () => 1 });
  const any = tool({ name: 'any', description: 'Any.', dynamicSchema: true, execute: (input) => input });
  const loose = tool({
    name: 'loose',
    description: 'Loose.',
    input: z.record(z.string(), z.unknown()),
    execute: (input) => input,
  });

  test.each<[string, Json]>([
    ['an empty string', ''],
    ['null', null],
    ['an empty list', []],
    ['a number', 5],
    ['an empty object', {}],
    ['a string for a number', { a: '5', b: 1 }],
    ['a number that was none', { a: 'NaN', b: 1 }],
    ['broken JSON', '{"a":1,'],
    ['a megabyte of text', 'x'.repeat(1_000_000)],
    ['a megabyte of JSON', JSON.stringify({ a: 'x'.repeat(1_000_000) })],
    ['a depth of 10,000', deep(10_000)],
    ['text of a depth of 100,000', '['.repeat(100_000)],
    ['a prototype', JSON.parse('{"__proto__":{"polluted":1}}') as Json],
  ])('[F16] %s is a validation failure that the model can read, and the tool does not run', (_, input) => {
    const result = performNow(add, input);
    expect(result).toMatchObject({
      ok: false,
      kind: 'validation',
      error: { code: 'tool.input-invalid', tool: 'add' },
    });
    expect(result.text.length).toBeLessThan(10_000);
    expect(result.text).toContain("Cannot call 'add' as its input does not fit: ");
  });

  test('[F16] values of a depth of 10,000 crash neither a recursive schema nor a tool that takes anything', async () => {
    expect(await perform(tree, deep(10_000))).toMatchObject({ ok: false, kind: 'validation' });
    expect(await perform(any, deep(10_000))).toMatchObject({ ok: true });
    expect(await perform(loose, deep(10_000))).toMatchObject({ ok: true });
  });

  test.each(['__proto__', 'constructor', 'prototype'])('[F16] a key %s pollutes nothing', (key) => {
    const input = JSON.parse(`{"${key}":{"polluted":1},"x":{"${key}":{"polluted":1}}}`) as Json;
    for (const each of [add, any, loose, tree]) {
      const result = performNow(each, input);
      expect(Reflect.get({}, 'polluted')).toBeUndefined();
      expect(JSON.stringify(result.ok ? result.value : null)).not.toContain('polluted');
    }
  });

  describeWithFixtures('of the JSON test suite', 'json/json-test-suite.json', () => {
    const suite = z
      .array(z.object({ name: z.string(), expect: z.enum(['accept', 'reject', 'either']), b64: z.string() }))
      .parse(JSON.parse(readFileSync(fixtures('json/json-test-suite.json'), 'utf8')));

    test.each(suite)('[F16] $name is $expect, never a crash', async ({ expect: verdict, b64 }) => {
      const text = Buffer.from(b64, 'base64').toString('utf8');
      for (const each of [add, any, loose, tree]) {
        const result = await perform(each, text);
        expect(result.text).not.toBe('');
        // What is no JSON fits no object.
        const isRefused = verdict === 'reject' && each !== any;
        expect(result.ok && isRefused).toBe(false);
      }
    });
  });
});

describe('the JSON Schema of a schema', () => {
  test('[TENEX-43] is that of its input side, without $schema, computed once', () => {
    const schema = z.object({ a: z.string().transform(Number), b: z.number().optional() });
    expect(jsonSchemaOf(schema)).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      required: ['a'],
    });
    expect(jsonSchemaOf(schema)).toBe(jsonSchemaOf(schema));
  });

  test('[TENEX-43] comes from any library that gives one', () => {
    const schema = {
      '~standard': {
        version: 1 as const,
        vendor: 'other',
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: ({ target }: { target: string }) => ({ type: 'object', target }) },
      },
    };
    expect(jsonSchemaOf(schema)).toEqual({ type: 'object', target: 'draft-2020-12' });
  });

  test('[TENEX-43] says so where there is none', () => {
    const validate = (value: unknown) => ({ value });
    expect(() => jsonSchemaOf({ '~standard': { version: 1, vendor: 'plain', validate } })).toThrow(
      'Cannot describe a schema of plain to a model as it has no JSON Schema: plain gives none',
    );
  });
});
