import OpenAI, {
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, createGlobalEngine, tool } from '../../src/index.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { as, auth, modelSaying, served, tenantEngine } from '../runtime/serve/serve-kit.ts';

// The genuine client: `openai` 6.49.

const weather = tool({
  name: 'weather',
  description: 'Tells the weather.',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `It rains in ${city}.`,
});

/** A clerk whose answer streams word by word. */
const clerk = agent({
  name: 'clerk',
  tools: [weather],
  model: modelSaying([calls({ name: 'weather', input: { city: 'Bonn' } }), 'Take an umbrella with you.']),
});

const clientOf = (url: string, apiKey = 'none') => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });

const user = (content: string) => ({ role: 'user' as const, content });

describe('Chat Completions by the genuine client', () => {
  test('models are listed, an answer is complete, its usage is that of the run', async () => {
    await using server = await served({ agents: { clerk }, openai: true });
    const openai = clientOf(server.url);
    const ids: string[] = [];
    for await (const { id } of openai.models.list()) ids.push(id);
    expect(ids).toEqual(['clerk']);
    expect((await openai.models.retrieve('clerk')).owned_by).toBe('troupe');
    const completion = await openai.chat.completions.create({ model: 'clerk', messages: [user('Bonn?')] });
    expect(completion.choices[0]?.message.content).toBe('Take an umbrella with you.');
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(completion.choices[0]?.message.tool_calls).toBeUndefined();
    expect(completion.usage?.total_tokens).toBeGreaterThan(0);
  });

  test('a stream accumulates to the same', async () => {
    await using server = await served({ agents: { clerk }, openai: true });
    const openai = clientOf(server.url);
    const stream = openai.chat.completions.stream({
      model: 'clerk',
      messages: [user('Bonn?')],
      stream_options: { include_usage: true },
    });
    expect((await stream.finalMessage()).content).toBe('Take an umbrella with you.');
    expect((await stream.finalChatCompletion()).usage?.total_tokens).toBeGreaterThan(0);
  });

  test('runTools runs the tools of the client for the same run', async () => {
    const painter = agent({
      name: 'painter',
      model: modelSaying([calls({ name: 'pick', input: { of: 'car' } }), 'Red it is.']),
    });
    await using server = await served({ agents: { painter }, openai: true });
    const openai = clientOf(server.url);
    const picked: string[] = [];
    const runner = openai.chat.completions.runTools({
      model: 'painter',
      messages: [user('Paint my car.')],
      tools: [
        {
          type: 'function',
          function: {
            name: 'pick',
            description: 'Picks a colour.',
            parameters: { type: 'object', properties: { of: { type: 'string' } } },
            parse: (text: string): { of: string } => JSON.parse(text),
            function: ({ of }: { of: string }) => {
              picked.push(of);
              return 'red';
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('Red it is.');
    expect(picked).toEqual(['car']);
    expect(server.service.agents).toBeDefined();
  });
});

describe('Responses by the genuine client', () => {
  test('a response, its stream, and what comes after it', async () => {
    await using server = await served({ agents: { clerk }, openai: true, store: memoryStore() });
    const openai = clientOf(server.url);
    const first = await openai.responses.create({ model: 'clerk', input: 'Bonn?', metadata: { a: 'b' } });
    expect([first.output_text, first.status]).toEqual(['Take an umbrella with you.', 'completed']);
    const again = await openai.responses.retrieve(first.id);
    expect(again).toMatchObject({ id: first.id, metadata: { a: 'b' }, output: first.output });
    const stream = openai.responses.stream({ model: 'clerk', input: 'Bonn?' });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types).toMatchInlineSnapshot(`
      [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
      ]
    `);
    expect((await stream.finalResponse()).output_text).toBe('Take an umbrella with you.');
  });
});
