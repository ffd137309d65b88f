import { expect, test } from 'vitest';
import { z } from 'zod';
import { connect } from '../../../src/client/connect.ts';
import type { LiveEvent } from '../../../src/contracts/events/event.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { createGlobalEngine } from '../../../src/runtime/engines/global-engine.ts';
import { serve } from '../../../src/runtime/serve/serve.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { deferred } from '../../support/runs.ts';
import { until } from '../../support/run-over-http.ts';
import {
  as,
  firstRequest,
  auth,
  clerkSaying,
  modelSaying,
  post,
  refunding,
  refunds,
  refusalOf,
  readEvents,
  served,
  tenantEngine,
} from './serve-kit.ts';

const greeter = clerkSaying(['Hello.'], 'greeter');

test('a run is started, followed and read to its result', async () => {
  await using server = await served({ agents: { greeter } });
  const started = await post(`${server.url}/agents/greeter/runs`, { input: 'Hi' });
  expect(started.status).toBe(201);
  const { runId } = (await started.json()) as { runId: string };
  expect(started.headers.get('location')).toBe(`/runs/${runId}`);
  const result = await fetch(`${server.url}/runs/${runId}/result`);
  expect(result.status).toBe(200);
  expect(await result.json()).toMatchObject({
    runId,
    status: 'completed',
    output: 'Hello.',
    stopReason: { kind: 'answered' },
  });
  const text = await (await fetch(`${server.url}/runs/${runId}/events`)).text();
  expect(text).toMatch(/^retry: 1000\n\nid: 0\nevent: run\.started\n/);
  expect(text).toContain('event: run.ended');
});

test('a client has the verbs of a handle, and the same events', async () => {
  await using server = await served({ agents: { clerk: clerkSaying(refunding) } });
  refunds.length = 0;
  const desk = connect<typeof server.service>(server.url);
  const run = await desk.start('clerk', 'My kettle is broken.');
  const seen: LiveEvent[] = [];
  const over = new Promise<void>((complete, error) => {
    run.events$.subscribe({ next: (event) => void seen.push(event), error, complete });
  });
  await until(() => seen.some(({ type }) => type === 'tool.approval-requested'));
  const [request] = await run.requests();
  expect(request).toMatchObject({ kind: 'approval', tool: 'refund', input: { order: 17, euros: 39 } });
  expect(await run.status()).toMatchObject({ status: 'waiting', agent: 'clerk' });
  await run.approve(request?.id ?? '', { input: { order: 17, euros: 20 } });
  const { output, status } = await run.result;
  await over;
  expect({ output, status }).toEqual({ output: 'Your money is on its way.', status: 'completed' });
  expect(refunds).toEqual([{ order: 17, euros: 20 }]);
  const again: LiveEvent[] = [];
  for await (const event of run) again.push(event);
  const durable = (events: readonly LiveEvent[]) => events.filter(({ type }) => type !== 'model.delta');
  expect(durable(again)).toEqual(durable(seen));
  // The server vouches for the person.
  expect(seen.find(({ type }) => type === 'tool.approved')).toMatchObject({ by: { name: 'anybody' } });
});

test('a call is denied with a reason, and a question gets a reply', async () => {
  await using server = await served({ agents: { clerk: clerkSaying(refunding) } });
  refunds.length = 0;
  const run = await connect(server.url).start('clerk', 'My kettle is broken.');
  const request = await firstRequest(run);
  await run.deny(request.id, 'it is used');
  await run.result;
  expect(refunds).toEqual([]);
  await expect(run.approve(request.id)).rejects.toMatchObject({ code: 'run.ended' });
});

test('a run is paused, stepped, resumed and aborted from afar', async () => {
  await using server = await served({ agents: { clerk: clerkSaying(['One.']) } });
  const desk = connect<typeof server.service>(server.url);
  const run = await desk.start('clerk', 'go', { paused: true });
  expect((await run.status()).status).toBe('paused');
  await run.step('effect');
  expect((await run.status()).status).toBe('paused');
  await run.resume();
  expect((await run.result).output).toBe('One.');
  const other = await desk.start('clerk', 'go', { paused: true });
  await other.abort('no more');
  expect(await other.result).toMatchObject({
    status: 'aborted',
    stopReason: { kind: 'aborted', reason: 'no more' },
  });
});

