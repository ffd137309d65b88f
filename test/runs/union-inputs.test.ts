import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Json, JsonObject } from '../../src/base/json/json.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { ask, question } from '../support/ask-model.ts';
import { mockProvider } from '../support/mock-provider.ts';
import { modelFor, type WireKind } from '../support/provider-streams.ts';
import { says } from '../support/wire-answers.ts';

const kinds: readonly WireKind[] = ['openai-chat', 'openai-responses', 'anthropic'];

const circle = z.object({ kind: z.literal('circle'), radius: z.number() });
const square = z.object({ kind: z.literal('square'), side: z.number() });

const circleSchema: JsonObject = {
  type: 'object',
  properties: { radius: { type: 'number' } },
  required: ['radius'],
};

interface Shape {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly [keyword: string]: unknown;
}

/** Runs an agent whose model calls a tool with `sent`; gives what the tool got, and the bodies of the requests. */
const called = async (kind: WireKind, input: z.ZodType, sent: Json) => {
  const got: unknown[] = [];
  const draw = tool({
    name: 'draw',
    description: 'Draws.',
    input,
    execute: (given) => {
      got.push(given);
      return 'drawn';
    },
  });
  await using provider = await mockProvider(
    says(kind, { calls: [{ name: 'draw', arguments: JSON.stringify(sent) }] }),
    says(kind, 'Done.'),
  );
  const model = modelFor(kind, provider);
  const result = await agent({ name: 'artist', model, tools: [draw] }).run('Draw.');
  const bodies = provider.requests.map(({ body }) => body);
  return { got, result, bodies, schema: schemaIn(bodies[0] ?? {}) };
};

const schemaIn = (body: Readonly<Record<string, unknown>>): Shape => {
  const [first] = body['tools'] as {
    parameters?: Shape;
    input_schema?: Shape;
    function?: { parameters: Shape };
  }[];
  const found = first?.function?.parameters ?? first?.parameters ?? first?.input_schema;
  if (found === undefined) throw new Error('no schema was sent');
  return found;
};

describe.each(kinds)('%s', (kind) => {
  test('[FIND-22] a union of objects goes out as one object, and what comes back is taken', async () => {
    const input = z.discriminatedUnion('kind', [circle, square]);
    const { got, result, schema } = await called(kind, input, { kind: 'square', side: 2 });
    expect(result).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(got).toEqual([{ kind: 'square', side: 2 }]);
    expect(schema).toMatchObject({
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['circle', 'square'] },
        radius: { type: 'number' },
        side: { type: 'number' },
      },
      required: ['kind'],
    });
    expect(schema).not.toHaveProperty('anyOf');
    expect(schema).not.toHaveProperty('oneOf');
    expect(schema.description).toContain('{kind: "circle", radius} or {kind: "square", side}');
  });

  test('[FIND-22] null for the properties of the other variant is left out, as they stand side by side', async () => {
    const input = z.union([circle.strict(), square.strict()]);
    const { got } = await called(kind, input, { kind: 'circle', radius: 1, side: null });
    expect(got).toEqual([{ kind: 'circle', radius: 1 }]);
  });

  test('[FIND-22] a union with anything but objects is wrapped, and goes back to the model as it wrote it', async () => {
    const input = z.union([z.string(), circle]);
    const { got, schema, bodies } = await called(kind, input, { value: 'a dot' });
    expect(got).toEqual(['a dot']);
    expect(schema).toMatchObject({
      type: 'object',
      properties: { value: { anyOf: [{ type: 'string' }, { type: 'object' }] } },
      required: ['value'],
    });
    // Arguments are text in two of the three forms.
    expect(JSON.stringify(bodies[1]).replaceAll('\\', '')).toContain('{"value":"a dot"}');
  });

  test('[FIND-22] a model that forgets the wrapping is understood', async () => {
    const input = z.union([z.string(), circle]);
    const { got } = await called(kind, input, { kind: 'circle', radius: 1 });
    expect(got).toEqual([{ kind: 'circle', radius: 1 }]);
  });

  test('[FIND-22] a union that holds itself is taken at every depth', async () => {
    interface Tree {
      readonly left?: Tree | undefined;
      readonly leaf?: number | undefined;
    }
    const tree: z.ZodType<Tree> = z.lazy(() =>
      z.union([z.object({ leaf: z.number() }), z.object({ left: tree })]),
    );
    const sent = { left: { left: { leaf: 1 } } };
    const { got, schema } = await called(kind, tree, sent);
    expect(got).toEqual([sent]);
    expect(schema.type).toBe('object');
    expect(schema).not.toHaveProperty('anyOf');
    // Every reference leads somewhere.
    for (const [, path = ''] of JSON.stringify(schema).matchAll(/"\$ref":"#([^"]*)"/g)) {
      let found: unknown = schema;
      for (const part of path.split('/').slice(1)) found = (found as Record<string, unknown>)[part];
      expect(found).toBeDefined();
    }
  });

  test('[FIND-28] a tuple goes out as a list of its length, and comes back as a tuple', async () => {
    const input = z.object({ at: z.tuple([z.string(), z.number()]) });
    const { got, schema } = await called(kind, input, { at: ['a', 1] });
    expect(got).toEqual([{ at: ['a', 1] }]);
    expect(schema.properties?.['at']).toMatchObject({
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      minItems: 2,
      maxItems: 2,
    });
    expect(schema.properties?.['at']).not.toHaveProperty('prefixItems');
  });

  test.each<[schema: JsonObject, sent: JsonObject]>([
    [{}, { type: 'object' }],
    [{ description: 'Anything.' }, { type: 'object', description: 'Anything.' }],
    [{ properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    [
      { type: 'object', properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      { type: 'object', properties: { a: {}, b: {} }, description: 'Give one of: {a, b?} or {a?, b}.' },
    ],
    [
      {
        allOf: [{ $ref: '#/$defs/a' }, { properties: { b: {} }, required: ['b'] }],
        $defs: { a: circleSchema },
      },
      {
        type: 'object',
        properties: { radius: { type: 'number' }, b: {} },
        required: ['radius', 'b'],
        $defs: { a: circleSchema },
      },
    ],
    [
      { type: ['object', 'null'], properties: { self: { $ref: '#' } } },
      {
        type: 'object',
        properties: {
          value: { type: ['object', 'null'], properties: { self: { $ref: '#/properties/value' } } },
        },
        required: ['value'],
        additionalProperties: false,
      },
    ],
  ])('[FIND-22] %j goes out with an object at its root', async (parameters, sent) => {
    await using provider = await mockProvider(says(kind, 'Done.'));
    const tools = [{ name: 'draw', description: 'Draws.', parameters }];
    await ask(modelFor(kind, provider), question({ tools })).answer;
    expect(schemaIn(provider.requests[0]?.body ?? {})).toEqual(sent);
  });

  test('[FIND-22] a plain object goes out as it is, closed where it is strict', async () => {
    const { schema } = await called(kind, circle, { kind: 'circle', radius: 1 });
    const { $schema: _, ...plain } = z.toJSONSchema(circle, { io: 'input' });
    const sent = kind === 'openai-responses' ? { ...plain, additionalProperties: false } : plain;
    expect(JSON.parse(JSON.stringify(schema))).toEqual(JSON.parse(JSON.stringify(sent)));
  });
});
