import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent, resume, tool } from '../../../src/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { memoryStore } from '../../../src/persistence/index.ts';
import { auditLog, readAudit } from '../../../src/inspect/index.ts';
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

test('a run that is suspended in the middle of a call has what the resumed one did in its trace and its audit log, and not that it was cancelled', async () => {
  const [folder, log] = [temporaryFolder(), temporaryFolder()];
  const store = memoryStore();
  const never = new Promise<string>(() => undefined);
  const results = [never, Promise.resolve('found')];
  const search = tool({
    name: 'search',
    description: 'Searches.',
    safety: 'read',
    input: z.object({}),
    execute: () => results.shift() ?? 'nothing',
  });
  const model = scriptedModel([calls({ name: 'search', input: {} }), 'It is found.']);
  const clerk = agent({ name: 'clerk', tools: [search], model });
  const first = traceFiles({ folder });
  const handle = clerk.stream('go', { runId: 'r', store, hooks: [first, auditLog({ folder: log })] });
  const left = handle.result.catch(() => undefined);
  for await (const { type } of handle) if (type === 'tool.started') break;
  await handle.suspend({ withinMs: 0 });
  await left;
  await first.written();

  const second = traceFiles({ folder });
  const resumed = await resume(clerk, 'r', { store, hooks: [second, auditLog({ folder: log })] });
  const { events } = await resumed.result;
  await second.written();
  const file = join(folder, 'r.jsonl');
  expect((await readTrace(file)).events.map(({ seq, type }) => `${seq} ${type}`)).toEqual(
    events.map(({ seq, type }) => `${seq} ${type}`),
  );
  expect(await checkTrace(file)).toEqual([]);
  expect(readAudit(log).map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
    'run.start success',
    'tool.start success',
    'run.resume success',
    'tool.start success',
    'tool.end success',
    'run.end success',
  ]);
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
