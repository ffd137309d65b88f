import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent, askPerson, tool } from '../../src/index.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { mcpServer, serveMcp } from '../../src/mcp/index.ts';
import type { McpService } from '../../src/mcp/serve-mcp.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { deferred } from '../support/runs.ts';
import { sampled } from '../support/thorough.ts';

const NOWHERE = 'https://troupe.test/mcp';
const TASKS = 'io.modelcontextprotocol/tasks';

/** An agent whose tool digs until a test lets it find something. */
const site = (replies: readonly ScriptedReply[] = [calls({ name: 'dig', input: {} }), 'Gold.']) => {
  const found = deferred<string>();
  const begun = deferred<void>();
  const stopped = deferred<void>();
  const digger = agent({
    name: 'digger',
    tools: [
      askPerson,
      tool({
        name: 'dig',
        description: 'Digs.',
        input: z.object({}),
        describe: () => 'Digging deep',
        timeoutMs: Infinity,
        execute: (_, { signal }) => {
          begun.resolve();
          signal.addEventListener('abort', () => stopped.resolve());
          return found.promise;
        },
      }),
    ],
    model: scriptedModel([...replies]),
  });
  return { digger, found, begun, stopped };
};

/** The service as a server of either protocol: an older one refuses the first question of a newer client. */
const reaching =
  (service: McpService, isOlder = false): typeof globalThis.fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const isProbe = isOlder && (await request.clone().text()).includes('server/discover');
    return isProbe ? new Response('no such method', { status: 400 }) : service.fetch(request);
  };

const visitor = (fetch: typeof globalThis.fetch) =>
  agent({
    name: 'visitor',
    tools: [mcpServer({ name: 'mine', url: NOWHERE, fetch })],
    model: scriptedModel([calls({ name: 'mine.digger', input: { input: 'Dig!' } }), 'Done.']),
  });

const firstOf = ({ records }: RunResult<unknown>) => records[0]?.results[0];

/** Resolves after the timers of no time that were set before. */
const timersAreOver = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

const anything = z.looseObject({});

/** A client of the package, which knows no tasks: it makes the requests of the extension itself, and its calls go past it. */
const official = async (
  service: McpService,
  extensions: Record<string, Record<string, never>> = { [TASKS]: {} },
) => {
  const client = new Client(
    { name: 'official', version: '1' },
    { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} }, extensions } },
  );
  const answers: { readonly result?: Record<string, unknown> }[] = [];
  const transport = new StreamableHTTPClientTransport(new URL(NOWHERE), { fetch: reaching(service) });
  transport.onmessage = (message) => void answers.push(message as object);
  await client.connect(transport);
  return {
    client,
    call: async (given: object) => {
      await client.callTool({ name: 'digger', arguments: { ...given } }).catch(() => undefined);
      return answers.at(-1)?.result ?? {};
    },
    task: (method: string, params: Record<string, unknown>) =>
      client.request({ method: `tasks/${method}`, params }, anything),
  };
};

test.each(sampled([false, true], 2))(
  'a long call is a task for a client of ours, an older one: %s',
  async (isOlder) => {
    const { digger, begun, found } = site();
    const reach = reaching(serveMcp([digger], { taskAfterMs: 0 }), isOlder);
    const polled = deferred<void>();
    const fetch: typeof globalThis.fetch = (input, init) => {
      if (typeof init?.body === 'string' && init.body.includes('"tasks/get"')) polled.resolve();
      return reach(input, init);
    };
    const handle = visitor(fetch).stream('go');
    await Promise.all([begun.promise, polled.promise]);
    found.resolve('gold');
    expect(firstOf(await handle.result)).toMatchObject({ ok: true, text: 'Gold.' });
  },
);

