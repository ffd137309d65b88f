import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonSchema } from '../../src/base/json/json.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import type { ToolSpec } from '../../src/contracts/tools/tool-call.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { toolInputs } from '../../src/models/calls/tool-inputs.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { mockProvider, type SeenRequest } from '../support/mock-provider.ts';
import type { WireKind } from '../support/provider-streams.ts';
import { says } from '../support/wire-answers.ts';

const kinds: readonly (readonly [WireKind, (url: string) => Model])[] = [
  ['openai-responses', (url) => openai('gpt-5.5', { apiKey: 'sk-mock', baseURL: `${url}/v1` })],
  [
    'openai-chat',
    (url) =>
      openaiChat('gpt-5.5', {
        apiKey: 'sk-mock',
        baseURL: `${url}/v1`,
        profile: { name: 'ours', strict: true },
      }),
  ],
];

/** The tool of a request, in either form. */
const sentTool = ({ body }: SeenRequest): unknown => {
  const [first] = z.array(z.record(z.string(), z.unknown())).parse(body['tools']);
  return first?.['function'] ?? first;
};

describe.each(kinds)('strict mode over %s', (kind, make) => {
  it('has optional properties of tools and outputs as nullable; the tool, the output and the replay have them as absent', async () => {
    await using provider = await mockProvider(
      says(kind, { calls: [{ name: 'weather', arguments: '{"city":"Aachen","unit":null,"note":null}' }] }),
      says(kind, '{"text":"Sunny.","degrees":null}'),
    );
    const asked: unknown[] = [];
    const store = memoryStore();
    const clerk = agent({
      name: 'clerk',
      model: make(provider.url),
      output: z.object({ text: z.string(), degrees: z.number().optional() }),
      tools: [
        tool({
          name: 'weather',
          description: 'The weather in a city.',
          input: z.object({
            city: z.string(),
            unit: z.enum(['C', 'F']).optional(),
            note: z.string().nullable().optional(),
          }),
          execute: (input) => {
            asked.push(input);
            return 'Sunny.';
          },
        }),
      ],
    });
    const first = await clerk.run('Well?', { store, runId: 'r' });
    expect(asked).toEqual([{ city: 'Aachen', note: null }]);
    expect(first.output).toEqual({ text: 'Sunny.' });
    const [request] = provider.requests;
    expect(request && sentTool(request)).toMatchObject({
      strict: true,
      parameters: {
        required: ['city', 'unit', 'note'],
        properties: { unit: { type: ['string', 'null'], enum: ['C', 'F', null] } },
      },
    });
    expect(JSON.stringify(request?.body)).toMatch(/"required":\["text","degrees"\].*?"strict":true/);
    const again = await replay(clerk, 'r', { store });
    expect(again.events).toEqual(first.events);
    expect(provider.requests).toHaveLength(2);
  });
});

it('is for OpenAI’s own server, and for profiles that say so: another may refuse unions of types', async () => {
  await using provider = await mockProvider(says('openai-chat', '{}'), says('openai-chat', '{}'));
  for (const profile of ['compatible', 'gemini'] as const)
    await agent({
      name: 'clerk',
      model: openaiChat('m', {
        apiKey: 'sk-mock',
        baseURL: `${provider.url}/v1`,
        ...(profile === 'gemini' ? { profile } : {}),
      }),
      output: z.object({ degrees: z.number().optional() }),
    }).run('Well?');
  for (const { body } of provider.requests) {
    expect(JSON.stringify(body)).not.toContain('null');
    expect(body).toMatchObject({ response_format: { json_schema: { strict: false } } });
  }
  const bodies: unknown[] = [];
  const network: typeof fetch = (_, options) => {
    bodies.push(options?.body);
    return Promise.reject(new TypeError('fetch failed'));
  };
  const own = openaiChat('gpt-5.5', { apiKey: 'sk', baseURL: 'https://api.openai.com/v1', fetch: network });
  const asked = agent({
    name: 'clerk',
    model: own,
    output: z.object({ degrees: z.number().optional() }),
    failures: { retry: { attempts: 1 } },
  }).run('Well?');
  await expect(asked).rejects.toMatchObject({ code: 'model.network' });
  expect(String(bodies[0])).toContain('"strict":true');
});

describe('a tool whose schema strict mode is not documented to take', () => {
  const spec = (parameters: JsonSchema): ToolSpec => ({ name: 't', description: '', parameters });

  it.each([
    ['free keys', { type: 'object', additionalProperties: { type: 'number' } }],
    ['values of any kind', { type: 'object', properties: { a: {} } }],
    [
      'a reference to a part of itself',
      { type: 'object', properties: { a: { type: 'string' }, b: { $ref: '#/properties/a' } } },
    ],
    ['a keyword of its own', { type: 'object', properties: { a: { type: 'string', minLength: 2 } } }],
    ['a format of its own', { type: 'object', properties: { a: { type: 'string', format: 'uri' } } }],
    [
      'a pattern that looks ahead',
      { type: 'object', properties: { a: { type: 'string', pattern: '^(?!a)' } } },
    ],
  ])('for %s goes out as it is, and its nulls stay', (_, parameters) => {
    const asked = spec(parameters as JsonSchema);
    const inputs = toolInputs([asked], [], true);
    expect(inputs.isStrict(asked)).toBe(false);
    expect(inputs.schema(asked)).toEqual(toolInputs([asked]).schema(asked));
    expect(inputs.read('t', { a: null })).toEqual({ a: null });
  });

  it('is one of a union of objects, whose nulls are those of the other variant', () => {
    const union = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
    const asked = spec(z.toJSONSchema(union) as JsonSchema);
    const inputs = toolInputs([asked], [], true);
    expect(inputs.isStrict(asked)).toBe(false);
    expect(inputs.read('t', { a: null, b: 'x' })).toEqual({ b: 'x' });
  });
});
