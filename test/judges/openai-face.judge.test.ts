import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs, streamText, tool as aiTool } from 'ai';
import OpenAI, {
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, tool } from '../../src/index.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { slowModel } from '../runtime/serve/openai/openai-kit.ts';
import {
  auth,
  clerkSaying,
  modelSaying,
  refunding,
  served,
  tenantEngine,
} from '../runtime/serve/serve-kit.ts';

Reflect.set(globalThis, 'AI_SDK_LOG_WARNINGS', false);

// The genuine client: `openai` 6.49, and `@ai-sdk/openai` 3.

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

const clientOf = (url: string, apiKey = 'none') =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });

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
    let text = '';
    for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta;
    const last = await stream.finalResponse();
    expect([text, last.output_text]).toEqual(['Take an umbrella with you.', 'Take an umbrella with you.']);
    const replayed = openai.responses.stream({ response_id: last.id });
    expect((await replayed.finalResponse()).output).toEqual(last.output);
    await openai.responses.delete(last.id);
    await expect(openai.responses.retrieve(last.id)).rejects.toThrow(NotFoundError);
  });

  test('previous_response_id continues the conversation', async () => {
    const model = scriptedModel(['Hello Ada.', 'You are Ada.']);
    await using server = await served({ agents: { friend: agent({ name: 'friend', model }) }, openai: true });
    const openai = clientOf(server.url);
    const first = await openai.responses.create({ model: 'friend', input: 'I am Ada.' });
    const second = await openai.responses.create({
      model: 'friend',
      input: 'Who am I?',
      previous_response_id: first.id,
    });
    expect(second.output_text).toBe('You are Ada.');
    expect(model.requests[1]?.messages.map(({ text }) => text)).toEqual([
      'I am Ada.',
      'Hello Ada.',
      'Who am I?',
    ]);
  });

  test('in the background: created, retrieved until it is over, and cancelled', async () => {
    const slow = slowModel();
    await using server = await served({
      agents: { clerk, slow: agent({ name: 'slow', model: slow }) },
      openai: true,
    });
    const openai = clientOf(server.url);
    let response = await openai.responses.create({ model: 'clerk', input: 'Bonn?', background: true });
    while (response.status === 'queued' || response.status === 'in_progress')
      response = await openai.responses.retrieve(response.id);
    expect(response.output_text).toBe('Take an umbrella with you.');
    const begun = await openai.responses.create({ model: 'slow', input: 'Speak.', background: true });
    await slow.asked;
    expect((await openai.responses.cancel(begun.id)).status).toBe('cancelled');
    await expect(openai.responses.cancel(begun.id)).resolves.toMatchObject({ status: 'cancelled' });
  });

  test('functions of the client, and approvals', async () => {
    const painter = agent({
      name: 'painter',
      model: modelSaying([calls({ name: 'pick', input: { of: 'car' } }), 'Red it is.']),
    });
    const refunder = clerkSaying(refunding, 'refunder');
    await using server = await served({ agents: { painter, refunder }, openai: true });
    const openai = clientOf(server.url);
    const asked = await openai.responses.create({
      model: 'painter',
      input: 'Paint my car.',
      tools: [{ type: 'function', name: 'pick', parameters: { type: 'object' }, strict: false }],
    });
    const [call] = asked.output;
    if (call?.type !== 'function_call') throw new Error(`no call: ${JSON.stringify(asked.output)}`);
    expect([call.name, call.arguments]).toEqual(['pick', '{"of":"car"}']);
    const painted = await openai.responses.create({
      model: 'painter',
      previous_response_id: asked.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'red' }],
    });
    expect(painted.output_text).toBe('Red it is.');
    const waiting = await openai.responses.create({ model: 'refunder', input: 'It is broken.' });
    const [request] = waiting.output;
    if (request?.type !== 'mcp_approval_request') throw new Error('no request');
    const done = await openai.responses.create({
      model: 'refunder',
      previous_response_id: waiting.id,
      input: [{ type: 'mcp_approval_response', approval_request_id: request.id, approve: true }],
    });
    expect(done.output_text).toBe('Your money is on its way.');
  });

  test('a structured output is parsed', async () => {
    const dated = agent({
      name: 'dated',
      output: z.object({ day: z.string() }),
      model: modelSaying(['{"day":"Monday"}']),
    });
    await using server = await served({ agents: { dated }, openai: true });
    const openai = clientOf(server.url);
    const completion = await openai.chat.completions.parse({
      model: 'dated',
      messages: [user('When?')],
      response_format: zodResponseFormat(z.object({ day: z.string() }), 'day'),
    });
    expect(completion.choices[0]?.message.parsed).toEqual({ day: 'Monday' });
    const response = await openai.responses.parse({
      model: 'dated',
      input: 'When?',
      text: { format: zodTextFormat(z.object({ day: z.string() }), 'day') },
    });
    expect(response.output_parsed).toEqual({ day: 'Monday' });
  });
});