test('the same key and body are the same run, with a store and without; another body is refused', async () => {
  for (const store of [undefined, memoryStore()]) {
    await using server = await served({ agents: { greeter }, store });
    const key = { 'idempotency-key': 'order-17' };
    const url = `${server.url}/agents/greeter/runs`;
    const replies = await Promise.all([1, 2, 3].map(() => post(url, { input: 'Hi' }, key)));
    const bodies = await Promise.all(replies.map((reply) => reply.json() as Promise<{ runId: string }>));
    expect(new Set(bodies.map(({ runId }) => runId)).size).toBe(1);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 201]);
    expect(await refusalOf(await post(url, { input: 'Ho' }, key))).toEqual([409, 'run.duplicate']);
    expect(await connect(server.url).runs()).toHaveLength(1);
  }
});

test('of two servers of one store, one starts the run of a key', async () => {
  const store = memoryStore();
  await using one = await served({ agents: { greeter }, store });
  await using other = await served({ agents: { greeter }, store });
  const started = await Promise.all(
    [one, other].map(async ({ url }) =>
      (await post(`${url}/agents/greeter/runs`, { input: 'Hi' }, { 'idempotency-key': 'k' })).json(),
    ),
  );
  const ids = started.map((each) => (each as { runId: string }).runId);
  expect(new Set(ids).size).toBe(1);
  expect(await connect(other.url).at(ids[0] ?? '').result).toMatchObject({ output: 'Hello.' });
  expect((await store.list()).length).toBe(1);
});

test('a run of the store is read, answered and controlled by a server that did not start it', async () => {
  const store = memoryStore();
  const clerk = clerkSaying(refunding);
  refunds.length = 0;
  let runId: string;
  {
    await using first = await served({ agents: { clerk }, store });
    const run = await connect<typeof first.service>(first.url).start('clerk', 'My kettle is broken.');
    runId = run.runId;
    await firstRequest(run);
    await first.service.drain();
  }
  await using second = await served({ agents: { clerk }, store });
  const run = connect(second.url).at(runId);
  const request = await firstRequest(run);
  expect((await run.status()).status).toBe('waiting');
  await run.approve(request.id);
  expect(await run.result).toMatchObject({ status: 'completed', output: 'Your money is on its way.' });
  expect(refunds).toHaveLength(1);
});

test('a run that another server has gets its answer by letter', async () => {
  const store = memoryStore();
  refunds.length = 0;
  const clerk = clerkSaying(refunding);
  await using holder = await served({ agents: { clerk }, store });
  await using other = await served({ agents: { clerk }, store });
  const run = await connect<typeof holder.service>(holder.url).start('clerk', 'go');
  const far = connect(other.url).at(run.runId);
  const request = await firstRequest(far);
  await expect(far.step()).rejects.toMatchObject({ code: 'journal.held' });
  await far.approve(request.id);
  expect(await far.result).toMatchObject({ output: 'Your money is on its way.' });
  expect(refunds).toHaveLength(1);
  const { events } = await readEvents(`${other.url}/runs/${run.runId}/events`);
  expect(events.at(-1)?.type).toBe('run.ended');
});

test('a thread is continued, and listed with its turns', async () => {
  const store = memoryStore();
  await using server = await served({ agents: { greeter }, store });
  const desk = connect<typeof server.service>(server.url);
  await desk.run('greeter', 'My name is Ada.', { thread: 'ada' });
  const threads = (await (await fetch(`${server.url}/threads`)).json()) as { threads: { id: string }[] };
  expect(threads.threads.map(({ id }) => id)).toEqual(['ada']);
  const thread = (await (await fetch(`${server.url}/threads/ada`)).json()) as { turns: { text: string }[] };
  expect(thread.turns.map(({ text }) => text)).toEqual(['My name is Ada.', 'Hello.']);
  expect(await refusalOf(await fetch(`${server.url}/threads/bob`))).toEqual([404, 'thread.unknown']);
});

