import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import { listRuns } from '../../src/inspect/local/session-board.ts';
import { answer } from '../../src/index.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { fork } from '../../src/runtime/journal/resume/fork.ts';
import { markHeld } from '../../src/runtime/journal/versions/held-marks.ts';
import { serve } from '../../src/runtime/serve/serve.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { pipeline } from '../../src/patterns/pipeline.ts';
import { play } from './fake-terminal.ts';

const clerk = agent({ name: 'clerk', decide: () => answer('Done.') });
const desk = pipeline({ name: 'desk', stages: [clerk] });

/** A store in a file, and commands on it. */
const makeStore = () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-queued-'));
  const file = join(folder, 'runs.db');
  const store = sqliteStore(file);
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const call = (...args: readonly string[]) =>
    play([...args, '--store', file, '--no-color'], { folder, columns: 200 });
  return { store, call };
};

/** Enters a run that others are to execute; returns its id. */
const enter = async (store: JournalStore, name: 'clerk' | 'desk' = 'clerk'): Promise<string> => {
  await using entrance = serve(createGlobalEngine(), { agents: { clerk, desk }, store, executes: false });
  const caller = connect<typeof entrance>('http://localhost', {
    fetch: (input, init) => entrance.fetch(new Request(input, init)),
  });
  return (await caller.start(name, 'go')).runId;
};

/** Lets as much time pass as the clock of the machine says. */
const laterBy = (ms: number): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
  onTestFinished(() => {
    vi.useRealTimers();
  });
};

test.each(['clerk', 'desk'] as const)(
  'a run of %s that was entered is queued, and for how long, until a worker takes it',
  async (name) => {
    const { store, call } = makeStore();
    const runId = await enter(store, name);
    const fresh = await call('runs');
    expect(fresh.stdout).toMatch(
      /^run-\S+ {2}queued {2}.*\(Queued for [\d.]+ m?s, and not executed yet: a worker or server of its agent continues it within seconds\)$/m,
    );
    expect(JSON.parse((await call('runs', '--json')).stdout)).toMatchObject({
      status: 'queued',
      queuedMs: expect.any(Number) as number,
    });
    expect(JSON.parse((await call('show', runId, '--json')).stdout)).toMatchObject({ status: 'queued' });
    const [row] = await listRuns({ runs: [], handles: new Map(), breakpoints: () => [] }, store);
    expect(row).toMatchObject({ run: runId, status: 'queued' });
    laterBy(185_000);
    const late = await call('show', runId);
    expect(late.stdout).toContain(`${runId} · ${name} · queued\n`);
    expect(late.stdout).toMatch(
      /! Queued for 3 min \d+ s, and not executed yet: no worker has taken it, start one or resume it · troupe resume run-\S+ --store \S+ --agent FILE/,
    );
  },
);

test('a run that a process has begun to execute is interrupted, and not queued, once that is gone', async () => {
  const { store, call } = makeStore();
  const runId = await enter(store);
  const lease = await store.acquire(runId, { holder: 'ada:1:gone', ttlMs: -1, now: Date.now() });
  expect((await call('runs')).stdout).toContain('  interrupted  ');
  await store.release(lease);
  expect((await call('runs')).stdout).toContain('  queued  ');
});

test('a run that a worker could not resume is shown as held, with the reason, until it goes on', async () => {
  const { store, call } = makeStore();
  const runId = await enter(store);
  const error = new TroupeError('journal.diverged', "Cannot replay run 'x' as 'clerk' does something else");
  await markHeld(store, runId, error, Date.now());
  expect((await call('runs')).stdout).toContain(`(Held: ${error.message})`);
  expect((await call('show', runId)).stdout).toContain(`! Held: ${error.message}`);
  expect(JSON.parse((await call('runs', '--json')).stdout)).toMatchObject({
    held: { code: 'journal.diverged', message: error.message },
  });
  await using worker = serve(createGlobalEngine(), { agents: { clerk }, store, sweepMs: 20 });
  await worker.booted;
  await vi.waitFor(async () => {
    expect((await store.entry(runId))?.status).toBe('completed');
  });
  expect((await call('runs')).stdout).not.toContain('Held');
});

test('the duration of a fork counts from the fork', async () => {
  const { store, call } = makeStore();
  await clerk.run('go', { store, runId: 'first' });
  laterBy(600_000);
  await (
    await fork(clerk, 'first', { store, runId: 'second', at: { step: 0 } })
  ).result;
  const [second, first] = (await call('runs', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly runId: string; readonly durationMs: number });
  expect([second?.runId, first?.runId]).toEqual(['second', 'first']);
  expect(second?.durationMs).toBeLessThan(60_000);
  expect((await call('show', 'second')).stdout).not.toMatch(/10 min/);
});
