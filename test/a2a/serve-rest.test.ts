import type { Client } from '@a2a-js/sdk/client';
import { ClientFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/persistence/index.ts';
import { as, auth, tenantEngine } from '../runtime/serve/serve-kit.ts';
import {
  agentsServed,
  answersIn,
  asking,
  clientOf,
  collect,
  echo,
  listAll,
  saying,
  taskOf,
  textsIn,
} from './a2a-kit.ts';

/** The genuine client of an agent, by HTTP+JSON alone. */
const restClientOf = (url: string): Promise<Client> =>
  new ClientFactory({ transports: [new RestTransportFactory()] }).createFromUrl(
    url,
    `${url}/.well-known/agent-card.json`,
  );

const ask = (url: string, init: RequestInit = {}) =>
  fetch(url, { ...init, headers: { 'a2a-version': '1.0', ...Object(init.headers) } });

const send = (url: string, body: unknown, type = 'application/a2a+json') =>
  ask(url, {
    method: 'POST',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** Status of a refusal, its name and the reason of the protocol, and the media type by which it is sent. */
const refusedBy = async (response: Response) => {
  const { error } = (await response.json()) as {
    readonly error: {
      readonly code: number;
      readonly status: string;
      readonly details: readonly { readonly reason?: string }[];
    };
  };
  expect(error.code).toBe(response.status);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return [response.status, error.status, error.details[0]?.reason];
};

test('the genuine client has a conversation by HTTP+JSON: it sends, streams, looks, lists, subscribes, answers and cancels', async () => {
  const { url, heard } = await agentsServed({ agents: { asking }, store: memoryStore() });
  const client = await restClientOf(url);
  const task = await taskOf(client, saying('Book a train'));
  const { id, contextId } = task;
  expect(textsIn(task.status?.message?.parts)).toEqual(['Which town?']);
  expect((await client.getTask({ tenant: '', id, historyLength: 0 })).history).toEqual([]);
  expect((await client.getTask({ tenant: '', id, historyLength: 1 })).history).toHaveLength(1);
  const updates = client.resubscribeTask({ tenant: '', id });
  expect((await updates.next()).value).toMatchObject({ payload: { $case: 'task', value: { id } } });
  const rest = collect({ [Symbol.asyncIterator]: () => updates });
  expect(answersIn(await taskOf(client, saying('Oslo', { taskId: id })))).toEqual(['To Oslo.']);
  expect((await rest).map(({ payload }) => payload?.$case)).toContain('artifactUpdate');

  const streamed = await collect(client.sendMessageStream(saying('Book', { contextId })));
  const [first] = streamed;
  expect(first?.payload?.$case).toBe('task');
  const other = first?.payload?.$case === 'task' ? first.payload.value.id : '';
  const cancelled = await client.cancelTask({ tenant: '', id: other, metadata: undefined });
  expect(cancelled.status?.state).toBe(5);
  const { tasks, totalSize } = await client.listTasks(listAll({ contextId, includeArtifacts: true }));
  expect(tasks.map((each) => each.id)).toEqual([other, id]);
  expect(totalSize).toBe(2);
  expect(answersIn(tasks[1] ?? cancelled)).toEqual(['To Oslo.']);
  expect((await client.listTasks(listAll({ status: 5, pageSize: 1 }))).tasks).toHaveLength(1);
  // All of it by addresses of its own.
  expect(heard.filter(({ path }) => path === '/a2a/asking')).toEqual([]);
  expect(heard.map(({ path }) => path)).toContain(`/a2a/asking/tasks/${id}:subscribe`);
});

test('both bindings have the same tasks, and say the same of them', async () => {
  const { url } = await agentsServed({ agents: { asking }, store: memoryStore() });
  const [rest, rpc] = await Promise.all([restClientOf(url), clientOf(url)]);
  const { id } = await taskOf(rpc, saying('Book'));
  await taskOf(rest, saying('Oslo', { taskId: id }));
  const request = { tenant: '', id };
  expect(await rest.getTask(request)).toEqual(await rpc.getTask(request));
  const page = listAll({ pageSize: 10, includeArtifacts: true });
  expect(await rest.listTasks(page)).toEqual(await rpc.listTasks(page));
});

test('a response is of the media type of A2A, with all fields that have to be there', async () => {
  const { url } = await agentsServed({ agents: { echo, asking } });
  const empty = await ask(`${url}/a2a/echo/tasks`);
  expect(empty.headers.get('content-type')).toBe('application/a2a+json; charset=utf-8');
  expect(await empty.json()).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
  const message = { messageId: 'one', role: 'ROLE_USER', parts: [{ text: 'Hi' }] };
  const sent: unknown = await (
    await send(`${url}/a2a/echo/message:send`, { message }, 'application/json')
  ).json();
  expect(sent).toMatchObject({
    task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'You said: Hi' }] }] },
  });
  const list = async (more: string) =>
    ((await (await ask(`${url}/a2a/echo/tasks?${more}`)).json()) as { readonly tasks: readonly object[] })
      .tasks;
  expect(await list('status=TASK_STATE_COMPLETED')).toHaveLength(1);
  expect(await list('status=TASK_STATE_FAILED')).toEqual([]);
  expect((await list('includeArtifacts=false'))[0]).not.toHaveProperty('artifacts');
  expect((await list('includeArtifacts=true'))[0]).toHaveProperty('artifacts');
  await send(`${url}/a2a/asking/message:send`, { message: { ...message, messageId: 'two' } });
  const waiting = await (await ask(`${url}/a2a/asking/tasks?includeArtifacts=true`)).json();
  expect(waiting).toMatchObject({ tasks: [{ artifacts: [] }] });
});

