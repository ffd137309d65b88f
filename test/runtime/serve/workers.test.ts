import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { act, answer, tool } from '../../../src/index.ts';
import { connect } from '../../../src/client/connect.ts';
import type { LiveEvent } from '../../../src/contracts/events/event.ts';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { heldMark } from '../../../src/runtime/journal/versions/held-marks.ts';
import { serve } from '../../../src/runtime/serve/serve.ts';
import { partsOf } from '../../../src/runtime/serve/service-parts.ts';
import { createGlobalEngine } from '../../../src/runtime/engines/global-engine.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { deferred } from '../../support/runs.ts';
import { until } from '../../support/run-over-http.ts';
import {
  as,
  auth,
  clerkSaying,
  firstRequest,
  modelSaying,
  post,
  readEvents,
  refunding,
  refunds,
  refusalOf,
  served,
  tenantEngine,
} from './serve-kit.ts';

/** A server that enters runs in the store, and whose own agents would fail. */
const front = (store: JournalStore, names: readonly string[] = ['clerk']) =>
  served({
    agents: Object.fromEntries(names.map((name) => [name, clerkSaying([], name)])),
    store,
    executes: false,
  });

/** Asks until it is so. */
const eventually = (question: () => Promise<boolean>): Promise<void> =>
  vi.waitFor(
    async () => {
      if (!(await question())) throw new Error('it is not so yet');
    },
    { timeout: 20_000, interval: 10 },
  );

/** A store that is looked at now and then only. */
const withoutWatch = (): JournalStore => Object.assign(memoryStore(), { watch: undefined });

test('a run that is entered by one server is executed by another, and reached by the first all the while', async () => {
  refunds.length = 0;
  const store = memoryStore();
  await using entrance = await front(store);
  await using worker = await served({ agents: { clerk: clerkSaying(refunding) }, store });
  await worker.service.booted;
  const run = await connect<typeof entrance.service>(entrance.url).start('clerk', 'go');
  const request = await firstRequest(run);
  expect((await run.status()).status).toBe('waiting');
  expect(refunds).toEqual([]);
  await run.approve(request.id);
  expect(await run.result).toMatchObject({ status: 'completed', output: 'Your money is on its way.' });
  expect(refunds).toHaveLength(1);
  const { events } = await readEvents(`${entrance.url}/runs/${run.runId}/events`);
  expect(events.map((event) => event.type).filter((type) => type === 'run.started')).toHaveLength(1);
  expect(events.at(-1)?.type).toBe('run.ended');
  const here = await readEvents(`${worker.url}/runs/${run.runId}/events`);
  expect(events).toEqual(here.events.filter(({ type }) => type !== 'model.delta'));
});

test('its log is that of a run that was executed where it began', async () => {
  const typesOf = async (url: string, runId: string) =>
    (await readEvents(`${url}/runs/${runId}/events`)).events.map(({ type }) => type);
  const greeter = () => clerkSaying(['Hello.'], 'greeter');
  const store = memoryStore();
  await using entrance = await front(store, ['greeter']);
  await using worker = await served({ agents: { greeter: greeter() }, store });
  await using alone = await served({ agents: { greeter: greeter() }, store: memoryStore() });
  const [far, near] = await Promise.all(
    [entrance.url, alone.url].map(async (url) => connect(url).start('greeter', 'Hi')),
  );
  if (far === undefined || near === undefined) throw new Error('no runs');
  await Promise.all([far.result, near.result]);
  expect(await typesOf(worker.url, far.runId)).toEqual(await typesOf(alone.url, near.runId));
});

test('a run is paused, resumed and aborted from a server that does not have it', async () => {
  const store = memoryStore();
  const held = deferred<string>();
  await using entrance = await front(store, ['slow']);
  await using worker = await served({
    agents: { slow: agent({ name: 'slow', model: modelSaying([() => held.promise]) }) },
    store,
  });
  await worker.service.booted;
  const run = await connect<typeof entrance.service>(entrance.url).start('slow', 'go', { paused: true });
  const statusAt = async (url: string) => (await connect(url).at(run.runId).status()).status;
  await eventually(async () => (await statusAt(worker.url)) === 'paused');
  await run.resume();
  await eventually(async () => (await statusAt(worker.url)) === 'running');
  await run.pause();
  await eventually(async () => (await statusAt(worker.url)) === 'paused');
  await run.abort('enough');
  expect(await run.result).toMatchObject({
    status: 'aborted',
    stopReason: { kind: 'aborted', reason: 'enough' },
  });
  held.resolve('too late');
});

