import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent } from '../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';

const made = (input: z.ZodType) => () =>
  tool({ name: 'book', description: 'Books.', input, execute: () => 'booked' });

describe('[FIND-17] what no model can send is said when the tool is made', () => {
  test.each<[string, z.ZodType, RegExp]>([
    [
      'a date',
      z.object({ when: z.date() }),
      /a date at when, .*use z\.iso\.datetime\(\) or z\.coerce\.date\(\)/,
    ],
    [
      'a date deep down',
      z.object({ legs: z.array(z.object({ at: z.date().optional() })) }),
      /a date at legs\.at/,
    ],
    ['a bigint', z.object({ n: z.bigint() }), /a bigint at n/],
    [
      'a map and a set',
      z.object({ m: z.map(z.string(), z.string()), s: z.set(z.string()) }),
      /a map at m.*a set at s/,
    ],
    [
      'a union of nothing that can be sent',
      z.object({ w: z.union([z.date(), z.bigint()]) }),
      /a date at w.*a bigint at w/,
    ],
    ['a text', z.string(), /not an object: string; wrap it/],
    ['a list', z.array(z.string()), /not an object: array/],
  ])('%s', (_, input, message) => {
    expect(made(input)).toThrow(message);
    expect(made(input)).toThrow(expect.objectContaining({ code: 'tool.invalid' }));
  });

  test.each<[string, z.ZodType]>([
    ['a date made of text', z.object({ when: z.coerce.date() })],
    ['a date or its text', z.object({ when: z.union([z.iso.datetime(), z.date()]) })],
    [
      'what a transform makes of text',
      z.object({ when: z.iso.datetime().transform((text) => new Date(text)) }),
    ],
    ['a union of objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    [
      'a thing that holds itself',
      z.object({
        get parts() {
          return z.array(tree);
        },
      }),
    ],
  ])('not of %s', (_, input) => {
    expect(made(input)).not.toThrow();
  });
});

const tree: z.ZodType = z.object({
  name: z.string(),
  get parts() {
    return z.array(tree);
  },
});

describe('what nothing in JSON can fit is said when the agent is made', () => {
  test.each(['input', 'output'] as const)('as its %s', (what) => {
    const make = (schema: z.ZodType) => () =>
      agent({ name: 'clerk', model: scriptedModel([]), [what]: schema });
    expect(make(z.object({ days: z.array(z.date()) }))).toThrow(
      `Cannot define the agent 'clerk' as its ${what} has a date at days, which JSON cannot express: use z.iso.datetime() or z.coerce.date()`,
    );
    expect(make(z.map(z.string(), z.string()))).toThrow(expect.objectContaining({ code: 'agent.invalid' }));
    expect(make(z.object({ day: z.coerce.date() }))).not.toThrow();
    expect(
      make(
        z.codec(z.iso.datetime(), z.date(), {
          decode: (text) => new Date(text),
          encode: (date) => date.toISOString(),
        }),
      ),
    ).not.toThrow();
  });
});
