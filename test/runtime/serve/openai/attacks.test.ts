import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Person } from '../../../../src/contracts/people/person.ts';
import { memoryStore } from '../../../../src/persistence/index.ts';
import { pipeline } from '../../../../src/patterns/index.ts';
import { agent } from '../../../../src/runtime/define/agent.ts';
import { createGlobalEngine } from '../../../../src/runtime/engines/global-engine.ts';
import { serve } from '../../../../src/runtime/serve/serve.ts';
import { calls, scriptedModel } from '../../../../src/testing/scripted-model.ts';
import { tool } from '../../../../src/tools/define/define-tool.ts';
import {
  as,
  auth,
  clerkSaying,
  modelSaying,
  refunding,
  refunds,
  served,
  tenantEngine,
} from '../serve-kit.ts';
import { ask, eventsIn, refused, said, slowModel } from './openai-kit.ts';

const clerk = agent({ name: 'clerk', model: modelSaying(['Hello.', 'Again.']) });
const painter = agent({
  name: 'painter',
  model: modelSaying([calls({ name: 'pick', input: {} }), 'Red it is.']),
});
const pick = { type: 'function', name: 'pick' };
const user = (content: unknown) => ({ role: 'user', content });
const chat = { model: 'clerk', messages: [user('Hi')] };

test('responses, calls and approvals of another tenant are none', async () => {
  await using server = await served(
    {
      agents: { clerk, painter, refunder: clerkSaying(refunding, 'refunder') },
      auth,
      openai: true,
      store: memoryStore(),
    },
    tenantEngine(),
  );
  const mine = as('acme');
  const theirs = as('other');
  const { url } = server;
  const own = await said(url, 'responses', { model: 'clerk', input: 'Hi' }, mine);
  const id = String(own['id']);
  const [message] = own['output'] as { id: string }[];
  const asked = await said(url, 'responses', { model: 'painter', input: 'Hi', tools: [pick] }, mine);
  const [call] = asked['output'] as { id: string; call_id: string }[];
  const waiting = await said(url, 'responses', { model: 'refunder', input: 'Hi' }, mine);
  const [approval] = waiting['output'] as { id: string }[];
  const outputs = [{ type: 'function_call_output', call_id: call?.call_id, output: 'red' }];
  const yes = [{ type: 'mcp_approval_response', approval_request_id: approval?.id, approve: true }];
  const tries: readonly (readonly [string, object])[] = [
    ['responses', { model: 'clerk', input: 'And?', previous_response_id: id }],
    ['responses', { model: 'painter', input: outputs }],
    ['responses', { model: 'refunder', input: yes }],
    ['responses', { model: 'clerk', input: [{ type: 'item_reference', id: message?.id }, user('And?')] }],
    ['responses', { model: 'clerk', input: [{ type: 'item_reference', id: call?.id }, user('And?')] }],
    [
      'chat/completions',
      {
        model: 'painter',
        messages: [user('Hi'), { role: 'tool', tool_call_id: call?.call_id, content: 'red' }],
      },
    ],
    [`responses/${id}/cancel`, {}],
  ];
  const before = refunds.length;
  for (const [path, body] of tries) {
    const { status } = await ask(url, path, body, theirs);
    expect([path, [400, 404].includes(status)]).toEqual([path, true]);
  }
  expect(refunds).toHaveLength(before);
  for (const method of ['GET', 'DELETE'])
    expect((await fetch(`${url}/v1/responses/${id}`, { method, headers: theirs })).status).toBe(404);
  expect((await fetch(`${url}/v1/responses/${id}`, { headers: mine })).status).toBe(200);
  // Its owner's run still waits, and goes on.
  const done = await said(url, 'responses', { model: 'painter', input: outputs }, mine);
  expect(done['status']).toBe('completed');
});