test('a worker takes as many runs as it has room for, and those that only wait give way', async () => {
  refunds.length = 0;
  const store = withoutWatch();
  const clock = virtualClock();
  await using entrance = await front(store);
  const desk = connect<typeof entrance.service>(entrance.url);
  const runs: Awaited<ReturnType<typeof desk.start>>[] = [];
  for (const number of [1, 2, 3]) runs.push(await desk.start('clerk', `order ${number}`));
  await using worker = await served({
    agents: { clerk: clerkSaying(refunding) },
    store,
    clock,
    sweepMs: 1_000,
    limits: { runs: 2 },
  });
  expect(await worker.service.booted).toBe(2);
  const statuses = async () => Promise.all(runs.map(async (run) => (await store.entry(run.runId))?.status));
  await eventually(async () => (await statuses()).join() === 'waiting,waiting,running');
  expect(await store.leases()).toHaveLength(2);
  await clock.advance(1_000);
  await eventually(async () => (await statuses()).join() === 'waiting,waiting,waiting');
  expect(await store.leases()).toHaveLength(2);
  // Whoever has been left is resumed by its answer.
  for (const run of runs) await run.approve((await firstRequest(run)).id);
  for (let count = 0; count < 3; count += 1) {
    await clock.advance(1_000);
    await until(() => refunds.length > count);
  }
  for (const run of runs) expect(await run.result).toMatchObject({ status: 'completed' });
  expect(refunds).toHaveLength(3);
});

test('a server that is full of runs that only wait has room for another one', async () => {
  const store = memoryStore();
  const held = deferred<string>();
  await using server = await served({
    agents: {
      clerk: clerkSaying(refunding),
      slow: agent({ name: 'slow', model: modelSaying([() => held.promise]) }),
    },
    store,
    limits: { runs: 1 },
  });
  await server.service.booted;
  const desk = connect<typeof server.service>(server.url);
  const waiting = await desk.start('clerk', 'go');
  await firstRequest(waiting);
  const slow = await desk.start('slow', 'go');
  expect((await waiting.status()).status).toBe('waiting');
  // This one works.
  expect(await refusalOf(await post(`${server.url}/agents/clerk/runs`, { input: 'go' }))).toEqual([
    429,
    'engine.full',
  ]);
  held.resolve('Done.');
  expect(await slow.result).toMatchObject({ output: 'Done.' });
  await waiting.approve((await firstRequest(waiting)).id);
  expect(await waiting.result).toMatchObject({ output: 'Your money is on its way.' });
});

test('who follows a run that gives way is shown no end of it, and then how it goes on', async () => {
  refunds.length = 0;
  const store = memoryStore();
  await using worker = await served({
    agents: { clerk: clerkSaying(refunding) },
    store,
    limits: { runs: 1 },
  });
  await worker.service.booted;
  const desk = connect<typeof worker.service>(worker.url);
  const run = await desk.start('clerk', 'go');
  const request = await firstRequest(run);
  const seen: LiveEvent[] = [];
  const reading = (async () => {
    for await (const event of run) seen.push(event);
  })();
  const result = run.result;
  await until(() => seen.some(({ type }) => type === 'tool.approval-requested'));
  // Another one is due: there is room for one.
  await using entrance = await front(store);
  const other = await connect<typeof entrance.service>(entrance.url).start('clerk', 'go');
  await eventually(async () => (await store.leases()).every(({ runId }) => runId === other.runId));
  await firstRequest(other);
  await run.approve(request.id);
  expect(await result).toMatchObject({ output: 'Your money is on its way.' });
  await reading;
  const numbers = seen.flatMap((event) => ('seq' in event ? [event.seq] : []));
  expect(numbers).toEqual(numbers.map((_, index) => index));
  expect(seen.filter(({ type }) => type === 'run.ended')).toMatchObject([{ status: 'completed' }]);
  expect(refunds).toHaveLength(1);
});

test('clients of OpenAI are answered by workers, too', async () => {
  const store = memoryStore();
  await using entrance = await served({
    agents: { greeter: clerkSaying([], 'greeter') },
    store,
    executes: false,
    openai: true,
  });
  await using worker = await served({ agents: { greeter: clerkSaying(['Hello.'], 'greeter') }, store });
  await worker.service.booted;
  const ask = async (path: string, body: object) =>
    (await post(`${entrance.url}/v1/${path}`, { model: 'greeter', ...body })).json();
  expect(await ask('chat/completions', { messages: [{ role: 'user', content: 'Hi' }] })).toMatchObject({
    choices: [{ message: { content: 'Hello.' }, finish_reason: 'stop' }],
  });
  expect(await ask('responses', { input: 'Hi' })).toMatchObject({
    status: 'completed',
    output: [{ content: [{ text: 'Hello.' }] }],
  });
});

