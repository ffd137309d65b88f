import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent, resume, tool } from '../../../src/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { memoryStore } from '../../../src/persistence/index.ts';
import { checkTrace } from '../../../src/inspect/traces/check-trace.ts';
import { readTrace } from '../../../src/inspect/traces/read-trace.ts';
import { traceFiles } from '../../../src/inspect/traces/trace-files.ts';
import { filesIn, temporaryFolder } from './traces-kit.ts';

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({}),
  approval: true,
  execute: () => 'paid',
});

test('a run that is suspended while it waits for a person has every event in its trace: what the process withdrew for itself is not its own', async () => {
  const folder = temporaryFolder();
  const store = memoryStore();
  const cashier = agent({
    name: 'cashier',
    tools: [pay],
    model: scriptedModel([calls({ name: 'pay', input: {} }), 'It is paid.']),
  });
  const first = traceFiles({ folder });
  const handle = cashier.stream('go', { runId: 'r', store, hooks: [first] });
  const left = handle.result.catch(() => undefined);
  for await (const { type } of handle) if (type === 'tool.approval-requested') break;
  await handle.suspend();
  await left;
  await first.written();

  const second = traceFiles({ folder });
  const person = { approve: () => true };
  const { events } = await (await resume(cashier, 'r', { store, hooks: [second], person })).result;
  await second.written();
  expect(filesIn(folder)).toEqual(['r.jsonl']);
  const file = join(folder, 'r.jsonl');
  const traced = (await readTrace(file)).events;
  expect(traced.map(({ seq, type }) => `${seq} ${type}`)).toEqual(
    events.map(({ seq, type }) => `${seq} ${type}`),
  );
  expect(await checkTrace(file)).toEqual([]);
});

test('a request that is withdrawn in a run that goes on is in its trace', async () => {
  const folder = temporaryFolder();
  const traces = traceFiles({ folder });
  const cashier = agent({
    name: 'cashier',
    tools: [pay],
    model: scriptedModel([calls({ name: 'pay', input: {} }), 'ok']),
  });
  const handle = cashier.stream('go', { runId: 'r', hooks: [traces] });
  for await (const { type } of handle) if (type === 'tool.approval-requested') break;
  handle.abort('enough');
  const { events } = await handle.result;
  await traces.written();
  expect(events.map(({ type }) => type)).toContain('request.withdrawn');
  expect((await readTrace(join(folder, 'r.jsonl'))).events.map(({ type }) => type)).toEqual(
    events.map(({ type }) => type),
  );
});