test('errors are those of the client, by their class', async () => {
  const slow = slowModel();
  const failing = agent({ name: 'failing', model: modelSaying([new Error('no key')]) });
  await using server = await served(
    {
      agents: {
        clerk,
        failing,
        refunder: clerkSaying(refunding, 'refunder'),
        slow: agent({ name: 'slow', model: slow }),
      },
      openai: true,
      auth: (request) => {
        const found = auth(request);
        return found?.who === 'eve' ? { ...found, may: ['watch'] } : found;
      },
      limits: { perMinute: 12 },
    },
    tenantEngine(),
  );
  const openai = clientOf(server.url, 'acme:ada');
  const chat = (model: string, rest: object = {}) =>
    openai.chat.completions.create({ model, messages: [user('Hi')], ...rest });
  await expect(clientOf(server.url).models.list()).rejects.toThrow(AuthenticationError);
  await expect(
    clientOf(server.url, 'acme:eve').chat.completions.create({ model: 'clerk', messages: [user('Hi')] }),
  ).rejects.toThrow(PermissionDeniedError);
  await expect(chat('gpt-5')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  await expect(chat('gpt-5')).rejects.toThrow(NotFoundError);
  const several: unknown = await chat('clerk', { n: 2 }).catch((thrown: unknown) => thrown);
  expect(several).toBeInstanceOf(BadRequestError);
  expect(several).toMatchObject({ param: 'n', code: 'unsupported_parameter', type: 'invalid_request_error' });
  // No run is repeated by a client that tries again.
  const eager = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'acme:ada', maxRetries: 2 });
  const before = server.asked();
  await expect(eager.chat.completions.create({ model: 'failing', messages: [user('Hi')] })).rejects.toThrow(
    InternalServerError,
  );
  await expect(eager.chat.completions.create({ model: 'refunder', messages: [user('Hi')] })).rejects.toThrow(
    ConflictError,
  );
  expect(server.asked() - before).toBe(2);
  const stream = openai.chat.completions.stream({ model: 'failing', messages: [user('Hi')] });
  await expect(stream.finalMessage()).rejects.toThrow(APIError);
  // Of another tenant there is nothing.
  const own = await openai.responses.create({ model: 'clerk', input: 'Bonn?' });
  await expect(clientOf(server.url, 'other:bob').responses.retrieve(own.id)).rejects.toThrow(NotFoundError);
  const left = new AbortController();
  const leaving = openai.chat.completions.create(
    { model: 'slow', messages: [user('Hi')] },
    { signal: left.signal },
  );
  await slow.asked;
  left.abort();
  await expect(leaving).rejects.toThrow(APIUserAbortError);
  const limited: unknown = await (async () => {
    for (;;) await openai.models.list();
  })().catch((thrown: unknown) => thrown);
  expect(limited).toBeInstanceOf(RateLimitError);
});

describe('the AI SDK with its provider for OpenAI', () => {
  const aiTools = {
    pick: aiTool({
      description: 'Picks a colour.',
      inputSchema: z.object({ of: z.string() }),
      execute: ({ of }) => `red, for the ${of}`,
    }),
  };

  test.each(['responses', 'chat'] as const)(
    '%s: a text, its stream, a tool of the app, and the next turn',
    async (api) => {
      const model = scriptedModel([
        { ...calls({ name: 'pick', input: { of: 'car' } }), text: 'Which one?' },
        'Red it is.',
        'You are welcome.',
      ]);
      await using server = await served({
        agents: { painter: agent({ name: 'painter', model }) },
        openai: true,
      });
      const provider = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none' });
      const painter = api === 'chat' ? provider.chat('painter') : provider.responses('painter');
      const first = await generateText({
        model: painter,
        prompt: 'Paint my car.',
        tools: aiTools,
        stopWhen: stepCountIs(5),
      });
      expect(first.text).toBe('Red it is.');
      expect(first.steps[0]?.toolResults).toMatchObject([{ output: 'red, for the car' }]);
      const second = streamText({
        model: painter,
        messages: [
          { role: 'user', content: 'Paint my car.' },
          ...first.response.messages,
          { role: 'user', content: 'Thanks.' },
        ],
        tools: aiTools,
      });
      expect(await second.text).toBe('You are welcome.');
      const shown = model.requests[2]?.messages.map(({ role, text }) => [role, text]);
      expect(shown).toEqual([
        ['user', 'Paint my car.'],
        ['assistant', 'Which one?'],
        ['tool', 'red, for the car'],
        ['assistant', 'Red it is.'],
        ['user', 'Thanks.'],
      ]);
    },
  );
});
