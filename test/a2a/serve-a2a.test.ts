import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Part } from '@a2a-js/sdk';
import { serveA2a } from '../../src/a2a/index.ts';
import { act, agent, answer, askPerson, tool } from '../../src/index.ts';
import { parallel } from '../../src/patterns/index.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import { policy } from '../../src/policy/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import {
  as,
  auth,
  clerkSaying,
  refund,
  refunding,
  refunds,
  tenantEngine,
} from '../runtime/serve/serve-kit.ts';
import { deferred } from '../support/runs.ts';
import {
  agentsServed,
  answersIn,
  asking,
  clientOf,
  collect,
  data,
  listAll,
  saying,
  taskOf,
  text,
  textsIn,
} from './a2a-kit.ts';

const adder = agent({
  name: 'adder',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.object({ sum: z.number() }),
  decide: ({ input: { a, b } }) => answer({ sum: a + b }),
});
const echo = agent({ name: 'echo', decide: ({ input }) => answer(`You said: ${JSON.stringify(input)}`) });

/** An agent that waits until it is let go, or aborted. */
const waiter = () => {
  const begun = deferred<undefined>();
  const released = deferred<string>();
  const wait = tool({
    name: 'wait',
    description: 'Waits.',
    input: z.object({}),
    idempotent: true,
    timeoutMs: Infinity,
    execute: (_, { signal }) =>
      new Promise<string>((resolve, reject) => {
        begun.resolve(undefined);
        signal.addEventListener('abort', () => {
          reject(new Error('stopped'));
        });
        void released.promise.then(resolve);
      }),
  });
  const waiting = agent({
    name: 'waiting',
    tools: [wait],
    decide: ({ results: [said] }) =>
      said === undefined ? act({ name: 'wait', input: {} }) : answer(said.text),
  });
  return {
    waiting,
    begun: begun.promise,
    letGo: (text: string) => {
      released.resolve(text);
    },
  };
};

const rpc = (
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = { 'a2a-version': '1.0' },
) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