test('forged ids are none', async () => {
  await using server = await served({ agents: { clerk }, openai: true });
  const run = 'run-00000000-0000-0000-0000-000000000000';
  const ids = [
    'resp_',
    `resp_${run}`,
    `resp_${run}_99`,
    `resp_${run}_0`,
    'resp___proto__',
    'x'.repeat(299),
    '..%2f..',
  ];
  for (const id of ids) {
    expect((await fetch(`${server.url}/v1/responses/${id}`)).status).toBe(404);
    const next = { model: 'clerk', input: 'And?', previous_response_id: id };
    expect((await ask(server.url, 'responses', next)).status).toBe(404);
  }
  for (const id of ['call_', `call_${run}_0_0`, 'c'.repeat(9_000), `call_${run}_0_0_0`]) {
    const messages = [user('Hi'), { role: 'tool', tool_call_id: id, content: 'red' }];
    expect(await refused(await ask(server.url, 'chat/completions', { ...chat, messages }))).toEqual([
      400,
      'input.invalid',
      'messages',
    ]);
  }
  for (const id of ['msg_1', `msg_${run}_0_0`, `fc_${run}_0_0`, 'rs_1'])
    expect(
      (
        await ask(server.url, 'responses', {
          model: 'clerk',
          input: [{ type: 'item_reference', id }, user('Hi')],
        })
      ).status,
    ).toBeGreaterThanOrEqual(400);
});

test('a run of another face is no response', async () => {
  await using server = await served({ agents: { clerk }, openai: true });
  const started = await ask(server.url, '../agents/clerk/runs', { input: 'Hi' });
  const { runId } = (await started.json()) as { runId: string };
  expect((await fetch(`${server.url}/v1/responses/resp_${runId}`)).status).toBe(404);
});

test('who may not do it is refused in the words of OpenAI', async () => {
  await using server = await served({
    agents: { clerk: clerkSaying(refunding), painter },
    openai: true,
    limits: { perMinute: 8, bodyBytes: 2_000 },
    auth: (request) => {
      const who = request.headers.get('authorization')?.slice('Bearer '.length);
      if (who === 'ada') return { who };
      return who === 'bob'
        ? { who, may: ['start', 'watch'] }
        : who === 'eve'
          ? { who, may: ['watch'] }
          : undefined;
    },
  });
  const { url } = server;
  const by = (who: string) => ({ authorization: `Bearer ${who}` });
  const missing = await ask(url, 'chat/completions', chat);
  expect(missing.headers.get('www-authenticate')).toBe('Bearer');
  expect(await refused(missing)).toEqual([401, 'invalid_api_key', null]);
  expect(await refused(await ask(url, 'chat/completions', chat, by('eve')))).toEqual([
    403,
    'server.refused',
    null,
  ]);
  expect((await fetch(`${url}/v1/models`)).status).toBe(401);
  const waiting = await said(url, 'responses', { model: 'clerk', input: 'Hi', background: true }, by('bob'));
  const id = String(waiting['id']);
  expect((await ask(url, `responses/${id}/cancel`, {}, by('bob'))).status).toBe(403);
  let asked: { output: { id: string }[] } = { output: [] };
  while (asked.output.length === 0)
    asked = (await (await fetch(`${url}/v1/responses/${id}`, { headers: by('ada') })).json()) as typeof asked;
  const yes = [{ type: 'mcp_approval_response', approval_request_id: asked.output[0]?.id, approve: true }];
  expect((await ask(url, 'responses', { model: 'clerk', input: yes }, by('bob'))).status).toBe(403);
  const huge = { ...chat, messages: [user('x'.repeat(3_000))] };
  expect(await refused(await ask(url, 'chat/completions', huge, by('bob')))).toEqual([
    413,
    'server.refused',
    null,
  ]);
  let last = await ask(url, 'chat/completions', {}, by('bob'));
  while (last.status !== 429) last = await ask(url, 'chat/completions', {}, by('bob'));
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused(last)).toEqual([429, 'rate_limit_exceeded', null]);
});

test('without the option, and below another path, there is nothing', async () => {
  const silent = serve(createGlobalEngine(), { agents: { clerk } });
  expect((await silent.fetch(new Request('http://localhost/v1/models'))).status).toBe(404);
  const below = serve(createGlobalEngine(), { agents: { clerk }, openai: true, basePath: '/api' });
  expect((await below.fetch(new Request('http://localhost/v1/models'))).status).toBe(404);
  const models = await below.fetch(new Request('http://localhost/api/v1/models'));
  expect(await models.json()).toEqual({
    object: 'list',
    data: [{ id: 'clerk', object: 'model', created: 0, owned_by: 'troupe' }],
  });
  const nothing = await below.fetch(new Request('http://localhost/api/v1/embeddings', { method: 'POST' }));
  expect(await nothing.json()).toMatchObject({ error: { type: 'invalid_request_error', param: null } });
  const wrong = await below.fetch(new Request('http://localhost/api/v1/responses'));
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
  // A foreign host, and a foreign page, are refused as everywhere, in these words.
  const foreign = await below.fetch(new Request('http://evil.example/api/v1/models'));
  expect(await foreign.json()).toMatchObject({ error: { type: 'permission_error' } });
});