test('tenants take turns, however many runs one of them has', async () => {
  const store = withoutWatch();
  await using entrance = await served(
    { agents: { greeter: clerkSaying([], 'greeter') }, store, auth, executes: false },
    tenantEngine(),
  );
  const start = async (tenant: string, input: string) =>
    connect(entrance.url, { headers: as(tenant) }).start('greeter', input);
  for (const input of ['a1', 'a2', 'a3', 'a4']) await start('acme', input);
  for (const input of ['b1', 'b2']) await start('other', input);
  const begun: string[] = [];
  const greeter = agent({
    name: 'greeter',
    model: modelSaying([
      ({ messages }) => {
        begun.push(JSON.stringify(messages[0]).match(/[ab]\d/)?.[0] ?? '?');
        return 'Hello.';
      },
    ]),
  });
  await using worker = await served({ agents: { greeter }, store, auth }, tenantEngine());
  expect(await worker.service.booted).toBe(6);
  await until(() => begun.length === 6);
  expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
});

test('a run that cannot be resumed is named once, attempted ever more rarely, and does not keep others waiting', async () => {
  const store = withoutWatch();
  const clock = virtualClock();
  await using entrance = await front(store, ['clerk', 'greeter']);
  const desk = connect<typeof entrance.service>(entrance.url);
  const broken = await desk.start('clerk', 'go');
  const [row] = await store.read(broken.runId);
  const problems: unknown[] = [];
  let attempts = 0;
  const damaged: JournalStore = Object.assign(Object.create(store) as JournalStore, {
    subscribe: undefined,
    publish: undefined,
    read: (runId: string, from = 0, limit = Infinity) => {
      if (runId !== broken.runId || limit === 1) return store.read(runId, from, limit);
      attempts += 1;
      return [{ n: 0, text: row?.text.slice(1) ?? '' }];
    },
  });
  for (const name of [
    'due',
    'leases',
    'entry',
    'acquire',
    'release',
    'letters',
    'commit',
    'renew',
    'files',
  ] as const)
    Object.assign(damaged, { [name]: (store[name] as (...given: unknown[]) => unknown).bind(store) });
  await using worker = await served({
    agents: { clerk: clerkSaying(refunding), greeter: clerkSaying(['Hello.'], 'greeter') },
    store: damaged,
    clock,
    sweepMs: 500,
    onProblem: (error) => problems.push(error),
  });
  await worker.service.booted;
  expect(problems).toMatchObject([{ code: 'journal.corrupt' }]);
  const other = await desk.start('greeter', 'Hi');
  for (let looks = 0; looks < 120; looks += 1) {
    await clock.advance(500);
    // Each look arms the timer of the next.
    await eventually(async () => clock.pending > 0);
  }
  expect(await other.result).toMatchObject({ output: 'Hello.' });
  // At 0, 1, 3, 7, 15 and 31 s.
  await until(() => attempts >= 6);
  expect(attempts).toBe(6);
  expect(problems).toHaveLength(1);
  expect(partsOf(worker.service)?.serving.runs.held).toBe(1);
  const entry = await store.entry(broken.runId);
  expect(entry && (await heldMark(store, entry))).toMatchObject({ code: 'journal.corrupt' });
});

test('a server that executes none refuses runs while too many wait, and what it cannot do without one', async () => {
  const store = memoryStore();
  await using entrance = await served({
    agents: { clerk: clerkSaying([]) },
    store,
    executes: false,
    limits: { runs: 2 },
  });
  const url = `${entrance.url}/agents/clerk/runs`;
  const answers = [];
  for (const input of ['one', 'two', 'three']) answers.push(await post(url, { input }));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
  const [run] = await connect(entrance.url).runs();
  expect((await post(`${entrance.url}/runs/${run?.runId}/fork`, {})).status).toBe(501);
  const refused = (options: object) => () =>
    serve(createGlobalEngine(), { agents: { clerk: clerkSaying([]) }, executes: false, ...options });
  expect(refused({})).toThrow(expect.objectContaining({ code: 'input.invalid' }));
  expect(refused({ store, resumes: true })).toThrow(expect.objectContaining({ code: 'input.invalid' }));
});

