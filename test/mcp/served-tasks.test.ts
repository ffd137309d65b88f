import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import * as loaded from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import { agent, answer, askPerson } from '../../src/index.ts';
import { serveTasks } from '../../src/mcp/serve-tasks.ts';
import { ServedRun } from '../../src/mcp/served-run.ts';
import { ServedTasks } from '../../src/mcp/served-tasks.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';

/** A store, and the runs that were acquired or read in it. */
const counted = (store: JournalStore) => {
  const touched: string[] = [];
  const counting = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        if (name === 'acquire' || name === 'read') touched.push(`${name} ${String(given[0])}`);
        return Reflect.apply(value, target, given);
      };
    },
  });
  return { store: counting, touched };
};

const said = agent({ name: 'said', decide: () => answer('Said.') });
const broken = agent({
  name: 'broken',
  decide: () => {
    throw new Error('no power');
  },
});
const asking = agent({
  name: 'asking',
  tools: [askPerson],
  model: scriptedModel([calls({ name: 'ask_person', input: { question: 'Which desk?' } })]),
});
const stranger = agent({ name: 'stranger', decide: () => answer('Said.') });

const listed = z.object({
  tasks: z.array(z.looseObject({ taskId: z.string(), status: z.string(), ttl: z.null() })),
});

/** A client of 2025-11-25 that has the server for itself. */
const connected = async (tasks: ServedTasks): Promise<Client> => {
  const capabilities = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
  const server = new loaded.Server({ name: 'ours', version: '1' }, { capabilities });
  serveTasks(server, tasks, loaded, true);
  const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return client;
};

test('a list of tasks reads the entries of the store, and resumes nothing; a task that is asked for is resumed', async () => {
  const inner = memoryStore();
  const run = async (of: Pick<typeof said, 'run'>, runId = ServedTasks.newId()) => {
    await of.run('go', { store: inner, runId }).catch(() => undefined);
    return runId;
  };
  const good = await run(said);
  const bad = await run(broken);
  // Runs that no client began, and those of agents that are served elsewhere.
  await run(said, 'order-17');
  await run(stranger);
  const left = ServedTasks.newId();
  const open = ServedRun.begin(asking, 'go', { store: inner, runId: left });
  await open.next();
  await open.handle.suspend();
  const stopped = ServedTasks.newId();
  const handle = said.stream('go', { store: inner, runId: stopped, paused: true });
  handle.abort('enough');
  await handle.result.catch(() => undefined);

  const { store, touched } = counted(inner);
  const agents = [said, broken, asking];
  const client = await connected(new ServedTasks({ agents, run: { store }, patienceMs: 1_000 }));
  const list = () => client.request({ method: 'tasks/list', params: {} }, listed);
  const states = ({ tasks }: z.output<typeof listed>) =>
    Object.fromEntries(tasks.map(({ taskId, status }) => [taskId, status]));
  expect(states(await list())).toEqual({
    [good]: 'completed',
    [bad]: 'failed',
    [left]: 'working',
    [stopped]: 'cancelled',
  });
  expect(touched).toEqual([]);

  const get = client.request({ method: 'tasks/get', params: { taskId: left } }, z.looseObject({}));
  expect(await get).toMatchObject({ taskId: left });
  await expect.poll(async () => states(await list())[left]).toBe('input_required');
  expect(touched.filter((each) => each.startsWith('acquire'))).toEqual([`acquire ${left}`]);
  await client.close();
});