test('a task tells its activity, is answered what it asks, and gives its result, to a client of the package', async () => {
  const { digger, begun, found } = site([
    calls({ name: 'dig', input: {} }),
    calls({ name: 'ask_person', input: { question: 'How deep?' } }),
    'Gold.',
  ]);
  const { call, task, client } = await official(serveMcp([digger], { taskAfterMs: 0 }));
  const created = await call({ input: 'Dig!' });
  expect(created).toMatchObject({
    resultType: 'task',
    status: 'working',
    ttlMs: null,
  });
  const { taskId } = z.object({ taskId: z.string() }).parse(created);
  await begun.promise;
  expect(await task('get', { taskId })).toMatchObject({
    status: 'working',
    statusMessage: expect.stringContaining('Digging deep'),
  });
  found.resolve('gold');
  await expect.poll(() => task('get', { taskId })).toMatchObject({ status: 'input_required' });
  const { inputRequests } = await task('get', { taskId });
  const [[key, request] = []] = Object.entries(z.record(z.string(), anything).parse(inputRequests));
  expect(request).toMatchObject({ method: 'elicitation/create', params: { message: 'How deep?' } });
  const inputResponses = { [key ?? '']: { action: 'accept', content: { answer: 'Very.' } } };
  expect(await task('update', { taskId, inputResponses })).toEqual(expect.not.objectContaining({ taskId }));
  await expect
    .poll(() => task('get', { taskId }))
    .toMatchObject({
      status: 'completed',
      result: { content: [{ text: 'Gold.' }] },
      ttlMs: expect.any(Number),
    });
  await client.close();
});

test('a client that cancels a task aborts its run; others can neither guess a task nor have one without asking', async () => {
  const { digger, begun, stopped } = site();
  const service = serveMcp([digger], { taskAfterMs: 0 });
  const { call, task, client } = await official(service);
  const { taskId } = await call({ input: 'Dig!' });
  await begun.promise;
  const other = await official(service, {});
  await expect(other.task('get', { taskId })).rejects.toMatchObject({ code: -32_021 });
  await expect(task('get', { taskId: 'mcp-1' })).rejects.toMatchObject({ code: -32_602 });
  await task('cancel', { taskId });
  await stopped.promise;
  expect(await task('get', { taskId })).toMatchObject({ status: 'cancelled' });
  await Promise.all([client.close(), other.client.close()]);
});

test('a quick call is answered by its result, and so is a call of a client that takes no tasks', async () => {
  const quick = site(['Gold.']);
  const one = await official(serveMcp([quick.digger]));
  expect(await one.call({ input: 'Dig!' })).toMatchObject({ content: [{ text: 'Gold.' }] });
  const slow = site();
  const other = await official(serveMcp([slow.digger], { taskAfterMs: 0 }), {});
  const answered = other.call({ input: 'Dig!' });
  await slow.begun.promise;
  await timersAreOver();
  slow.found.resolve('gold');
  expect(await answered).toMatchObject({ content: [{ text: 'Gold.' }] });
  await Promise.all([one.client.close(), other.client.close()]);
});

test('a task in a store is found by its id after a restart, and continues', async () => {
  const store = memoryStore();
  const before = site();
  const first = serveMcp([before.digger], { taskAfterMs: 0, run: { store } });
  const { call, client } = await official(first);
  const { taskId } = await call({ input: 'Dig!' });
  await before.begun.promise;
  const closing = first.close();
  // Its tool may finish within the time that a run is given to be suspended.
  before.found.resolve('nothing yet');
  await Promise.all([client.close(), closing]);
  const after = site(['Gold.']);
  const later = await official(serveMcp([after.digger], { run: { store } }));
  await expect
    .poll(() => later.task('get', { taskId }))
    .toMatchObject({ status: 'completed', result: { content: [{ text: 'Gold.' }] }, ttlMs: null });
  // Runs of the store that no client began are none of its tasks.
  await site(['Gold.']).digger.run('go', { store, runId: 'order-17' });
  await expect(later.task('get', { taskId: 'order-17' })).rejects.toMatchObject({ code: -32_602 });
  await later.client.close();
});
