import { expect, test } from 'vitest';
import { connect } from '../../../src/client/connect.ts';
import { followRun } from '../../../src/client/follow-run.ts';
import { hook } from '../../../src/events/hooks/define-hook.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { createGlobalEngine } from '../../../src/runtime/engines/global-engine.ts';
import { createRequestEngine } from '../../../src/runtime/engines/request-engine.ts';
import { createDisposableEngine } from '../../../src/runtime/engines/disposable-engine.ts';
import { serve } from '../../../src/runtime/serve/serve.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { deferred } from '../../support/runs.ts';
import { until } from '../../support/run-over-http.ts';
import {
  as,
  auth,
  clerkSaying,
  firstRequest,
  listen,
  modelSaying,
  post,
  refund,
  refunding,
  refunds,
  served,
  tenantEngine,
} from './serve-kit.ts';

/** A store with a run that waits for approval and has its answer, and that no process has. */
const withAnsweredRun = async (store = memoryStore()) => {
  const clerk = clerkSaying(refunding);
  await using first = await served({ agents: { clerk }, store, resumes: false });
  const run = await connect<typeof first.service>(first.url).start('clerk', 'go');
  const { id } = await firstRequest(run);
  await first.service.drain();
  const { answerRequest } = await import('../../../src/runtime/journal/letters/requests.ts');
  await answerRequest(store, run.runId, { id, yes: true });
  return { store, clerk, runId: run.runId };
};

test('a server that boots resumes what is due of its agents, and nothing else', async () => {
  refunds.length = 0;
  const { store, clerk, runId } = await withAnsweredRun();
  // One that waits and that no process has, one of an agent that is not served, and one that another process has.
  await using left = await served({ agents: { clerk }, store, resumes: false });
  const resting = await connect<typeof left.service>(left.url).start('clerk', 'resting');
  await firstRequest(resting);
  await left.service.drain();
  await using holder = await served({
    agents: { clerk, other: clerkSaying(refunding, 'other') },
    store,
    resumes: false,
  });
  const held = await connect<typeof holder.service>(holder.url).start('clerk', 'held');
  const foreign = await connect<typeof holder.service>(holder.url).start('other', 'foreign');
  await firstRequest(held);
  await firstRequest(foreign);
  const problems: unknown[] = [];
  await using server = await served({ agents: { clerk }, store, onProblem: (error) => problems.push(error) });
  expect(await server.service.booted).toBe(1);
  expect(await connect(server.url).at(runId).result).toMatchObject({ status: 'completed' });
  expect(refunds).toHaveLength(1);
  expect(problems).toEqual([]);
  expect((await connect(server.url).runs()).map((entry) => entry.runId)).toEqual([
    held.runId,
    resting.runId,
    runId,
  ]);
  expect((await fetch(`${server.url}/runs/${foreign.runId}`)).status).toBe(404);
});

test('what becomes due later is resumed later, too', async () => {
  refunds.length = 0;
  const clock = virtualClock();
  const store = memoryStore();
  const clerk = clerkSaying(refunding);
  await using server = await served({ agents: { clerk }, store, clock, sweepMs: 1_000 });
  expect(await server.service.booted).toBe(0);
  const { runId } = await withAnsweredRun(store);
  await clock.advance(1_000);
  await until(() => refunds.length === 1);
  expect(await connect(server.url).at(runId).result).toMatchObject({ status: 'completed' });
});

test('a run that a killed process still holds at boot is resumed soon after its hold ends', async () => {
  refunds.length = 0;
  const { store, clerk, runId } = await withAnsweredRun();
  const lease = await store.acquire(runId, { holder: 'ada:4711:killed', ttlMs: 60_000, now: Date.now() });
  const clock = virtualClock();
  await using server = await served({
    agents: { clerk },
    store: Object.assign(store, { watch: undefined }),
    clock,
  });
  expect(await server.service.booted).toBe(0);
  await clock.advance(5_000);
  expect(refunds).toEqual([]);
  await store.release(lease);
  await clock.advance(5_000);
  await until(() => refunds.length === 1);
  expect(await connect(server.url).at(runId).result).toMatchObject({ status: 'completed' });
});

test('a run that is resumed has what its engine gives to each run', async () => {
  const { store, clerk, runId } = await withAnsweredRun();
  const seen: string[] = [];
  const engine = createGlobalEngine({
    hooks: [hook({ name: 'watch', on: 'run.ended', handle: (event) => void seen.push(event.runId) })],
  });
  await using server = await served({ agents: { clerk }, store }, createRequestEngine(engine, {}));
  await server.service.booted;
  await connect(server.url).at(runId).result;
  await until(() => seen.length === 1);
  expect(seen).toEqual([runId]);
});