test('a run is forked at a step, with another message', async () => {
  const store = memoryStore();
  await using server = await served({ agents: { greeter }, store });
  const run = await connect<typeof server.service>(server.url).start('greeter', 'Hi');
  await run.result;
  const other = await run.fork({ at: { step: 0 } });
  expect(other.runId).not.toBe(run.runId);
  expect((await other.result).output).toBe('Hello.');
  expect(await other.status()).toMatchObject({ status: 'completed' });
});

test('without a store, what needs one is refused by name', async () => {
  await using server = await served({ agents: { greeter } });
  const run = await connect<typeof server.service>(server.url).start('greeter', 'Hi');
  await run.result;
  await expect(run.fork()).rejects.toMatchObject({ code: 'engine.invalid', status: 501 });
  expect(await refusalOf(await fetch(`${server.url}/threads`))).toEqual([501, 'engine.invalid']);
});

test('media of a run are given by their hash, and by no other', async () => {
  const store = memoryStore();
  await using server = await served({ agents: { greeter }, store });
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const input = [
    { type: 'text', text: 'What is this?' },
    { type: 'image', data: png },
  ];
  const run = await connect<typeof server.service>(server.url).start('greeter', input as never);
  await run.result;
  const [, hash = ''] = /"hash":"([0-9a-f]{64})"/.exec(await (await fetch(run.url)).text()) ?? [];
  const blob = await fetch(`${server.url}/runs/${run.runId}/blobs/${hash}`);
  expect(blob.headers.get('content-type')).toBe('image/png');
  expect(Buffer.from(await blob.arrayBuffer()).toString('base64')).toBe(png);
  const other = await connect<typeof server.service>(server.url).start('greeter', 'no picture');
  await other.result;
  expect(await refusalOf(await fetch(`${server.url}/runs/${other.runId}/blobs/${hash}`))).toEqual([
    404,
    'content.missing',
  ]);
});

test('a result that is not there yet is awaited, and then 202', async () => {
  const clock = virtualClock();
  const held = deferred<string>();
  const slow = agent({ name: 'slow', model: modelSaying([() => held.promise]) });
  await using server = await served({ agents: { slow }, clock, limits: { waitMs: 1_000 } });
  const run = await connect<typeof server.service>(server.url).start('slow', 'go');
  const asked = fetch(`${server.url}/runs/${run.runId}/result`);
  await until(() => clock.pending > 0);
  await clock.advance(1_000);
  expect((await asked).status).toBe(202);
  expect((await fetch(`${server.url}/runs/${run.runId}/result?waitMs=0`)).status).toBe(202);
  const { result } = run;
  held.resolve('At last.');
  expect((await result).output).toBe('At last.');
});

test('inputs are validated by the schema of the agent, before a run is made of them', async () => {
  const shop = agent({
    name: 'shop',
    input: z.object({ order: z.number() }),
    model: modelSaying(['Shipped.']),
  });
  await using server = await served({ agents: { shop } });
  const desk = connect<typeof server.service>(server.url);
  expect(await desk.run('shop', { order: 17 })).toMatchObject({ output: 'Shipped.' });
  await expect(desk.start('shop', { order: 'x' } as never)).rejects.toMatchObject({
    code: 'input.invalid',
    status: 400,
  });
  expect(await desk.runs()).toHaveLength(1);
});

