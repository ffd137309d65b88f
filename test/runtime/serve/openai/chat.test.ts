import { expect, test } from 'vitest';
import OpenAI from 'openai';
import { z } from 'zod';
import { agent } from '../../../../src/runtime/define/agent.ts';
import type { Critic } from '../../../../src/contracts/agents/critic.ts';
import { maxSteps } from '../../../../src/machines/stopping/stop-rules.ts';
import { pipeline } from '../../../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../../../src/testing/scripted-model.ts';
import { tool } from '../../../../src/tools/define/define-tool.ts';
import { modelSaying, served } from '../serve-kit.ts';
import { ask, eventsIn, refused, said, textOfChunks } from './openai-kit.ts';

const look = tool({
  name: 'look',
  description: 'Looks it up.',
  input: z.object({ order: z.number() }),
  execute: ({ order }) => `Order ${order} comes tomorrow.`,
});

/** An agent that says something on the way to its answer. */
const clerkModel = () =>
  scriptedModel([
    { ...calls({ name: 'look', input: { order: 17 } }), text: 'Let me see.' },
    'It comes tomorrow.',
  ]);
const clerkWith = (model = clerkModel()) => agent({ name: 'clerk', tools: [look], model });

const user = (content: unknown) => ({ role: 'user', content });
const chat = { model: 'clerk', messages: [user('Where is order 17?')] };

test('a completion has the answer alone, and the usage of the whole run', async () => {
  await using server = await served({ agents: { clerk: clerkWith() }, openai: true });
  const completion = await said(server.url, 'chat/completions', chat);
  const number: unknown = expect.any(Number);
  expect(completion).toEqual({
    id: expect.stringMatching(/^chatcmpl-run-/),
    object: 'chat.completion',
    created: number,
    model: 'clerk',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'It comes tomorrow.', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: {
      prompt_tokens: number,
      completion_tokens: number,
      total_tokens: number,
      prompt_tokens_details: { cached_tokens: 0 },
    },
  });
});

test('a stream has what was said on the way, too, divided by a blank line, and no call of the agent', async () => {
  await using server = await served({ agents: { clerk: clerkWith() }, openai: true });
  const response = await ask(server.url, 'chat/completions', {
    ...chat,
    stream: true,
    stream_options: { include_usage: true },
  });
  const text = await response.text();
  expect(response.headers.get('content-type')).toMatch('text/event-stream');
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(text).not.toMatch('look');
  const chunks = eventsIn(text);
  expect(textOfChunks(chunks)).toBe('Let me see.\n\nIt comes tomorrow.');
  expect(chunks.map(({ choices }) => (choices as unknown[])[0])).toEqual([
    {
      index: 0,
      delta: { role: 'assistant', content: '', refusal: null },
      logprobs: null,
      finish_reason: null,
    },
    { index: 0, delta: { content: 'Let me see.' }, logprobs: null, finish_reason: null },
    { index: 0, delta: { content: '\n\nIt comes tomorrow.' }, logprobs: null, finish_reason: null },
    { index: 0, delta: {}, logprobs: null, finish_reason: 'stop' },
    undefined,
  ]);
  expect(chunks.map(({ usage }) => usage === null)).toEqual([true, true, true, true, false]);
});

test('the conversation is the history of the run, and instructions of the client are a message of the client', async () => {
  const model = scriptedModel(['Since 1969.']);
  const clerk = agent({ name: 'clerk', instructions: 'Be short.', model });
  await using server = await served({ agents: { clerk }, openai: true });
  const called = { id: 'x', type: 'function', function: { name: 'look', arguments: '{"order":17}' } };
  await said(server.url, 'chat/completions', {
    model: 'clerk',
    messages: [
      { role: 'system', content: 'Speak French.' },
      user('Where is it?'),
      { role: 'assistant', content: null, tool_calls: [called, { ...called, id: 'y' }] },
      { role: 'tool', tool_call_id: 'x', content: 'At sea.' },
      { role: 'assistant', content: [{ type: 'text', text: 'At sea.' }] },
      user([{ type: 'text', text: 'Since when?' }]),
    ],
  });
  const [request] = model.requests;
  expect(request?.instructions).not.toMatch('French');
  expect(request?.messages).toEqual([
    { role: 'user', from: 'client', text: 'Speak French.' },
    { role: 'user', text: 'Where is it?' },
    { role: 'assistant', text: '', calls: [{ id: 'told_1', name: 'look', input: { order: 17 } }] },
    { role: 'tool', callId: 'told_1', tool: 'look', text: 'At sea.' },
    { role: 'assistant', text: 'At sea.' },
    { role: 'user', text: 'Since when?' },
  ]);
});

