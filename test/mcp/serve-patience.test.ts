import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { agent, askPerson } from '../../src/index.ts';
import { serveMcp } from '../../src/mcp/index.ts';
import type { McpService } from '../../src/mcp/serve-mcp.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { deferred, never } from '../support/runs.ts';

const NOWHERE = 'https://troupe.test/mcp';
const PATIENCE_MS = 90_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const curious = () =>
  agent({
    name: 'curious',
    tools: [askPerson],
    model: scriptedModel([
      calls({ name: 'ask_person', input: { question: 'Which desk?' } }),
      ({ messages }) => `I heard: ${messages.at(-1)?.text}`,
    ]),
  });

/** A client of the package that is asked, and never answers; `withdrawn` resolves once nobody waits for it any more. */
const silent = async (service: McpService, mode: 'legacy' | 'auto') => {
  const asked = deferred<void>();
  const withdrawn = deferred<void>();
  const client = new Client(
    { name: 'official', version: '1' },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler('elicitation/create', (_, { mcpReq: { signal } }) => {
    signal.addEventListener('abort', () => withdrawn.resolve());
    asked.resolve();
    return never();
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(NOWHERE), {
      fetch: (input, init) => service.fetch(new Request(input, init)),
    }),
  );
  return { client, asked: asked.promise, withdrawn: withdrawn.promise };
};

const called = { name: 'curious', arguments: { input: 'Tidy up.' } };
const patient = { timeout: 10 * PATIENCE_MS };
const anything = z.looseObject({});

/** True once the promise is settled. */
const watch = (promise: Promise<unknown>): (() => boolean) => {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  return () => isSettled;
};

test.each([
  {
    what: 'within its call',
    ask: (client: Client) => client.request({ method: 'tools/call', params: called }, anything, patient),
  },
  {
    what: 'for the result of its task',
    ask: async (client: Client) => {
      const params = { ...called, task: {} };
      const { task } = await client.request({ method: 'tools/call', params }, anything);
      const { taskId } = z.looseObject({ taskId: z.string() }).parse(task);
      return client.request({ method: 'tasks/result', params: { taskId } }, anything, patient);
    },
  },
])(
  'an older client that is asked $what, and does not answer, has `patienceMs`; then the run goes on without it',
  async ({ ask }) => {
    const service = serveMcp([curious()], { patienceMs: PATIENCE_MS });
    const { client, asked, withdrawn } = await silent(service, 'legacy');
    const result = ask(client);
    const isOver = watch(result);
    await asked;
    await vi.advanceTimersByTimeAsync(PATIENCE_MS - 1);
    expect(isOver()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await result).toMatchObject({ content: [{ text: expect.stringContaining('nobody answered') }] });
    await withdrawn;
    await service.close();
  },
);

test('the run of a newer client that does not come back with an answer is aborted after `patienceMs`', async () => {
  const store = memoryStore();
  const service = serveMcp([curious()], { patienceMs: PATIENCE_MS, run: { store } });
  const { client, asked } = await silent(service, 'auto');
  client.callTool(called, patient).catch(() => undefined);
  await asked;
  const status = async () => (await store.list())[0]?.status;
  await vi.advanceTimersByTimeAsync(PATIENCE_MS - 1);
  expect(await status()).toBe('waiting');
  await vi.advanceTimersByTimeAsync(1);
  await vi.waitFor(async () => expect(await status()).toBe('aborted'));
  await service.close();
});
