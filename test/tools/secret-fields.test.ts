import { expect, test } from 'vitest';
import { z } from 'zod';
import { jsonSchemaOf } from '../../src/tools/schemas/schemas.ts';
import { secretFieldsIn, secretFieldsOf } from '../../src/tools/schemas/secret-fields.ts';

const secret = () => z.string().meta({ writeOnly: true });

const all = z.object({
  plain: z.string(),
  token: secret().min(3),
  maybe: secret().optional(),
  none: secret().nullable(),
  length: z
    .string()
    .transform((text) => text.length)
    .meta({ format: 'password' }),
  codes: z.array(secret()),
  byName: z.record(z.string(), secret()),
  named: z.string().meta({ id: 'SecretFieldsPassword', writeOnly: true }),
  pin: z.number().meta({ writeOnly: true }),
  login: z.object({ user: z.string(), pair: z.tuple([z.string(), secret()]) }),
  way: z.union([
    z.object({ kind: z.literal('card'), value: secret() }),
    z.object({ kind: z.literal('cash'), value: z.string() }),
  ]),
});

const value = {
  plain: 'plain-1',
  token: ' token-1 ',
  maybe: 'maybe-1',
  none: 'none-1',
  length: 'length-1',
  codes: ['code-1', 'code-2'],
  byName: { a: 'a-1' },
  named: 'named-1',
  pin: 4711,
  login: { user: 'user-1', pair: ['pair-1', 'pair-2'] },
  way: { kind: 'card', value: 'way-1' },
};

test('[FIND-52] fields that a schema marks are found wherever they stand, by the names that people read', () => {
  const found = secretFieldsIn(all)?.find(value) ?? [];
  expect(found.map(({ name, value: text }) => `${name} ${text}`)).toEqual([
    'token token-1',
    'maybe maybe-1',
    'none none-1',
    'length length-1',
    'codes code-1',
    'codes code-2',
    'byName.a a-1',
    'named named-1',
    'pin 4711',
    'login.pair pair-2',
    'way.value way-1',
  ]);
  const cash = secretFieldsIn(all)?.find({ ...value, way: { kind: 'cash', value: 'way-2' } }) ?? [];
  expect(cash.map(({ value: text }) => text)).not.toContain('way-2');
});

test('[FIND-52] arguments that are JSON within a text are looked into', () => {
  const found = secretFieldsIn(all)?.find(JSON.stringify(value)) ?? [];
  expect(found.map(({ value: text }) => text)).toContain('token-1');
});

test('[FIND-52] a schema that refers to itself is followed as far as the value goes', () => {
  const schema = {
    type: 'object',
    properties: { key: { type: 'string', format: 'password' }, next: { $ref: '#' } },
  };
  const fields = secretFieldsOf(schema);
  expect(fields?.find({ key: 'k-1', next: { key: 'k-2', next: {} } }).map(({ name }) => name)).toEqual([
    'key',
    'next.key',
  ]);
  expect(fields?.names).toContain('key');
});

test('[FIND-52] all within a marked field is secret', () => {
  const fields = secretFieldsOf({ properties: { login: { type: 'object', writeOnly: true } } });
  const found = fields?.find({ login: { user: 'ada', keys: ['k-1', 42], is: true } }) ?? [];
  expect(found.map(({ name, value: text }) => `${name} ${text}`)).toEqual([
    'login.user ada',
    'login.keys k-1',
    'login.keys 42',
  ]);
});

test('a schema without marks has no secret fields, also where a property is called like a mark', () => {
  expect(secretFieldsIn(z.object({ writeOnly: z.boolean(), format: z.literal('password') }))).toBeUndefined();
  expect(secretFieldsOf({ default: { writeOnly: true }, enum: [{ format: 'password' }] })).toBeUndefined();
  expect(secretFieldsOf(jsonSchemaOf(z.object({ a: z.string() })))).toBeUndefined();
});