test('pages of a listed origin may send what the client sends', async () => {
  const service = serve(createGlobalEngine(), {
    agents: { clerk },
    openai: true,
    origins: ['https://app.example'],
  });
  const preflight = await service.fetch(
    new Request('http://localhost/v1/responses', {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'DELETE' },
    }),
  );
  expect(preflight.headers.get('access-control-allow-methods')).toMatch('DELETE');
  expect(preflight.headers.get('access-control-allow-headers')).toMatch('x-stainless-retry-count');
});

const settings = { temperature: 1, max_tokens: 5, seed: 3, top_p: null, user: 'me' };

test('settings of a model have no effect, and the answer names them', async () => {
  await using server = await served({ agents: { clerk }, openai: true });
  const response = await ask(server.url, 'chat/completions', { ...chat, ...settings });
  expect(response.headers.get('troupe-without-effect')).toBe('temperature, max_tokens, seed, user');
  const other = await ask(server.url, 'responses', { model: 'clerk', input: 'Hi', max_output_tokens: 3 });
  expect(other.headers.get('troupe-without-effect')).toBe('max_output_tokens');
  expect(await other.json()).toMatchObject({ max_output_tokens: null, temperature: null });
});

test.each<readonly [string, object, string]>([
  ['chat/completions', { n: 2 }, 'n'],
  ['chat/completions', { stop: ['.'] }, 'stop'],
  ['chat/completions', { logprobs: true }, 'logprobs'],
  ['chat/completions', { audio: { voice: 'x' } }, 'audio'],
  ['chat/completions', { modalities: ['text', 'audio'] }, 'modalities'],
  ['chat/completions', { functions: [{ name: 'x' }] }, 'functions'],
  ['chat/completions', { store: true }, 'store'],
  ['chat/completions', { temprature: 1 }, 'temprature'],
  ['chat/completions', { tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools[0]'],
  ['chat/completions', { tools: [pick, pick] }, 'tools'],
  ['chat/completions', { tools: [{ type: 'function', function: { name: 'a b' } }] }, 'tools[0]'],
  ['chat/completions', { tools: [pick], tool_choice: 'required' }, 'tool_choice'],
  ['chat/completions', { response_format: { type: 'json_object' } }, 'response_format'],
  ['chat/completions', { messages: [] }, 'messages'],
  ['chat/completions', { messages: [{ role: 'assistant', content: 'x' }] }, 'messages'],
  ['chat/completions', { messages: [{ role: 'wizard', content: 'x' }] }, 'messages[0]'],
  [
    'chat/completions',
    { messages: [user([{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }])] },
    'messages[0].content[0]',
  ],
  [
    'chat/completions',
    { messages: [user([{ type: 'image_url', image_url: { url: 'http://10.0.0.1/' } }])] },
    'messages[0].content[0]',
  ],
  [
    'chat/completions',
    { messages: [user([{ type: 'file', file: { file_id: 'file-1' } }])] },
    'messages[0].content[0]',
  ],
  ['chat/completions', { messages: 'Hi' }, 'messages'],
  ['chat/completions', { model: 7 }, 'model'],
  ['chat/completions', { stream: 'yes' }, 'stream'],
  ['responses', { input: undefined }, 'input'],
  ['responses', { input: [] }, 'input'],
  ['responses', { input: [{ type: 'computer_call' }] }, 'input[0]'],
  ['responses', { conversation: 'conv_1' }, 'conversation'],
  ['responses', { prompt: { id: 'x' } }, 'prompt'],
  ['responses', { max_tool_calls: 3 }, 'max_tool_calls'],
  ['responses', { tools: [{ type: 'web_search' }] }, 'tools[0]'],
  ['responses', { text: { format: { type: 'json_object' } } }, 'text.format'],
  ['responses', { metadata: { a: 1 } }, 'metadata'],
  ['responses', { metadata: { a: 'x'.repeat(513) } }, 'metadata'],
  ['responses', { background: true, store: false }, 'background'],
])('%s refuses %j by its name', async (path, rest, param) => {
  const service = serve(createGlobalEngine(), { agents: { clerk }, openai: true });
  const base = path === 'responses' ? { model: 'clerk', input: 'Hi' } : chat;
  const response = await service.fetch(
    new Request(`http://localhost/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...base, ...rest }),
    }),
  );
  const [status, , found] = await refused(response);
  expect([status, found]).toEqual([400, param]);
  const runs = (await (await service.fetch(new Request('http://localhost/runs'))).json()) as {
    runs: unknown[];
  };
  expect(runs.runs).toEqual([]);
});

test('an unknown model is not found', async () => {
  await using server = await served({ agents: { clerk }, openai: true });
  const response = await ask(server.url, 'chat/completions', { ...chat, model: 'gpt-5' });
  expect(await refused(response)).toEqual([404, 'model_not_found', null]);
  expect((await fetch(`${server.url}/v1/models/gpt-5`)).status).toBe(404);
});

test('tools of a client that the agent has itself, or that a team would need, are refused', async () => {
  const own = tool({ name: 'pick', description: 'Picks.', input: z.object({}), execute: () => 'blue' });
  const owner = agent({ name: 'owner', tools: [own], model: scriptedModel(['Done.']) });
  const team = pipeline({ name: 'team', stages: [clerk] });
  await using server = await served({ agents: { owner, team }, openai: true });
  for (const model of ['owner', 'team'])
    expect(await refused(await ask(server.url, 'responses', { model, input: 'Hi', tools: [pick] }))).toEqual([
      400,
      'input.invalid',
      'tools',
    ]);
  const person: Person = { answer: () => 'red' };
  await using answering = await served({ agents: { painter }, openai: true, run: { person } });
  const asked = { model: 'painter', input: 'Hi', tools: [pick] };
  expect(await refused(await ask(answering.url, 'responses', asked))).toEqual([
    400,
    'input.invalid',
    'tools',
  ]);
});

test('a client that goes away aborts its completion, unless it has a key; a response goes on', async () => {
  const model = slowModel();
  const slow = agent({ name: 'slow', model });
  await using server = await served({ agents: { slow }, openai: true });
  const statusAfter = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const left = new AbortController();
    const before = model.requests.length;
    const asking = fetch(`${server.url}/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'slow', ...body }),
      signal: left.signal,
    })
      .then((response) => response.text())
      .catch(() => 'left');
    await expect.poll(() => model.requests.length).toBe(before + 1);
    left.abort();
    expect(await asking).toBe('left');
    const { runs } = (await (await fetch(`${server.url}/runs`)).json()) as { runs: { runId: string }[] };
    return async () => {
      const run = await fetch(`${server.url}/runs/${runs[0]?.runId}`);
      return ((await run.json()) as { status: string }).status;
    };
  };
  const messages = { messages: [user('Speak.')] };
  for (const stream of [true, false]) {
    const gone = await statusAfter('chat/completions', { ...messages, stream });
    await expect.poll(gone).toBe('aborted');
    const unkept = await statusAfter('responses', { input: 'Speak.', store: false, stream });
    await expect.poll(unkept).toBe('aborted');
  }
  const going = [
    await statusAfter('chat/completions', { ...messages, stream: true }, { 'idempotency-key': 'one' }),
    await statusAfter('chat/completions', messages, { 'idempotency-key': 'two' }),
    await statusAfter('responses', { input: 'Speak.', stream: true }),
    await statusAfter('responses', { input: 'Speak.' }),
  ];
  // One that would be aborted is, by now: it left last.
  const last = await statusAfter('chat/completions', messages);
  await expect.poll(last).toBe('aborted');
  for (const status of going) expect(await status()).toBe('running');
});

test('a server that shuts down ends its streams with an error, and takes no more', async () => {
  const model = slowModel();
  await using server = await served({
    agents: { slow: agent({ name: 'slow', model }) },
    openai: true,
    store: memoryStore(),
  });
  const asked = { model: 'slow', input: 'Speak.', stream: true };
  const response = ask(server.url, 'responses', asked).then((opened) => opened.text());
  const completion = ask(server.url, 'chat/completions', {
    model: 'slow',
    messages: [user('Speak.')],
    stream: true,
  }).then((opened) => opened.text());
  await expect.poll(() => model.requests.length).toBe(2);
  await server.service.drain({ withinMs: 1 });
  expect(eventsIn(await response).at(-1)).toMatchObject({ type: 'error', error: { code: 'engine.closed' } });
  expect(eventsIn(await completion).at(-1)).toMatchObject({ error: { code: 'engine.closed' } });
  const late = await ask(server.url, 'responses', asked);
  expect(late.headers.get('retry-after')).toBe('1');
  expect((await refused(late))[0]).toBe(503);
});