test('a run of a tenant that is resumed at boot is still the tenant’s', async () => {
  const store = memoryStore();
  const clerk = clerkSaying(refunding);
  let runId: string;
  {
    await using first = await served({ agents: { clerk }, store, auth }, tenantEngine());
    const run = await connect<typeof first.service>(first.url, { headers: as('acme') }).start('clerk', 'go', {
      thread: 'talk',
    });
    ({ runId } = run);
    await firstRequest(run);
    await first.service.drain();
  }
  await using second = await served({ agents: { clerk }, store, auth }, tenantEngine());
  const run = connect(second.url, { headers: as('acme') }).at(runId);
  await run.approve((await firstRequest(run)).id);
  await run.result;
  const turns = async (tenant: string) =>
    (await fetch(`${second.url}/threads/talk`, { headers: as(tenant) })).status;
  expect([await turns('acme'), await turns('other')]).toEqual([200, 404]);
});

test('runs that an app started itself are those of the tenant in their journal', async () => {
  const store = memoryStore();
  const greeter = clerkSaying(['Hello.'], 'greeter');
  const engine = tenantEngine();
  await engine.execute(greeter, 'Hi', { store, runId: 'order-17', context: { tenant: 'acme' } });
  await engine.execute(greeter, 'Hi', { store, runId: 'order-18' });
  await using server = await served({ agents: { greeter }, store, auth }, engine);
  const desk = (tenant: string) => connect(server.url, { headers: as(tenant) });
  expect(await desk('acme').at('order-17').result).toMatchObject({ output: 'Hello.' });
  await expect(desk('other').at('order-17').status()).rejects.toMatchObject({ status: 404 });
  await expect(desk('acme').at('order-18').status()).rejects.toMatchObject({ status: 404 });
  expect((await desk('acme').runs()).map(({ runId }) => runId)).toEqual(['order-17']);
});

test('a follower of a remote run has its progress, as of one in this process', async () => {
  await using server = await served({ agents: { greeter: clerkSaying(['Hello.'], 'greeter') } });
  const run = await connect<typeof server.service>(server.url).start('greeter', 'Hi');
  const follower = followRun(run);
  const stop = follower.subscribe(() => undefined);
  await until(() => follower.current.connection === 'closed');
  expect(follower.current).toMatchObject({
    failure: undefined,
    progress: { status: 'completed', output: 'Hello.' },
  });
  stop();
});

test('a client that was there before its run was resumed sees its text stream again, and each event once', async () => {
  refunds.length = 0;
  const store = memoryStore();
  const told = deferred<undefined>();
  const asking = modelSaying(refunding.slice(0, 1));
  const clerk = (isToSpeak: boolean) =>
    agent({
      name: 'clerk',
      tools: [refund],
      model: {
        ...asking,
        answer: async (request, call) => {
          if (!isToSpeak) return asking.answer(request, call);
          call.delta({ type: 'text', text: 'Your money ' });
          await told.promise;
          return modelAnswer({ text: 'Your money is on its way.' });
        },
      },
    });
  await using first = await served({ agents: { clerk: clerk(false) }, store, resumes: false });
  const { runId } = await connect<typeof first.service>(first.url).start('clerk', 'go');
  const { id } = await firstRequest(connect(first.url).at(runId));
  await first.service.drain();
  await using server = await served({ agents: { clerk: clerk(true) }, store });
  await server.service.booted;
  const opened: string[] = [];
  const counted: typeof fetch = (input, init) => {
    if (typeof input === 'string' && input.endsWith('/events')) opened.push(input);
    return fetch(input, init);
  };
  const run = connect(server.url, { fetch: counted }).at(runId);
  const numbers: number[] = [];
  let text = '';
  const reading = (async () => {
    for await (const event of run) {
      if (event.type === 'model.delta') text += event.delta.type === 'text' ? event.delta.text : '';
      else if (event.type !== 'observer.dropped') numbers.push(event.seq);
    }
  })();
  await until(() => numbers.length > 0);
  expect(text).toBe('');
  await run.approve(id);
  await until(() => text === 'Your money ');
  told.resolve(undefined);
  await reading;
  expect(numbers).toEqual(numbers.map((_, index) => index));
  expect(opened).toHaveLength(1);
  expect((await run.result).output).toBe('Your money is on its way.');
});

test('a client repeats a start that was cut off, and one run is started', async () => {
  await using server = await served({ agents: { greeter: clerkSaying(['Hello.'], 'greeter') } });
  let sent = 0;
  const desk = connect<typeof server.service>(server.url, {
    retryMs: 1,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      sent += 1;
      // The server has it, and the client never hears of it.
      if (sent === 1) throw new TypeError('The connection broke');
      return response;
    },
  });
  expect(await desk.run('greeter', 'Hi')).toMatchObject({ output: 'Hello.' });
  expect(await desk.runs()).toHaveLength(1);
});

