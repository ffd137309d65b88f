import { appendFileSync, truncateSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkTrace } from '../../../src/inspect/traces/check-trace.ts';
import { listTraces } from '../../../src/inspect/traces/list-traces.ts';
import { readTrace } from '../../../src/inspect/traces/read-trace.ts';
import { traceFiles } from '../../../src/inspect/traces/trace-files.ts';
import { memoryStore } from '../../../src/persistence/index.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import { AnotherProcess } from '../../journal/kills/another-process.ts';
import type { TraceOrder } from './child.ts';
import { filesIn, looker, temporaryFolder, textOf } from './traces-kit.ts';
import { isThorough } from '../../support/thorough.ts';

const child = new AnotherProcess('../../inspect/traces/child.ts');
beforeAll(() => child.build());
afterAll(() => {
  child.remove();
});

const run = (order: TraceOrder) =>
  child.run(order, {
    onLine: (line, kill) => {
      if (line === 'working') kill();
    },
  });

const statusIn = async (trace: string) => (await readTrace(trace)).account.status;

describe('the trace of a process that is gone', () => {
  test('[QITOS-58] killed in the middle: all that was written can be read, and it is found as interrupted', async () => {
    const folder = temporaryFolder();
    expect((await run({ folder, how: 'kill' })).wasKilled).toBe(true);
    const trace = join(folder, 'r.jsonl');
    const [found] = await listTraces(folder, { status: ['interrupted'] });
    expect(found).toMatchObject({ runId: 'r', status: 'interrupted', totals: { steps: 3 } });
    const { events, account } = await readTrace(trace);
    expect(account.status).toBe('interrupted');
    expect(events.at(-1)).toMatchObject({ type: 'tool.started', step: 3 });
    expect((await checkTrace(trace)).map(({ kind }) => kind)).toEqual(['run.no-end', 'tool.unfinished']);
  });

  test.each(['exit', 'throw'] as const)(
    'ended by %s: what had happened by then is written, and says that it was interrupted',
    async (how) => {
      const folder = temporaryFolder();
      await run({ folder, how });
      const trace = join(folder, 'r.jsonl');
      expect(textOf(trace)).toMatch(/"kind":"closed"[^\n]*\n$/);
      expect(await statusIn(trace)).toBe('interrupted');
      const { events } = await readTrace(trace);
      expect(events.at(-1)).toMatchObject({ type: 'tool.started', step: 3 });
      expect((await checkTrace(trace)).map(({ kind }) => kind)).toEqual(['run.no-end', 'tool.unfinished']);
    },
  );

  if (isThorough)
    test('a stored run that goes on in another process goes on in its trace, whatever was cut off of it', async () => {
      const folder = temporaryFolder();
      const store = join(folder, 'runs.db');
      await run({ folder, store, how: 'kill' });
      const trace = join(folder, 'r.jsonl');
      truncateSync(trace, statSync(trace).size - 20);
      expect((await readTrace(trace)).damage).toMatchObject([{ kind: 'line.cut' }]);

      const { lines, failure } = await run({ folder, store, how: 'resume' });
      expect({ lines, failure }).toEqual({ lines: ['ready', 'done'], failure: '' });
      expect(filesIn(folder).filter((name) => name.startsWith('r') && !name.startsWith('runs'))).toEqual([
        'r.jsonl',
      ]);
      const { events, account } = await readTrace(trace);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
      expect(account).toMatchObject({ status: 'completed', output: 'done' });
      // The line that was cut off stays, as files are only added to.
      expect((await checkTrace(trace)).map(({ kind }) => kind)).toEqual(['line.broken']);
    });
});

test('a stored run that is suspended and gone on with in one process has one trace', async () => {
  const folder = temporaryFolder();
  const store = memoryStore();
  const traces = traceFiles({ folder });
  const one = looker(4);
  const handle = one.stream('x', { runId: 'r', store, hooks: [traces], paused: true });
  await handle.step();
  const stopped = handle.result.catch(() => undefined);
  await handle.suspend();
  await stopped;
  await (
    await resume(one, 'r', { store, hooks: [traces] })
  ).result;
  await traces.written();
  expect(filesIn(folder)).toEqual(['r.jsonl']);
  expect(await checkTrace(join(folder, 'r.jsonl'))).toEqual([]);
});

test('a half line is told of, and kept as it is; all others are read', async () => {
  const folder = temporaryFolder();
  const traces = traceFiles({ folder });
  await looker(1).run('x', { runId: 'r', hooks: [traces] });
  await traces.written();
  const trace = join(folder, 'r.jsonl');
  const before = (await readTrace(trace)).events;
  appendFileSync(trace, '{"v":1,"n":99,"rec');
  const { events, damage } = await readTrace(trace);
  expect(events).toEqual(before);
  expect(damage).toEqual([
    {
      kind: 'line.cut',
      // After the head, and who opened and closed it.
      line: before.length + 4,
      raw: '{"v":1,"n":99,"rec',
      message: 'The last line is not ended: its writer was cut off',
    },
  ]);
  expect(textOf(trace)).toMatch(/"rec$/);
});
