import { beforeAll, expect, test } from 'vitest';
import { answer } from '../../../src/contracts/agents/decision.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { schedules } from '../../../src/runtime/schedules/schedules.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { settableClock, watchedStore, until, warmUp } from './schedule-kit.ts';

beforeAll(warmUp);

const stage = () => {
  const { store, isQuiet } = watchedStore(memoryStore());
  const clock = settableClock(1_000, isQuiet);
  return { store, clock, isQuiet, open: () => schedules(store, { clock, lookEveryMs: 60_000 }) };
};

test('a queue delivers its messages in order, one at a time, into the thread of its agent', async () => {
  const { open } = stage();
  let running = 0;
  let most = 0;
  const order: unknown[] = [];
  const clerk = agent({
    name: 'clerk',
    model: scriptedModel(['One.', 'Two.', 'Three.']),
    observe: async ({ input }) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      order.push(input);
      running -= 1;
      return '';
    },
  });
  await using live = open();
  await live.add({
    name: 'mail',
    agent: clerk,
    input: ({ message }) => JSON.stringify(message),
    thread: 'mail',
  });
  await Promise.all(['a', 'b', 'c'].map((id) => live.send('mail', { id, message: `letter ${id}` })));
  await until(async () => (await live.list())[0]?.pending.length === 0);
  expect(order).toEqual(['"letter a"', '"letter b"', '"letter c"']);
  expect(most).toBe(1);
});

test('a message that is sent while no process keeps its queue waits in the store', async () => {
  const { store, clock, isQuiet, open } = stage();
  const heard: string[] = [];
  const clerk = agent({
    name: 'clerk',
    decide: ({ input }) => {
      heard.push(String(input));
      return answer('Heard.');
    },
  });
  const queue = {
    name: 'mail',
    agent: clerk,
    input: ({ message }: { message?: unknown }) => String(message),
  };
  {
    await using live = open();
    await live.add(queue);
  }
  // A process that has no code of the queue, as a web server.
  await using sender = open();
  expect(await sender.send('mail', { id: 'one', message: 'Hello.' })).toBe(true);
  expect(await sender.send('mail', { id: 'one', message: 'Hello.' })).toBe(false);
  await clock.pass(600_000);
  expect(heard).toEqual([]);
  await using live = open();
  await live.add(queue);
  await isQuiet();
  expect(heard).toEqual(['Hello.']);
  expect(await sender.send('mail', { id: 'one', message: 'Hello.' })).toBe(false);
  expect((await store.entry('mail@one'))?.status).toBe('completed');
});

test('a message of another process is seen at the next look', async () => {
  const { store, clock, open } = stage();
  const clerk = agent({ name: 'clerk', decide: () => answer('Heard.') });
  await using live = open();
  await live.add({ name: 'mail', agent: clerk, input: 'Go.' });
  await using sender = open();
  await sender.send('mail', { id: 'one', message: null });
  await clock.pass(60_000);
  expect((await store.entry('mail@one'))?.status).toBe('completed');
});

test('a schedule of times takes no message, and a queue no id that is none', async () => {
  const { open } = stage();
  const clerk = agent({ name: 'clerk', decide: () => answer('Heard.') });
  await using live = open();
  await live.add({ name: 'pulse', agent: clerk, input: 'Go.', when: { everyMs: 1_000 } });
  await expect(live.send('pulse', { id: 'one', message: 1 })).rejects.toMatchObject({
    code: 'schedule.invalid',
  });
  await expect(live.send('pulse', { id: '../x', message: 1 })).rejects.toMatchObject({
    code: 'schedule.invalid',
  });
  await expect(live.send('nobody', { id: 'one', message: 1 })).rejects.toMatchObject({
    code: 'schedule.unknown',
  });
});
