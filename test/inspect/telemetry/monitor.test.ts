import { expect, test } from 'vitest';
import { answer } from '../../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import { createGlobalEngine } from '../../../src/index.ts';
import type { RunRecord } from '../../../src/inspect/telemetry/monitor.ts';
import { monitor } from '../../../src/inspect/telemetry/monitor.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { pipeline } from '../../../src/patterns/index.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';

const usage = { input: 30, output: 12 };
const teller = () =>
  agent({
    name: 'teller',
    model: scriptedModel([{ text: 'done', usage }]),
    failures: { retry: { attempts: 1 } },
  });

test('[KAIZEN-54] a monitor tells of a run while it goes on, and has a record of it by its id when it is over', async () => {
  const watching = monitor();
  const seen: RunRecord[] = [];
  watching.changes$.subscribe((record) => seen.push(record));
  const team = pipeline({ name: 'team', stages: [teller(), teller()] });
  const { totals } = await team.run('go', { hooks: [watching], runId: 'a', clock: virtualClock(5_000) });
  expect(seen[0]).toMatchObject({
    runId: 'a',
    agent: 'team',
    status: 'running',
    startedAt: 5_000,
    tokens: 0,
  });
  expect(seen.filter(({ status }) => status === 'running').map(({ tokens }) => tokens)).toContain(42);
  expect(watching.runs.get('a')).toEqual({
    runId: 'a',
    agent: 'team',
    status: 'completed',
    startedAt: 5_000,
    durationMs: 0,
    steps: totals.steps,
    tokens: 84,
    costUsd: 0,
  });
});

test('a run that failed says by which error', async () => {
  const watching = monitor();
  const frail = agent({
    name: 'frail',
    failures: { retry: { attempts: 1 } },
    model: scriptedModel([new TroupeError('model.refused', 'Cannot answer as it will not')]),
  });
  await frail.run('go', { hooks: [watching], runId: 'b' }).catch(() => undefined);
  expect(watching.runs.get('b')).toMatchObject({ status: 'failed', error: 'model.refused' });
});

test('of an engine it keeps as many runs as it is told, those under way before those that are over', async () => {
  const watching = monitor({ capacity: 3 });
  await using engine = createGlobalEngine({ hooks: [watching] });
  const quick = agent({ name: 'quick', decide: () => answer('done') });
  const held = quick.stream('go', { hooks: [watching], runId: 'held', paused: true });
  for (const runId of ['1', '2', '3', '4']) await engine.execute(quick, 'go', { runId });
  expect([...watching.runs.keys()]).toEqual(['held', '3', '4']);
  held.resume();
  await held.result;
});

test('a subscriber that throws harms neither the run nor the record', async () => {
  const watching = monitor();
  const quick = agent({ name: 'quick', decide: () => answer('done') });
  watching.changes$.subscribe(() => {
    throw new Error('no');
  });
  const { status, events } = await quick.run('go', { hooks: [watching], runId: 'c' });
  expect(status).toBe('completed');
  expect(watching.runs.get('c')?.status).toBe('completed');
  expect(events.some((event) => event.type === 'observer.failed' && event.observer === 'monitor')).toBe(true);
});