test('images and files come to the model as parts', async () => {
  const model = scriptedModel(['A pixel.']);
  await using server = await served({ agents: { clerk: agent({ name: 'clerk', model }) }, openai: true });
  const PIXEL =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await said(server.url, 'chat/completions', {
    model: 'clerk',
    messages: [
      user([
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
        { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
        {
          type: 'file',
          file: { file_data: `data:application/pdf;base64,${btoa('%PDF-1.4')}`, filename: 'a.pdf' },
        },
      ]),
    ],
  });
  expect(model.requests[0]?.messages.at(-1)).toMatchObject({
    parts: [
      { type: 'text', text: 'What is it?' },
      { type: 'image', mediaType: 'image/png', width: 1 },
      { type: 'image', url: 'https://example.com/cat.png' },
      { type: 'file', mediaType: 'application/pdf', name: 'a.pdf' },
    ],
  });
});

test('an agent with a schema answers JSON, whole, and has to fit the schema of the client, too', async () => {
  const model = () => modelSaying(['{"day":"Monday"}']);
  const clerk = agent({ name: 'clerk', output: z.object({ day: z.string() }), model: model() });
  await using server = await served({ agents: { clerk }, openai: true });
  const wants = (schema: object) => ({
    ...chat,
    response_format: { type: 'json_schema', json_schema: { name: 'day', schema } },
  });
  const fits = { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] };
  const misfits = { type: 'object', properties: { day: { type: 'number' } }, required: ['day'] };
  const completion = await said(server.url, 'chat/completions', wants(fits));
  expect(completion).toMatchObject({ choices: [{ message: { content: '{"day":"Monday"}' } }] });
  const streamed = await ask(server.url, 'chat/completions', { ...wants(fits), stream: true });
  expect(textOfChunks(eventsIn(await streamed.text()))).toBe('{"day":"Monday"}');
  const response = await ask(server.url, 'chat/completions', wants(misfits));
  expect(response.headers.get('x-should-retry')).toBe('false');
  expect(await refused(response)).toEqual([500, 'output.invalid', null]);
});

test('what a critic may refuse is not shown before it accepts', async () => {
  const strict: Critic = {
    name: 'strict',
    critique: ({ candidate }) =>
      candidate === 'Good.' ? { verdict: 'accept' } : { verdict: 'revise', note: 'Say good.' },
  };
  const clerk = agent({ name: 'clerk', critics: [strict], model: scriptedModel(['Bad.', 'Good.']) });
  const stubborn = agent({
    name: 'stubborn',
    critics: [strict],
    model: scriptedModel(['Bad.', 'Bad.', 'Bad.', 'Bad.', 'Bad.']),
  });
  await using server = await served({ agents: { clerk, stubborn }, openai: true });
  const response = await ask(server.url, 'chat/completions', { ...chat, stream: true });
  expect(textOfChunks(eventsIn(await response.text()))).toBe('Good.');
  const withheld = await said(server.url, 'chat/completions', { ...chat, model: 'stubborn' });
  expect(withheld).toMatchObject({
    choices: [{ message: { content: '' }, finish_reason: 'content_filter' }],
  });
});

test('a limit ends an answer by length, and a failed run is an error that is not tried again', async () => {
  const limited = agent({
    name: 'limited',
    tools: [look],
    stop: maxSteps(1),
    model: modelSaying([{ ...calls({ name: 'look', input: { order: 17 } }), text: 'Let me see.' }]),
  });
  const failing = agent({ name: 'failing', model: modelSaying([new Error('no such key')]) });
  await using server = await served({ agents: { limited, failing }, openai: true });
  const completion = await said(server.url, 'chat/completions', { ...chat, model: 'limited' });
  expect(completion).toMatchObject({
    choices: [{ message: { content: 'Let me see.' }, finish_reason: 'length' }],
  });
  const response = await ask(server.url, 'chat/completions', { ...chat, model: 'failing' });
  expect(response.headers.get('x-should-retry')).toBe('false');
  expect((await refused(response))[0]).toBe(500);
  const streamed = await ask(server.url, 'chat/completions', { ...chat, model: 'failing', stream: true });
  const text = await streamed.text();
  expect(eventsIn(text).at(-1)).toMatchObject({ error: { type: 'server_error', param: null } });
  expect(text).not.toMatch('[DONE]');
});

test('a model that refuses has refused', async () => {
  const shy = agent({ name: 'shy', model: modelSaying([{ finish: 'refusal', refusal: 'I may not.' }]) });
  await using server = await served({ agents: { shy }, openai: true });
  const asked = { ...chat, model: 'shy' };
  const completion = await said(server.url, 'chat/completions', asked);
  expect(completion).toMatchObject({
    choices: [{ message: { content: null, refusal: 'I may not.' }, finish_reason: 'stop' }],
  });
  const streamed = await ask(server.url, 'chat/completions', { ...asked, stream: true });
  expect(await streamed.text()).toMatch('"delta":{"refusal":"I may not."}');
  const response = await said(server.url, 'responses', { model: 'shy', input: 'Hi' });
  expect(response).toMatchObject({
    status: 'completed',
    output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'I may not.' }] }],
  });
});

test('a team is a model, too: its answer comes whole', async () => {
  const writer = agent({ name: 'writer', model: scriptedModel(['Draft.']) });
  const editor = agent({ name: 'editor', model: scriptedModel(['Final.']) });
  const press = pipeline({ name: 'press', stages: [writer, editor] });
  await using server = await served({ agents: { press }, openai: true });
  const response = await ask(server.url, 'chat/completions', { ...chat, model: 'press', stream: true });
  expect(textOfChunks(eventsIn(await response.text()))).toBe('Final.');
});