test('a run whose call was under way, and whose tool is gone, is held: named once, counted, and taken by a process that has the tool', async () => {
  const store = withoutWatch();
  const begun = deferred<undefined>();
  const paying = (name: string, execute: () => Promise<string> | string) =>
    agent({
      name: 'payer',
      tools: [tool({ name, description: 'Pays.', idempotent: true, input: z.object({}), execute })],
      decide: ({ results }) =>
        results.length === 0 ? act({ name: 'pay', input: {} }) : answer(String(results[0]?.text)),
    });
  const handle = paying('pay', () => {
    begun.resolve(undefined);
    return new Promise(() => undefined);
  }).stream('go', { store, runId: 'r' });
  const isOver = handle.result.catch(() => undefined);
  await begun.promise;
  await handle.suspend({ withinMs: 0 });
  await isOver;
  const problems: unknown[] = [];
  const clock = virtualClock();
  await using worker = await served({
    agents: { payer: paying('payOut', () => 'paid out') },
    store,
    clock,
    sweepMs: 500,
    onProblem: (error) => problems.push(error),
  });
  await worker.service.booted;
  const runs = partsOf(worker.service)?.serving.runs;
  for (let looks = 0; looks < 40; looks += 1) {
    await clock.advance(500);
    await eventually(async () => clock.pending > 0 && (runs?.underWay.length ?? 0) === 0);
  }
  expect(problems).toMatchObject([{ code: 'tool.missing', tool: 'pay' }]);
  expect(runs?.held).toBe(1);
  const entry = await store.entry('r');
  expect(entry && (await heldMark(store, entry))).toMatchObject({ code: 'tool.missing' });
  await using other = await served({ agents: { payer: paying('pay', () => 'paid') }, store });
  await other.service.booted;
  expect(await connect(other.url).at('r').result).toMatchObject({ output: 'paid' });
  const after = await store.entry('r');
  expect(after && (await heldMark(store, after))).toBeUndefined();
});

test('a run under way that is taken over is told: which it is, from whom, and at which row; one that is new is not', async () => {
  const store = withoutWatch();
  const reached = deferred<void>();
  const slow = (isStuck: boolean) =>
    agent({
      name: 'slow',
      decide: () => {
        if (!isStuck) return answer('done');
        reached.resolve();
        return new Promise<never>(() => undefined);
      },
    });
  const handle = slow(true).stream('go', { store, runId: 'left' });
  const isOver = handle.result.catch(() => undefined);
  await reached.promise;
  await handle.suspend({ withinMs: 0 });
  await isOver;
  const rows = (await store.read('left')).length;
  await using entrance = await front(store, ['slow']);
  const fresh = await connect<typeof entrance.service>(entrance.url).start('slow', 'go');
  const taken: unknown[] = [];
  const onTaken = (run: unknown) => taken.push(run);
  await using worker = await served({ agents: { slow: slow(false) }, store, onTaken });
  await worker.service.booted;
  expect(await fresh.result).toMatchObject({ output: 'done' });
  await eventually(async () => (await store.entry('left'))?.status === 'completed');
  expect(taken).toEqual([{ runId: 'left', agent: 'slow', row: rows }]);
});

test('and names the holder of a lease that has expired', async () => {
  const store = withoutWatch();
  const reached = deferred<void>();
  const slow = (isStuck: boolean) =>
    agent({
      name: 'slow',
      decide: () => {
        if (!isStuck) return answer('done');
        reached.resolve();
        return new Promise<never>(() => undefined);
      },
    });
  const handle = slow(true).stream('go', { store, runId: 'left' });
  const isOver = handle.result.catch(() => undefined);
  await reached.promise;
  await handle.suspend({ withinMs: 0 });
  await isOver;
  await store.acquire('left', { holder: 'host:7:dead', ttlMs: 1, now: Date.now() - 60_000 });
  const taken: unknown[] = [];
  const onTaken = (run: unknown) => taken.push(run);
  await using worker = await served({ agents: { slow: slow(false) }, store, onTaken });
  await worker.service.booted;
  await eventually(async () => (await store.entry('left'))?.status === 'completed');
  expect(taken).toMatchObject([{ runId: 'left', from: 'host:7:dead' }]);
});

test('a client that asks for an agent that is not served is told which are, and which was probably meant', async () => {
  await using server = await served({ agents: { clerk: clerkSaying([]), desk: clerkSaying([], 'desk') } });
  const caller = connect(server.url);
  const start = (name: string): unknown => Reflect.apply(Reflect.get(caller, 'start'), caller, [name, 'go']);
  await expect(start('clrek')).rejects.toMatchObject({
    code: 'agent.unknown',
    message:
      "Cannot find the agent 'clrek' as it is not served: there are clerk, desk; did you mean 'clerk'?",
  });
});