test('a card says what an agent is, takes and gives, and where it is', async () => {
  const { url } = await agentsServed({ agents: { adder } });
  const card = await (await fetch(`${url}/.well-known/agent-card.json`)).json();
  expect(card).toMatchObject({
    name: 'adder',
    description: 'Adds two numbers.',
    supportedInterfaces: [
      { url: `${url}/a2a/adder`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${url}/a2a/adder`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    ],
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extensions: [{ params: { input: { required: ['a', 'b'] }, output: { required: ['sum'] } } }],
    },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: [{ id: 'adder', description: 'Adds two numbers.' }],
  });
});

test('each agent has a card of its own; at the root is that of the main one, and of several none unless one is named', async () => {
  const several = await agentsServed({ agents: { adder, second: echo } });
  const nameAt = async (base: string, path: string) => {
    const response = await fetch(`${base}${path}/.well-known/agent-card.json`);
    return response.ok ? ((await response.json()) as { readonly name: string }).name : response.status;
  };
  expect(await nameAt(several.url, '/a2a/adder')).toBe('adder');
  expect(await nameAt(several.url, '/a2a/second')).toBe('echo');
  expect(await nameAt(several.url, '/a2a/nobody')).toBe(404);
  expect(await nameAt(several.url, '')).toBe(404);
  const named = await agentsServed({ agents: { adder, second: echo } }, { main: 'second' });
  expect(await nameAt(named.url, '')).toBe('echo');
});

test('a card has the address that is configured, tells of tokens where callers have to say who they are, and is completed by the app', async () => {
  const { url } = await agentsServed(
    { agents: { echo }, auth, basePath: '/api' },
    {
      url: 'https://agents.example.com/api/',
      card: (card, name) => ({ ...card, documentationUrl: `https://docs.example.com/${name}` }),
    },
    tenantEngine(),
  );
  const card: unknown = await (await fetch(`${url}/api/a2a/echo/.well-known/agent-card.json`)).json();
  expect(card).toMatchObject({
    supportedInterfaces: [
      { url: 'https://agents.example.com/api/a2a/echo' },
      { url: 'https://agents.example.com/api/a2a/echo' },
    ],
    documentationUrl: 'https://docs.example.com/echo',
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
  });
  expect((await fetch(`${url}/.well-known/agent-card.json`)).status).toBe(200);
});

test('a message begins a task, which ends with the answer as an artifact', async () => {
  const { url } = await agentsServed({ agents: { echo } });
  const task = await taskOf(await clientOf(url), saying('Hello'));
  expect(task.status?.state).toBe(3);
  expect(answersIn(task)).toEqual(['You said: "Hello"']);
  expect(task.history.map(({ role, parts }) => [role, textsIn(parts)])).toEqual([[1, ['Hello']]]);
  expect(task.contextId).not.toBe('');
});

test('an agent with schemas takes data and gives data; anything else is refused before a run begins', async () => {
  const { url } = await agentsServed({ agents: { adder } });
  const client = await clientOf(url);
  const task = await taskOf(client, saying([data({ a: 19, b: 23 })]));
  expect(task.artifacts.flatMap(({ parts }) => parts.map(({ content }) => content?.value))).toEqual([
    { sum: 42 },
  ]);
  await expect(client.sendMessage(saying('19 and 23'))).rejects.toThrow(/takes one part of data/);
  await expect(client.sendMessage(saying([data({ a: 'x' })]))).rejects.toThrow(/does not fit/);
  expect((await client.listTasks(listAll())).totalSize).toBe(1);
});

test('files and data reach an agent as parts', async () => {
  const { url } = await agentsServed({ agents: { echo } });
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const file = {
    content: { $case: 'raw' as const, value: png },
    metadata: undefined,
    filename: 'dot.png',
    mediaType: 'image/png',
  };
  const task = await taskOf(await clientOf(url), saying([text('Look'), file, data({ n: 1 })]));
  const [said = ''] = answersIn(task);
  expect(said).toContain('"type":"image"');
  expect(said).toContain('"name":"dot.png"');
  expect(said).toContain('"data":{"n":1}');
});

test('a stream tells the task first, the answer in pieces, the whole of it, and the end last', async () => {
  const note = tool({ name: 'note', description: 'Notes.', input: z.object({}), execute: () => 'noted' });
  const go = deferred<undefined>();
  const writer = agent({
    name: 'writer',
    tools: [note],
    model: scriptedModel([
      async () => {
        await go.promise;
        return { text: 'Let me see. ', ...calls({ name: 'note', input: {} }) };
      },
      (_, { delta }) => {
        delta({ type: 'text', text: '1. ' });
        return 'One. Two.';
      },
    ]),
  });
  const { url } = await agentsServed({ agents: { writer } });
  const told = (await clientOf(url)).sendMessageStream(saying('Write'));
  expect((await told.next()).value?.payload?.$case).toBe('task');
  go.resolve(undefined);
  const stream = await collect(told);
  const last = stream.at(-1)?.payload;
  expect(last?.$case === 'statusUpdate' ? last.value.status?.state : undefined).toBe(3);
  const pieces = stream.flatMap(({ payload }) =>
    payload?.$case === 'artifactUpdate' ? [payload.value] : [],
  );
  const whole = pieces.reduce(
    (so_far, { artifact, append }) => (append ? so_far : '') + textsIn(artifact?.parts).join(''),
    '',
  );
  expect(whole).toBe('One. Two.');
  expect(pieces.map(({ append, artifact }) => [append, ...textsIn(artifact?.parts)])).toEqual([
    [false, 'Let me see. '],
    [false, '1. '],
    [true, 'One. Two.'],
    [false, 'One. Two.'],
  ]);
  expect(pieces.at(-1)?.lastChunk).toBe(true);
});

test('a question to a person is a task that wants input, which the next message answers', async () => {
  const { url } = await agentsServed({ agents: { asking } });
  const client = await clientOf(url);
  const asked = await taskOf(client, saying('Book a train'));
  expect(asked.status?.state).toBe(6);
  expect(textsIn(asked.status?.message?.parts)).toEqual(['Which town?']);
  const done = await taskOf(client, saying('Oslo', { taskId: asked.id, contextId: asked.contextId }));
  expect(done.id).toBe(asked.id);
  expect(answersIn(done)).toEqual(['To Oslo.']);
  expect(done.history.map(({ role, parts }) => [role, ...textsIn(parts)])).toEqual([
    [1, 'Book a train'],
    [2, 'Which town?'],
    [1, 'Oslo'],
  ]);
});

test('a call that has to be approved is approved by a plain yes or by data, and denied by a no', async () => {
  const paid = refunds.length;
  const { url } = await agentsServed({ agents: { clerk: clerkSaying(refunding) } });
  const client = await clientOf(url);
  const ask = () => taskOf(client, saying('My money'));
  const requestOf = async () => {
    const task = await ask();
    const [, { content } = {}] = task.status?.message?.parts ?? [];
    return { task, request: (Object(content?.value) as { readonly request: string }).request };
  };
  await client.sendMessage(saying('yes', { taskId: (await ask()).id }));
  expect(refunds.length).toBe(paid + 1);
  const denied = await taskOf(client, saying('No, not today.', { taskId: (await ask()).id }));
  expect(denied.status?.state).toBe(3);
  expect(denied.history.flatMap(({ parts }) => textsIn(parts))).toContain('not today.');
  expect(refunds.length).toBe(paid + 1);
  const { task, request } = await requestOf();
  await client.sendMessage(
    saying([data({ request, yes: true, input: { order: 17, euros: 1 } })], { taskId: task.id }),
  );
  expect(refunds.at(-1)).toEqual({ order: 17, euros: 1 });
  const other = await requestOf();
  await expect(
    client.sendMessage(saying([data({ request: 'nobody', yes: true })], { taskId: other.task.id })),
  ).rejects.toThrow(/answers no open request/);
});

test('an answer that is neither yes nor no decides nothing: the task still waits, and says what it expects', async () => {
  const paid = refunds.length;
  const { url } = await agentsServed({ agents: { clerk: clerkSaying(refunding) } });
  const client = await clientOf(url);
  const { id, status } = await taskOf(client, saying('My money'));
  expect(textsIn(status?.message?.parts)[0]).toMatch(/^May it be done, yes or no\?/);
  for (const said of ['yes, but not today', 'no idea', 'how much is it?']) {
    const task = await taskOf(client, saying(said, { taskId: id }));
    expect(task.status?.state).toBe(6);
    expect(textsIn(task.status?.message?.parts)).toEqual([
      expect.stringMatching(/neither yes nor no: answer "yes", "no"/),
      expect.stringMatching(/^May it be done/),
    ]);
  }
  expect(refunds.length).toBe(paid);
  expect((await taskOf(client, saying('Yes.', { taskId: id }))).status?.state).toBe(3);
  expect(refunds.length).toBe(paid + 1);
});

test('a message that is sent again begins no other task, and answers no other question', async () => {
  const twice = agent({
    name: 'twice',
    tools: [askPerson],
    model: scriptedModel([
      calls({ name: 'ask_person', input: { question: 'From?' } }),
      calls({ name: 'ask_person', input: { question: 'To?' } }),
      'Booked.',
    ]),
  });
  const { url } = await agentsServed({ agents: { twice }, store: memoryStore() });
  const client = await clientOf(url);
  const message = saying('Book');
  const one = await taskOf(client, message);
  const other = await taskOf(client, message);
  expect(other.id).toBe(one.id);
  expect(other.contextId).toBe(one.contextId);
  const reply = saying('Oslo', { taskId: one.id });
  expect(textsIn((await taskOf(client, reply)).status?.message?.parts)).toEqual(['To?']);
  expect(textsIn((await taskOf(client, reply)).status?.message?.parts)).toEqual(['To?']);
  expect((await taskOf(client, saying('Bergen', { taskId: one.id }))).status?.state).toBe(3);
});

test('a message to a working task reaches its run; one to a task that is over, or of another context, is refused', async () => {
  const { waiting, begun, letGo } = waiter();
  const { url } = await agentsServed({ agents: { waiting } });
  const client = await clientOf(url);
  const task = await taskOf(client, saying('Wait', {}, { returnImmediately: true }));
  expect([1, 2]).toContain(task.status?.state);
  await begun;
  const sent = await taskOf(client, saying('By the way', { taskId: task.id }, { returnImmediately: true }));
  expect(sent.status?.state).toBe(2);
  await expect(client.sendMessage(saying('x', { taskId: task.id, contextId: 'other' }))).rejects.toThrow(
    /another context/,
  );
  const rest = client.resubscribeTask({ tenant: '', id: task.id });
  await rest.next();
  letGo('done');
  await collect(rest);
  await expect(client.sendMessage(saying('x', { taskId: task.id }))).rejects.toThrow(/is over/);
  await expect(collect(client.resubscribeTask({ tenant: '', id: task.id }))).rejects.toThrow(/is over/);
});

test('a task that is cancelled is over, and is not cancelled again', async () => {
  const { waiting, begun } = waiter();
  const { url } = await agentsServed({ agents: { waiting } });
  const client = await clientOf(url);
  const task = await taskOf(client, saying('Wait', {}, { returnImmediately: true }));
  await begun;
  const cancelled = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
  expect(cancelled.status?.state).toBe(5);
  await expect(client.cancelTask({ tenant: '', id: task.id, metadata: undefined })).rejects.toThrow(
    /is over/,
  );
});

test('a client that subscribes again is told the task, and all that follows', async () => {
  const { waiting, begun, letGo } = waiter();
  const { url } = await agentsServed({ agents: { waiting } });
  const client = await clientOf(url);
  const task = await taskOf(client, saying('Wait', {}, { returnImmediately: true }));
  await begun;
  const stream = client.resubscribeTask({ tenant: '', id: task.id });
  const first = await stream.next();
  expect(first.value?.payload?.$case).toBe('task');
  letGo('done');
  const rest = await collect(stream);
  expect(rest.map(({ payload }) => payload?.$case)).toEqual(['artifactUpdate', 'statusUpdate']);
});

test('a run that failed or was stopped is a failed task, with the reason', async () => {
  const broken = agent({
    name: 'broken',
    decide: () => {
      throw new Error('no power');
    },
  });
  const { url } = await agentsServed({ agents: { broken } });
  const task = await taskOf(await clientOf(url), saying('Go'));
  expect(task.status?.state).toBe(4);
  expect(textsIn(task.status?.message?.parts).join()).toContain('no power');
});

test('tasks are listed by context and state, page by page, the last changed first, without artifacts unless they are wanted', async () => {
  const { url } = await agentsServed({ agents: { asking, echo }, store: memoryStore() });
  const client = await clientOf(`${url}/a2a/echo`);
  const first = await taskOf(client, saying('1'));
  const second = await taskOf(client, saying('2', { contextId: first.contextId }));
  const third = await taskOf(client, saying('3'));
  await (await clientOf(`${url}/a2a/asking`)).sendMessage(saying('Book'));
  const all = await client.listTasks(listAll());
  expect(all.totalSize).toBe(3);
  expect(all.tasks.every(({ artifacts }) => artifacts.length === 0)).toBe(true);
  const ofContext = await client.listTasks(listAll({ contextId: first.contextId, includeArtifacts: true }));
  expect(new Set(ofContext.tasks.map(({ id }) => id))).toEqual(new Set([first.id, second.id]));
  expect(ofContext.tasks[0]?.artifacts).toHaveLength(1);
  expect((await client.listTasks(listAll({ status: 6 }))).totalSize).toBe(0);
  const page = await client.listTasks(listAll({ pageSize: 2 }));
  const next = await client.listTasks(listAll({ pageSize: 2, pageToken: page.nextPageToken }));
  expect(new Set([...page.tasks, ...next.tasks].map(({ id }) => id))).toEqual(
    new Set([first.id, second.id, third.id]),
  );
  expect(next.nextPageToken).toBe('');
  await expect(client.listTasks(listAll({ pageSize: 0 }))).rejects.toThrow(/size of a page/);
  await expect(client.listTasks(listAll({ pageToken: 'x' }))).rejects.toThrow(/no such page/);
});

test('a context is a thread: a later task of it knows what was said', async () => {
  const seen: number[] = [];
  const model = scriptedModel(['One.', 'Two.']);
  const counting = {
    ...model,
    answer: (...given: Parameters<typeof model.answer>) => {
      seen.push(given[0].messages.toArray().length);
      return model.answer(...given);
    },
  };
  const { url } = await agentsServed({
    agents: { talker: agent({ name: 'talker', model: counting }) },
    store: memoryStore(),
  });
  const client = await clientOf(url);
  const { contextId } = await taskOf(client, saying('First'));
  await client.sendMessage(saying('Second', { contextId }));
  const [before = 0, after = 0] = seen;
  expect(after).toBe(before + 2);
});

test('a task outlives its process: another one of the same store has it, and answers go on there', async () => {
  const store = memoryStore();
  const one = await agentsServed({ agents: { asking }, store });
  const asked = await taskOf(await clientOf(one.url), saying('Book'));
  await one.close();
  const other = await agentsServed({ agents: { asking }, store });
  const client = await clientOf(other.url);
  const found = await client.getTask({ tenant: '', id: asked.id });
  expect(found.status?.state).toBe(6);
  expect(found.contextId).toBe(asked.contextId);
  const done = await taskOf(client, saying('Oslo', { taskId: asked.id }));
  expect(answersIn(done)).toEqual(['To Oslo.']);
});

test('callers have tasks of their own tenant and agent only, and need their rights', async () => {
  const may = (request: Request) => {
    const caller = auth(request);
    return caller?.who === 'eve' ? { ...caller, may: ['watch'] as const } : caller;
  };
  const { url } = await agentsServed(
    { agents: { asking, echo }, auth: may, store: memoryStore() },
    {},
    tenantEngine(),
  );
  const client = await clientOf(`${url}/a2a/asking`, as('acme'));
  const { id } = await taskOf(client, saying('Book'));
  const others = [
    await clientOf(`${url}/a2a/asking`, as('other')),
    await clientOf(`${url}/a2a/echo`, as('acme')),
  ];
  for (const other of others) {
    await expect(other.getTask({ tenant: '', id })).rejects.toThrow(/none of that id/);
    await expect(other.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toThrow(
      /none of that id/,
    );
    await expect(other.sendMessage(saying('Oslo', { taskId: id }))).rejects.toThrow(/none of that id/);
    expect((await other.listTasks(listAll())).totalSize).toBe(0);
  }
  const eve = await clientOf(`${url}/a2a/asking`, as('acme', 'eve'));
  expect((await eve.getTask({ tenant: '', id })).id).toBe(id);
  await expect(eve.sendMessage(saying('Oslo', { taskId: id }))).rejects.toThrow(/'eve' may not answer/);
  await expect(eve.sendMessage(saying('Book'))).rejects.toThrow(/'eve' may not start/);
  await expect(client.getTask({ tenant: 'other', id })).rejects.toThrow(/not of it/);
  expect((await rpc(`${url}/a2a/asking`, {})).status).toBe(401);
});

test('what is not promised is refused by its own error', async () => {
  const { url } = await agentsServed({ agents: { echo } });
  const codeOf = async (body: object, headers?: Readonly<Record<string, string>>) => {
    const response = await rpc(`${url}/a2a/echo`, { jsonrpc: '2.0', id: 1, ...body }, headers);
    const { error } = (await response.json()) as { readonly error?: { readonly code: number } };
    return error?.code;
  };
  const get = { method: 'GetTask', params: { id: 'run-x' } };
  expect(await codeOf(get)).toBe(-32_001);
  expect(await codeOf(get, {})).toBe(-32_009);
  expect(await codeOf(get, { 'a2a-version': '2.0' })).toBe(-32_009);
  expect(await codeOf({ method: 'Nothing', params: {} })).toBe(-32_601);
  expect(await codeOf({ method: 'SendMessage', params: {} })).toBe(-32_602);
  expect(await codeOf({ method: 'GetExtendedAgentCard' })).toBe(-32_004);
  expect(
    await codeOf({
      method: 'CreateTaskPushNotificationConfig',
      params: { taskId: 'x', url: 'https://x.example' },
    }),
  ).toBe(-32_003);
  const client = await clientOf(url);
  await expect(client.sendMessage(saying('x', {}, { acceptedOutputModes: ['image/png'] }))).rejects.toThrow(
    /answers in text\/plain/,
  );
  await expect(client.sendMessage(saying([]))).rejects.toThrow(/no parts/);
  await expect(client.sendMessage(saying('x', { messageId: '' }))).rejects.toThrow(/no id/);
  expect((await fetch(`${url}/a2a/echo`)).status).toBe(405);
});

test('a body that cannot be read is refused by its status, in the words of JSON-RPC', async () => {
  const { url } = await agentsServed({ agents: { echo }, limits: { bodyBytes: 2_000 } });
  const refused = async (body: string, type = 'application/json') => {
    const response = await fetch(`${url}/a2a/echo`, {
      method: 'POST',
      headers: { 'content-type': type, 'a2a-version': '1.0' },
      body,
    });
    const { jsonrpc, id, error } = (await response.json()) as {
      readonly jsonrpc: string;
      readonly id: unknown;
      readonly error: { readonly code: number };
    };
    expect([jsonrpc, id]).toEqual(['2.0', null]);
    return [response.status, error.code];
  };
  expect(await refused('{')).toEqual([400, -32_700]);
  expect(await refused('{}', 'text/plain')).toEqual([415, -32_005]);
  expect(await refused(JSON.stringify('x'.repeat(3_000)))).toEqual([413, -32_600]);
  expect(await refused('{}', 'application/a2a+json')).toEqual([200, -32_602]);
});

test('a file is taken only if the card names its media type, which the app can add to', async () => {
  const { url } = await agentsServed(
    { agents: { echo } },
    { card: (card) => ({ ...card, defaultInputModes: [...card.defaultInputModes, 'application/zip'] }) },
  );
  const client = await clientOf(url);
  const file = (mediaType: string): Part => ({
    content: { $case: 'raw', value: globalThis.Buffer.from('tck') },
    metadata: undefined,
    filename: 'x',
    mediaType,
  });
  const send = (mediaType: string) => taskOf(client, saying([file(mediaType)]));
  await expect(send('application/x-unheard-of')).rejects.toMatchObject({
    name: expect.stringContaining('ContentTypeNotSupported'),
    message: expect.stringContaining('application/x-unheard-of: this agent takes text/plain, text/*'),
  });
  for (const mediaType of ['application/zip', 'text/csv; charset=utf-8', ''])
    expect((await send(mediaType)).status?.state).toBe(3);
  // A text is one, whatever is said of its type.
  const marked = { ...text('x'), mediaType: 'application/x-unheard-of' };
  expect((await taskOf(client, saying([marked]))).status?.state).toBe(3);
});

test('a card may be kept for a minute, and is not sent again to a client that has it', async () => {
  const { url } = await agentsServed({ agents: { echo } });
  const cardUrl = `${url}/.well-known/agent-card.json`;
  const first = await fetch(cardUrl);
  const etag = first.headers.get('etag') ?? '';
  expect(first.headers.get('cache-control')).toBe('public, max-age=60');
  expect(etag).toMatch(/^"\w{32}"$/);
  expect((await fetch(cardUrl, { headers: { 'if-none-match': `"x", W/${etag}` } })).status).toBe(304);
  expect((await fetch(cardUrl, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
  const other = await fetch(`${(await agentsServed({ agents: { adder } })).url}/.well-known/agent-card.json`);
  expect(other.headers.get('etag')).not.toBe(etag);
});

test('a call that somebody else has to approve is authorization that the task waits for: a sender is not held up, a stream goes on', async () => {
  const roles: Readonly<Record<string, readonly string[]>> = { lee: ['lead'] };
  const byRole = (request: Request) => {
    const caller = auth(request);
    return caller === undefined ? undefined : { ...caller, roles: roles[caller.who] ?? [] };
  };
  const safety = policy({ rules: [{ name: 'money', effect: 'ask', tool: 'refund', by: 'lead' }] });
  const { url } = await agentsServed(
    { agents: { clerk: clerkSaying(refunding) }, auth: byRole, store: memoryStore(), run: { safety } },
    {},
    tenantEngine(),
  );
  const client = await clientOf(url, as('acme'));
  const lead = await clientOf(url, as('acme', 'lee'));
  const { id, status } = await taskOf(client, saying('My money'));
  expect(status?.state).toBe(8);
  expect(textsIn(status?.message?.parts)[0]).toMatch(
    /^May it be done, yes or no\? .*role 'lead': 'ada' has no role/s,
  );
  // To a lead it is a request like any other.
  expect((await lead.getTask({ tenant: '', id })).status?.state).toBe(6);
  await expect(client.sendMessage(saying('yes', { taskId: id }))).rejects.toThrow(/role 'lead'/);
  await lead.sendMessage(saying('yes', { taskId: id }));
  const states: unknown[] = [];
  for await (const { payload } of client.sendMessageStream(saying('My money'))) {
    if (payload?.$case !== 'task' && payload?.$case !== 'statusUpdate') continue;
    const { id: begun, state } =
      payload.$case === 'task'
        ? { id: payload.value.id, state: payload.value.status?.state }
        : { id: payload.value.taskId, state: payload.value.status?.state };
    states.push(state);
    if (state === 8) await lead.sendMessage(saying('yes', { taskId: begun }));
  }
  expect(states).toContain(8);
  expect(states.at(-1)).toBe(3);
});

test('of several requests a client is asked for what it may grant, and its message answers that', async () => {
  const safety = policy({ rules: [{ name: 'money', effect: 'ask', tool: 'refund', by: 'lead' }] });
  const clerk = agent({
    name: 'clerk',
    tools: [refund],
    decide: ({ results: [result] }) =>
      result === undefined ? act({ name: 'refund', input: { order: 17, euros: 39 } }) : answer(result.text),
  });
  const asker = agent({
    name: 'asker',
    tools: [askPerson],
    model: scriptedModel([calls({ name: 'ask_person', input: { question: 'Which town?' } }), 'Done.']),
  });
  const both = parallel({ name: 'both', members: { clerk, asker } });
  const { url } = await agentsServed({ agents: { both }, run: { safety } });
  const client = await clientOf(url);
  // The stream ends where the client is asked.
  const [{ payload } = {}] = await collect(client.sendMessageStream(saying('My money')));
  if (payload?.$case !== 'task') throw new Error('no task');
  const { id: taskId } = payload.value;
  const { status } = await client.getTask({ tenant: '', id: taskId });
  expect([status?.state, textsIn(status?.message?.parts)]).toEqual([6, ['Which town?']]);
  // Now the other one alone is open, which another person grants.
  expect((await taskOf(client, saying('Oslo', { taskId }))).status?.state).toBe(8);
});

test('a client may deny what it may not approve', async () => {
  const safety = policy({ rules: [{ name: 'money', effect: 'ask', tool: 'refund', by: 'lead' }] });
  const paid = refunds.length;
  const { url } = await agentsServed({ agents: { clerk: clerkSaying(refunding) }, run: { safety } });
  const client = await clientOf(url);
  const { id } = await taskOf(client, saying('My money'));
  const denied = await taskOf(client, saying('no, not now', { taskId: id }));
  expect(denied.status?.state).toBe(3);
  expect(refunds.length).toBe(paid);
});

test('the limits of the service hold, and all other addresses are its own', async () => {
  const { url } = await agentsServed({ agents: { echo }, limits: { bodyBytes: 2_000, perMinute: 3 } });
  expect((await rpc(`${url}/a2a/echo`, { text: 'x'.repeat(3_000) })).status).toBe(413);
  expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
  await rpc(`${url}/a2a/echo`, {});
  expect((await rpc(`${url}/a2a/echo`, {})).status).toBe(429);
});

test('a server that shuts down ends its streams', async () => {
  const { waiting, begun } = waiter();
  const { url, service } = await agentsServed({ agents: { waiting }, store: memoryStore() });
  const stream = (await clientOf(url)).sendMessageStream(saying('Wait'));
  await stream.next();
  await begun;
  await service.drain({ withinMs: 1 });
  expect((await stream.next()).done).toBe(true);
});

test('what is no service, and options that do not fit, are refused', async () => {
  const { service } = await agentsServed({ agents: { echo } });
  expect(() => serveA2a({ fetch: service.fetch } as never)).toThrow(/that is no service/);
  expect(() => serveA2a(service, { url: 'agents.example.com' })).toThrow(/not an address/);
  expect(() => serveA2a(service, { main: 'nobody' })).toThrow(/Cannot find the agent 'nobody' as .*echo/);
});