test('an input with a schema is read from the JSON of the message', async () => {
  const clerk = agent({
    name: 'clerk',
    input: z.object({ order: z.number() }),
    model: scriptedModel(['Found.']),
  });
  await using server = await served({ agents: { clerk }, openai: true });
  const completion = await said(server.url, 'chat/completions', {
    ...chat,
    messages: [user('{"order":17}')],
  });
  expect(completion).toMatchObject({ choices: [{ message: { content: 'Found.' } }] });
  expect(await refused(await ask(server.url, 'chat/completions', chat))).toEqual([
    400,
    'input.invalid',
    null,
  ]);
});

const pick = { type: 'function', function: { name: 'pick', parameters: { type: 'object', properties: {} } } };

test('tools of the client: the run waits for their results, and goes on with them', async () => {
  const painter = agent({
    name: 'painter',
    tools: [look],
    model: scriptedModel([
      calls({ name: 'look', input: { order: 17 } }),
      {
        ...calls({ name: 'pick', input: { of: 'car' } }, { name: 'pick', input: { of: 'bike' } }),
        text: 'Which?',
      },
      'Red and blue it is.',
    ]),
  });
  await using server = await served({ agents: { painter }, openai: true });
  const asked = { model: 'painter', messages: [user('Paint it.')], tools: [pick] };
  const first = await said(server.url, 'chat/completions', asked);
  expect(first).toMatchObject({
    choices: [
      {
        message: {
          content: 'Which?',
          tool_calls: [
            { type: 'function', function: { name: 'pick', arguments: '{"of":"car"}' } },
            { type: 'function', function: { name: 'pick', arguments: '{"of":"bike"}' } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
  });
  const [choice] = first['choices'] as [{ message: { tool_calls: { id: string }[] } }];
  const ids = choice.message.tool_calls.map(({ id }) => id);
  const results = ids.map((id, index) => ({
    role: 'tool',
    tool_call_id: id,
    content: ['red', 'blue'][index],
  }));
  const messages = [...asked.messages, choice.message, ...results];
  const incomplete = await ask(server.url, 'chat/completions', { ...asked, messages: messages.slice(0, -1) });
  expect(await refused(incomplete)).toEqual([400, 'input.invalid', 'messages']);
  const second = await said(server.url, 'chat/completions', { ...asked, messages });
  expect(second).toMatchObject({ choices: [{ message: { content: 'Red and blue it is.' } }] });
  // Sent again, it is answered again, by the same run; another result is refused.
  expect(await said(server.url, 'chat/completions', { ...asked, messages })).toEqual(second);
  const other = [...messages.slice(0, -1), { ...results[1], content: 'green' }];
  expect(await refused(await ask(server.url, 'chat/completions', { ...asked, messages: other }))).toEqual([
    409,
    'request.answered',
    null,
  ]);
  const { runs } = (await (await fetch(`${server.url}/runs`)).json()) as { runs: unknown[] };
  expect(runs).toHaveLength(1);
});

test('a stream of a run that waits for a person ends with an error that has its status, and names the run', async () => {
  const { clerkSaying, refunding } = await import('../serve-kit.ts');
  await using server = await served({ agents: { clerk: clerkSaying(refunding) }, openai: true });
  const client = new OpenAI({ apiKey: 'none', baseURL: `${server.url}/v1`, maxRetries: 0 });
  const read = async (): Promise<unknown> => {
    const stream = await client.chat.completions.create({
      model: 'clerk',
      messages: [{ role: 'user', content: 'My money' }],
      stream: true,
    });
    for await (const { choices } of stream) expect(choices[0]?.finish_reason ?? null).toBe(null);
    return 'it ended';
  };
  const thrown: unknown = await read().catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(OpenAI.APIError);
  expect(thrown).toMatchObject({ code: 'request_pending', error: { status: 409 } });
  const { runs } = (await (await fetch(`${server.url}/runs`)).json()) as { runs: { runId: string }[] };
  expect(String(thrown)).toContain(`Run '${runs[0]?.runId}' waits for a person`);
});

test('a run that waits for a person is an error that says so, and goes on when somebody answers', async () => {
  const { clerkSaying, refunding } = await import('../serve-kit.ts');
  await using server = await served({ agents: { clerk: clerkSaying(refunding) }, openai: true });
  const response = await ask(server.url, 'chat/completions', chat);
  expect(response.headers.get('x-should-retry')).toBe('false');
  expect(await refused(response)).toEqual([409, 'request_pending', null]);
  const { runs } = (await (await fetch(`${server.url}/runs`)).json()) as { runs: { runId: string }[] };
  const { requests } = (await (await fetch(`${server.url}/runs/${runs[0]?.runId}/requests`)).json()) as {
    requests: { id: string }[];
  };
  await ask(server.url, `../runs/${runs[0]?.runId}/requests/${requests[0]?.id}`, { yes: true });
  const result = await fetch(`${server.url}/runs/${runs[0]?.runId}/result`);
  expect(await result.json()).toMatchObject({ output: 'Your money is on its way.' });
});