test('the OpenAPI document has the schemas of each agent', async () => {
  const shop = agent({
    name: 'shop',
    input: z.object({ order: z.number() }),
    output: z.object({ total: z.number() }),
    model: modelSaying([]),
  });
  await using server = await served({ agents: { shop, greeter } });
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Record<string, never>;
  expect(document).toEqual(JSON.parse(JSON.stringify(server.service.openApi())));
  expect(document).toMatchObject({
    openapi: '3.1.0',
    paths: {
      '/agents/shop/runs': {
        post: {
          requestBody: {
            content: {
              'application/json': {
                schema: { properties: { input: { properties: { order: { type: 'number' } } } } },
              },
            },
          },
        },
      },
      '/agents/greeter/runs': {},
      '/runs/{run}/events': { get: {} },
    },
    components: {
      schemas: { ResultOf_shop: { properties: { output: { properties: { total: { type: 'number' } } } } } },
    },
  });
});

test('tenants have runs, threads and lists of their own', async () => {
  const store = memoryStore();
  await using server = await served({ agents: { greeter }, store, auth }, tenantEngine());
  const acme = connect<typeof server.service>(server.url, { headers: as('acme') });
  const other = connect<typeof server.service>(server.url, { headers: as('other') });
  const run = await acme.start('greeter', 'Hi', { thread: 'talk', key: 'k' });
  await run.result;
  expect(await other.runs()).toEqual([]);
  expect(await acme.runs()).toMatchObject([{ runId: run.runId, agent: 'greeter' }]);
  const theirs = await other.start('greeter', 'Ho', { thread: 'talk', key: 'k' });
  await theirs.result;
  expect(theirs.runId).not.toBe(run.runId);
  const { turns } = (await (await fetch(`${server.url}/threads/talk`, { headers: as('other') })).json()) as {
    turns: { text: string }[];
  };
  expect(turns.map(({ text }) => text)).toEqual(['Ho', 'Hello.']);
  expect((await run.status()).status).toBe('completed');
  await expect(other.at(run.runId).status()).rejects.toMatchObject({ code: 'journal.unknown', status: 404 });
});

test('an engine that does not tell tenants apart serves none', async () => {
  const problems: unknown[] = [];
  await using server = await served({
    agents: { greeter },
    auth,
    onProblem: (error) => problems.push(error),
  });
  const acme = connect<typeof server.service>(server.url, { headers: as('acme') });
  await expect(acme.start('greeter', 'Hi')).rejects.toMatchObject({ code: 'engine.invalid', status: 501 });
});

test('a server that shuts down ends its streams with a hint, refuses runs, and suspends what it has', async () => {
  const store = memoryStore();
  const clerk = clerkSaying(refunding);
  await using server = await served({ agents: { clerk }, store });
  const run = await connect<typeof server.service>(server.url).start('clerk', 'go');
  await firstRequest(run);
  // One that has all events there are, and waits, and one that has just connected.
  const waiting = await fetch(run.url);
  const reader = waiting.body?.pipeThrough(new TextDecoderStream()).getReader();
  let said = '';
  while (!said.includes('tool.approval-requested')) said += (await reader?.read())?.value ?? '';
  const fresh = await fetch(run.url);
  await server.service.drain();
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) said += next.value;
  expect(said).toMatch(/retry: 1000\n\n: the server is shutting down\n\n$/);
  expect(await fresh.text()).toMatch(/retry: 1000\n\n: the server is shutting down\n\n$/);
  const refused = await post(`${server.url}/agents/clerk/runs`, { input: 'go' });
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refusalOf(refused)).toEqual([503, 'engine.closed']);
  expect((await store.entry(run.runId))?.status).toBe('waiting');
  expect(await store.leases()).toEqual([]);
});

test('a server without a store lets its runs finish for a while, and aborts them then', async () => {
  const clock = virtualClock();
  const slow = agent({ name: 'slow', model: modelSaying([() => new Promise<string>(() => undefined)]) });
  const engine = createGlobalEngine();
  const service = serve(engine, { agents: { slow }, clock });
  const begun = await service.fetch(
    new Request('http://localhost/agents/slow/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"input":"go"}',
    }),
  );
  expect(begun.status).toBe(201);
  const drained = service.drain({ withinMs: 5_000 });
  await clock.advance(5_000);
  await drained;
  await engine.shutdown();
});
