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
import { openRequests } from '../../src/runtime/journal/letters/requests.ts';
import { deferred, never } from '../support/runs.ts';
import { play } from './fake-terminal.ts';
import secretary from './modules/patient.ts';
import { moduleOf } from './run-command.ts';

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
      /^run-\S+ {2}queued {2}.*\(Queued for [\d.]+ m?s, and not executed yet: a worker or server of its agent continues it within seconds, if there is one\)$/m,
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
      /! Queued for 3 min \d+ s, and not executed yet: no worker has taken it \(none has a run, so perhaps there is none\), start one or resume it · troupe resume run-\S+ --store \S+ --agent FILE/,
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

test('runs are listed by each status that is shown, and found by the part of an id that tells them apart', async () => {
  const { store, call } = makeStore();
  const [first, second] = [await enter(store), await enter(store, 'desk')];
  const idsOf = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await call('runs', ...args, '--json')).stdout
      .trim()
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { readonly runId: string }).runId]));
  expect(new Set(await idsOf('--status', 'queued'))).toEqual(new Set([first, second]));
  expect(await idsOf('--status', 'queued', '--limit', '1')).toEqual([second]);
  expect(await idsOf('--status', 'interrupted')).toEqual([]);
  expect(await idsOf('--status', 'running')).toEqual([]);
  const dead = await store.acquire(first, { holder: 'dead', ttlMs: 1, now: Date.now() - 60_000 });
  expect(dead.holder).toBe('dead');
  expect(await idsOf('--status', 'interrupted')).toEqual([first]);
  await markHeld(store, second, new TroupeError('journal.diverged', 'It differs.'), Date.now() + 1_000);
  expect(await idsOf('--status', 'held')).toEqual([second]);
  expect(new Set(await idsOf('--status', 'held,interrupted'))).toEqual(new Set([first, second]));
  const wrong = await call('runs', '--status', 'queud');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('moved,queued,interrupted,held')]);
  const short = first.replace('run-', '').slice(0, 8);
  expect((await call('show', short)).stdout).toContain(`${first} · clerk`);
  const { code, stderr } = await call('show', 'run-');
  expect(code).toBe(2);
  expect(stderr).toContain("Cannot find run 'run-' as 2 start with that: ");
  expect(stderr).toMatch(new RegExp(`${first} \\(clerk, 2\\d{3}-[\\d-]+ [\\d:]+\\)`));
  expect(stderr).toMatch(new RegExp(`${second} \\(desk, 2`));
});

test('an approval with --resume of a run that no command started names a command that resumes it', async () => {
  const { store, call } = makeStore();
  const handle = secretary.stream('go', { store, runId: 'run-0001' });
  const left = handle.result.catch(() => undefined);
  for await (const { type } of handle) if (type === 'tool.approval-requested') break;
  await handle.suspend({ withinMs: 0 });
  await left;
  const [one] = await openRequests(store, 'run-0001');
  const { code, stderr } = await call('approve', '0001', one?.id ?? '', '--resume');
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('it is approved, and a worker or server of its agent continues it; or resume it'),
  ]);
  const command = /troupe (resume run-0001 --store \S+) --agent FILE/.exec(stderr)?.[1]?.split(' ') ?? [];
  await call('approve', 'run-0001');
  const several = moduleOf('both.ts');
  const resumed = await play([...command, '--agent', several, '--no-color'], { folder: '.', columns: 200 });
  expect([resumed.code, resumed.stdout]).toEqual([0, 'sent to Ada | sent to Bob\n']);
});

test('the agent of a run is chosen by its name among those that a module exports', async () => {
  const { store, call } = makeStore();
  const stranger = agent({ name: 'stranger', decide: () => answer('Done.') });
  await stranger.run('go', { store, runId: 'strange' });
  const { code, stderr } = await call('replay', 'strange', '--agent', moduleOf('both.ts'));
  expect(code).toBe(2);
  expect(stderr).toContain(
    "it exports several agents, and none of them is 'stranger', whose run it is: clerk, patient ('secretary'); choose one as",
  );
});

test('a queued run says that workers are busy where they are, and one that was left in order that it was', async () => {
  const { store, call } = makeStore();
  const [queued, other, gone] = [await enter(store), await enter(store), await enter(store)];
  const lease = await store.acquire(other, { holder: 'worker', ttlMs: 60_000, now: Date.now() });
  const { stdout } = await call('runs');
  expect(stdout).toMatch(
    new RegExp(
      `^${queued} .*: a worker or server of its agent continues it once it has room \\(1 run under way in this store\\)\\)$`,
      'm',
    ),
  );
  const reached = deferred<void>();
  const busy = agent({
    name: 'busy',
    decide: () => {
      reached.resolve();
      return never();
    },
  });
  const handle = busy.stream('go', { store, runId: 'left' });
  const left = handle.result.catch(() => undefined);
  await reached.promise;
  await handle.suspend({ withinMs: 0 });
  await left;
  expect((await call('show', 'left')).stdout).toMatch(
    /left · busy · interrupted\n[^]*! Left in order by its process, and waits for another one: a worker or server/,
  );
  await store.acquire(gone, { holder: 'dead', ttlMs: 1, now: Date.now() - 60_000 });
  expect((await call('show', gone)).stdout).toContain('! Its process is gone: ');
  await store.release(lease);
});