test('a client that gives up says so, and one that is refused is not repeated', async () => {
  let asked = 0;
  const away: typeof fetch = () => {
    asked += 1;
    return Promise.reject(new TypeError('nobody is there'));
  };
  const gone = connect('http://localhost', { fetch: away, attempts: 3, retryMs: 1 });
  await expect(gone.start('clerk', 'go')).rejects.toMatchObject({ code: 'stream.refused', retryable: 'yes' });
  expect(asked).toBe(3);
  await using server = await served({ agents: { clerk: clerkSaying([]) }, auth: () => undefined });
  await expect(connect(server.url).start('clerk', 'go')).rejects.toMatchObject({
    code: 'server.refused',
    status: 401,
  });
  expect(() => connect('no address')).toThrow(expect.objectContaining({ code: 'stream.invalid' }));
});

test('a run that failed rejects the result with its error, from afar as here', async () => {
  await using server = await served({ agents: { mute: agent({ name: 'mute', model: modelSaying([]) }) } });
  await expect(connect<typeof server.service>(server.url).run('mute', 'go')).rejects.toMatchObject({
    code: 'script.exhausted',
  });
});

test('a key is remembered when its run is forgotten', async () => {
  await using server = await served({
    agents: { greeter: clerkSaying(['Hello.'], 'greeter') },
    limits: { kept: 0 },
  });
  const url = `${server.url}/agents/greeter/runs`;
  const first = (await (await post(url, { input: 'Hi' }, { 'idempotency-key': 'k' })).json()) as {
    runId: string;
  };
  await fetch(`${server.url}/runs/${first.runId}/result`);
  const again = await post(url, { input: 'Hi' }, { 'idempotency-key': 'k' });
  expect([again.status, ((await again.json()) as { runId: string }).runId]).toEqual([200, first.runId]);
});

test('who repeats a request while its run is begun has the outcome of that run, not of a guess', async () => {
  const refused = deferred<never>();
  const store = Object.assign(memoryStore(), { create: () => refused.promise });
  await using server = await served({
    agents: { greeter: clerkSaying(['Hello.'], 'greeter') },
    store,
    resumes: false,
  });
  const key = { 'idempotency-key': 'k' };
  const both = [1, 2].map(() => post(`${server.url}/agents/greeter/runs`, { input: 'Hi' }, key));
  await until(() => server.asked() === 2);
  refused.reject(new Error('no space left'));
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([503, 503]);
  Reflect.deleteProperty(store, 'create');
  expect((await post(`${server.url}/agents/greeter/runs`, { input: 'Hi' }, key)).status).toBe(201);
});

test('a queued run is there before it starts', async () => {
  const clock = virtualClock();
  const held = deferred<string>();
  const slow = agent({ name: 'slow', model: modelSaying([() => held.promise]) });
  await using server = await served({ agents: { slow }, clock }, createGlobalEngine({ concurrency: 1 }));
  const desk = connect<typeof server.service>(server.url);
  const first = await desk.start('slow', 'first');
  const pending = clock.pending;
  const starting = desk.start('slow', 'second');
  await until(() => clock.pending > pending);
  await clock.advance(1_000);
  const second = await starting;
  expect((await second.status()).status).toBe('queued');
  held.resolve('Done.');
  expect((await Promise.all([first.result, second.result])).map(({ output }) => output)).toEqual([
    'Done.',
    'Done.',
  ]);
});

test('what cannot be served is refused when the server is made', async () => {
  const engine = createGlobalEngine();
  const clerk = agent({ name: 'clerk' });
  const refused = (options: unknown) => {
    try {
      serve(engine, options as Parameters<typeof serve>[1]);
      return undefined;
    } catch (thrown) {
      return (thrown as { code: string }).code;
    }
  };
  expect(refused({ agents: { clerk: {} } })).toBe('agent.invalid');
  expect(refused({ agents: { 'a/b': clerk } })).toBe('agent.invalid');
  expect(refused({ agents: { one: clerk, two: clerk } })).toBe('agent.duplicate');
  expect(refused({ agents: {} })).toBe('input.invalid');
  expect(refused({ agents: { clerk }, auht: () => undefined })).toBe('input.invalid');
  expect(refused({ agents: { clerk }, origins: ['app.example.com'] })).toBe('input.invalid');
  expect(refused({ agents: { clerk }, limits: { bodyBytes: 0 } })).toBe('input.invalid');
  expect(() => serve(createDisposableEngine(), { agents: { clerk } })).toThrow(
    expect.objectContaining({ code: 'engine.invalid' }),
  );
  const bare = serve(engine, { agents: { clerk }, basePath: '/api/' });
  await using server = await listen(bare.fetch);
  expect([
    (await fetch(`${server.url}/api/runs`)).status,
    (await fetch(`${server.url}/runs`)).status,
  ]).toEqual([200, 404]);
});
