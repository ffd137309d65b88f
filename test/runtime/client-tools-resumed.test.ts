import { expect, test } from 'vitest';
import { readAgUi } from '../../src/inspect/index.ts';
import { agent, fork, resume, tool } from '../../src/index.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { z } from 'zod';

const post = (body: object) =>
  new Request('http://localhost/agent', { method: 'POST', body: JSON.stringify(body) });

const chatWith = (tools: readonly object[]) =>
  readAgUi(
    post({
      threadId: 'car',
      runId: '1',
      messages: [{ id: '1', role: 'user', content: 'Paint it.' }],
      tools,
      context: [],
    }),
  );

const painterSaying = (...replies: Parameters<typeof scriptedModel>[0]) => {
  const model = scriptedModel(replies);
  return { painter: agent({ name: 'painter', model }), model };
};

const waiting = async () => {
  const store = memoryStore();
  const { painter } = painterSaying(calls({ name: 'pick', input: {} }));
  const chat = await chatWith([{ name: 'pick', description: 'Has the user pick a colour.' }]);
  const run = painter.stream(chat.text, { store, paused: true });
  await run.addTools(chat.tools);
  const stays = tool({ name: 'stays', description: 'Is code.', input: z.object({}), execute: () => 'x' });
  await run.addTools([stays]);
  run.resume();
  for await (const { type } of run) if (type === 'person.asked') break;
  await run.suspend();
  return { store, runId: run.runId };
};

test('a resumed run has the tools of an AG-UI client again, and none that were code', async () => {
  const { store, runId } = await waiting();
  const { painter, model } = painterSaying('Red it is.');
  const run = await resume(painter, runId, { store });
  for await (const { type } of run) if (type === 'run.resumed' || type === 'person.asked') break;
  await expect.poll(() => run.reply('red')).toBe(true);
  expect((await run.result).output).toBe('Red it is.');
  expect(model.requests[0]?.tools).toMatchObject([
    { name: 'pick', description: 'Has the user pick a colour.' },
  ]);
});

test('a fork of it has them, too', async () => {
  const { store, runId } = await waiting();
  const { painter, model } = painterSaying('Blue it is.');
  const run = await fork(painter, runId, { store });
  // Its own request comes after the recorded one.
  await expect.poll(() => run.requests.length).toBe(2);
  expect(run.reply('blue', run.requests[1]?.id)).toBe(true);
  expect((await run.result).output).toBe('Blue it is.');
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['pick']);
});