test('a refusal has the status, the name and the reason of its kind', async () => {
  const { url } = await agentsServed({ agents: { echo }, limits: { bodyBytes: 2_000 } });
  const base = `${url}/a2a/echo`;
  const unsupported = [400, 'FAILED_PRECONDITION'];
  expect(await refusedBy(await ask(`${base}/tasks/run-x`))).toEqual([404, 'NOT_FOUND', 'TASK_NOT_FOUND']);
  expect((await refusedBy(await fetch(`${base}/tasks`)))[2]).toBe('VERSION_NOT_SUPPORTED');
  expect(await refusedBy(await ask(`${base}/extendedAgentCard`))).toEqual([
    ...unsupported,
    'UNSUPPORTED_OPERATION',
  ]);
  const push = `${base}/tasks/run-x/pushNotificationConfigs`;
  expect(await refusedBy(await send(push, { url: 'https://x.example' }))).toEqual([
    ...unsupported,
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
  ]);
  expect((await refusedBy(await ask(`${push}/one`, { method: 'DELETE' })))[2]).toBe(
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
  );
  expect((await refusedBy(await send(`${base}/message:send`, {}, 'text/plain')))[2]).toBe(
    'CONTENT_TYPE_NOT_SUPPORTED',
  );
  const malformed = [400, 'INVALID_ARGUMENT'];
  for (const body of ['{', '[]', '{}'])
    expect((await refusedBy(await send(`${base}/message:send`, body))).slice(0, 2)).toEqual(malformed);
  for (const query of [
    'pageSize=two',
    'pageSize=0',
    'historyLength=-1',
    'includeArtifacts=yes',
    'pageToken=x',
  ])
    expect((await refusedBy(await ask(`${base}/tasks?${query}`))).slice(0, 2)).toEqual(malformed);
  expect((await refusedBy(await send(`${base}/message:send`, { text: 'x'.repeat(3_000) })))[0]).toBe(413);
  // A stream that is refused is none.
  expect(await refusedBy(await send(`${base}/tasks/run-x:subscribe`, {}))).toEqual([
    404,
    'NOT_FOUND',
    'TASK_NOT_FOUND',
  ]);
});

test('an address takes its own methods, and others are not of A2A', async () => {
  const { url } = await agentsServed({ agents: { echo } });
  const wrong = await ask(`${url}/a2a/echo/message:send`);
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
  expect((await send(`${url}/a2a/echo/tasks`, {})).status).toBe(405);
  for (const path of ['nothing', 'tasks/x/y', 'message:sent', 'tasks/%', 'tasks/'])
    expect((await ask(`${url}/a2a/echo/${path}`)).status).toBe(404);
  const encoded = await ask(`${url}/a2a/echo/tasks/${encodeURIComponent('run/x')}`);
  expect(encoded.status).toBe(404);
});

test('callers, their rights and their tenants hold as for JSON-RPC', async () => {
  const may = (request: Request) => {
    const caller = auth(request);
    return caller?.who === 'eve' ? { ...caller, may: ['watch'] as const } : caller;
  };
  const { url } = await agentsServed({ agents: { echo }, auth: may }, {}, tenantEngine());
  const { id } = await taskOf(await clientOf(url, as('acme')), saying('Hi'));
  const look = (headers: Readonly<Record<string, string>>, query = '') =>
    ask(`${url}/a2a/echo/tasks/${id}${query}`, { headers });
  expect((await look({})).status).toBe(401);
  expect((await look(as('acme'))).status).toBe(200);
  expect((await look(as('acme', 'eve'))).status).toBe(200);
  expect((await look(as('other'))).status).toBe(404);
  expect((await look(as('acme'), '?tenant=other')).status).toBe(400);
  const cancel = await ask(`${url}/a2a/echo/tasks/${id}:cancel`, {
    method: 'POST',
    headers: as('acme', 'eve'),
  });
  expect(await refusedBy(cancel)).toEqual([403, 'INVALID_ARGUMENT', 'INVALID_PARAMS']);
});

test('a binding that an app takes out of its card is not spoken', async () => {
  const { url } = await agentsServed(
    { agents: { echo } },
    { card: (card) => ({ ...card, supportedInterfaces: card.supportedInterfaces.slice(0, 1) }) },
  );
  expect((await refusedBy(await ask(`${url}/a2a/echo/tasks`)))[2]).toBe('VERSION_NOT_SUPPORTED');
  expect(answersIn(await taskOf(await clientOf(url), saying('Hi')))).toEqual(['You said: Hi']);
});
