import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { answer } from '../../../src/contracts/agents/decision.ts';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import { hook } from '../../../src/events/hooks/define-hook.ts';
import { RunsIndex } from '../../../src/inspect/local/runs-index.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { askOpen, openInspector, readingBy } from './local-kit.ts';

const pay = (approval: boolean) =>
  tool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ amount: z.number() }),
    approval,
    execute: ({ amount }) => `paid ${amount}`,
  });

/** Never finds anything. */
const look = tool({
  name: 'look',
  description: 'Looks.',
  input: z.object({}),
  execute: () => {
    throw new Error('It is dark');
  },
});

const cashier = () =>
  agent({
    name: 'cashier',
    tools: [pay(true), look],
    model: scriptedModel([
      calls({ name: 'look', input: {} }),
      calls({ name: 'pay', input: { amount: 3 } }),
      'Three are paid.',
    ]),
  });

const echo = () => agent({ name: 'echo', decide: ({ input }) => answer(input) });

/** A store that counts the rows that are read. */
const countingStore = (store: JournalStore) => {
  const read = { rows: 0 };
  const counted = readingBy(store, async (...given) => {
    const rows = await store.read(...given);
    read.rows += rows.length;
    return rows;
  });
  return { store: counted, read };
};

const rowsOf = async (index: RunsIndex, since?: number) => {
  await index.changedSince(since);
  await index.filled();
  return index.changedSince(since);
};

describe('the rows of all runs', () => {
  test('say of a live run what it has used, how many errors it met, and that it waits for a person', async () => {
    const record = recorder();
    const index = new RunsIndex({ recorder: record, store: undefined });
    const run = cashier().stream('Pay three', { inspect: record, runId: 'r' });
    await new Promise<void>((resolve) => {
      run.events$.subscribe(({ type }) => {
        if (type === 'tool.approval-requested') resolve();
      });
    });
    const { rows } = await index.changedSince(undefined);
    expect(rows).toMatchObject([
      {
        run: 'r',
        agent: 'cashier',
        title: 'Pay three',
        status: 'running',
        isLive: true,
        requests: 1,
        errors: 1,
      },
    ]);
    expect(rows[0]?.tokens).toBeGreaterThan(0);
    run.approve(run.requests[0]?.id ?? '');
    const { totals } = await run.result;
    const [row] = (await index.changedSince(undefined)).rows;
    expect(row).toMatchObject({
      status: 'completed',
      isLive: false,
      requests: 0,
      errors: 1,
      tokens: totals.inputTokens + totals.outputTokens,
      durationMs: totals.durationMs,
    });
  });

  test('count no error of a run where an observer of it fails: that harms itself alone', async () => {
    const record = recorder();
    const index = new RunsIndex({ recorder: record, store: undefined });
    const sick = hook({
      name: 'sick',
      on: 'run.started',
      handle: () => {
        throw new Error('I am ill');
      },
    });
    const { events } = await echo().stream('hello', { inspect: record, runId: 'r', hooks: [sick] }).result;
    expect(events.map(({ type }) => type)).toContain('observer.failed');
    expect((await index.changedSince(undefined)).rows).toMatchObject([{ status: 'completed', errors: 0 }]);
  });

  test('say of a stored run that is over what it has used, and read a few rows of it, however many it has', async () => {
    const counted = countingStore(memoryStore());
    const long = agent({
      name: 'long',
      tools: [pay(false)],
      model: scriptedModel([
        ...Array.from({ length: 18 }, (_, amount) => calls({ name: 'pay', input: { amount } })),
        'Done.',
      ]),
    });
    const { totals } = await long.run('go', { store: counted.store, runId: 'r' });
    const { length } = await counted.store.read('r');
    const index = new RunsIndex({ recorder: recorder(), store: counted.store });
    counted.read.rows = 0;
    const { rows } = await rowsOf(index);
    expect(rows).toMatchObject([
      {
        run: 'r',
        status: 'completed',
        source: 'stored',
        tokens: totals.inputTokens + totals.outputTokens,
        durationMs: totals.durationMs,
        requests: 0,
      },
    ]);
    expect(length).toBeGreaterThan(30);
    expect(counted.read.rows).toBeLessThan(2 * Math.log2(length) + 8);
    counted.read.rows = 0;
    await rowsOf(index);
    expect(counted.read.rows).toBe(0);
  });

  test('say of a stored run that goes on elsewhere that it waits for a person, and read each row of it once', async () => {
    const counted = countingStore(memoryStore());
    const run = cashier().stream('Pay three', { store: counted.store, runId: 'r' });
    await new Promise<void>((resolve) => {
      run.events$.subscribe(({ type }) => {
        if (type === 'tool.approval-requested') resolve();
      });
    });
    const index = new RunsIndex({ recorder: recorder(), store: counted.store });
    const before = await rowsOf(index);
    expect(before.rows).toMatchObject([{ run: 'r', source: 'stored', requests: 1, errors: 1 }]);
    run.approve(run.requests[0]?.id ?? '');
    await run.result;
    const whole = (await counted.store.read('r')).length;
    counted.read.rows = 0;
    const after = await rowsOf(index, before.version);
    expect(after.rows).toMatchObject([{ run: 'r', status: 'completed', requests: 0, errors: 1 }]);
    expect(counted.read.rows).toBeLessThan(whole);
  });

  test('say of a stored run whose process is gone that it is interrupted, until another process has it', async () => {
    const store = memoryStore();
    const entry = { runId: 'r', agent: 'echo', status: 'running', title: 'go' } as const;
    const wish = { holder: 'gone', ttlMs: -1, now: Date.now() };
    await store.create({ ...entry, createdAt: 1, updatedAt: 1 }, wish);
    const inspector = await openInspector({ store });
    const rowsSince = async (since: number | string) => {
      const { text } = await askOpen(inspector, `/api/runs?since=${since}`);
      return JSON.parse(text) as { version: number; rows: readonly { run: string; status: string }[] };
    };
    const before = await rowsSince('');
    expect(before.rows).toMatchObject([{ run: 'r', status: 'interrupted' }]);
    const { text } = await askOpen(inspector, '/api/session');
    expect(JSON.parse(text)).toMatchObject({ runs: [{ run: 'r', status: 'interrupted' }] });
    expect((await rowsSince(before.version)).rows).toEqual([]);
    const lease = await store.acquire('r', { holder: 'other', ttlMs: 60_000, now: Date.now() });
    const resumed = await rowsSince(before.version);
    expect(resumed.rows).toMatchObject([{ run: 'r', status: 'running' }]);
    expect(lease.fence).toBe(2);
  });

  test('are sent again only where they have changed, and all of them where a run is gone', async () => {
    const store = memoryStore();
    for (const runId of ['a', 'b']) await echo().run('go', { store, runId });
    const index = new RunsIndex({ recorder: recorder(), store });
    const first = await rowsOf(index);
    expect(first).toMatchObject({ isWhole: true });
    expect(await index.changedSince(first.version)).toMatchObject({ isWhole: false, rows: [] });
    await echo().run('more', { store, runId: 'c' });
    const second = await index.changedSince(first.version);
    expect(second.isWhole).toBe(false);
    expect(second.rows.map(({ run }) => run)).toEqual(['c']);
    await index.filled();
    await store.prune({ limit: 1 });
    const third = await index.changedSince(second.version);
    expect(third.isWhole).toBe(true);
    expect(third.rows).toHaveLength(2);
    expect(await index.changedSince(9_999)).toMatchObject({ isWhole: true });
  });

  test('of a store with a run that cannot be read are those of all others, and name it', async () => {
    const store = memoryStore();
    await echo().run('go', { store, runId: 'a' });
    const broken = readingBy(store, () => {
      throw new TypeError('no');
    });
    const index = new RunsIndex({ recorder: recorder(), store: broken });
    expect((await rowsOf(index)).rows).toMatchObject([{ run: 'a', status: 'completed', agent: 'echo' }]);
  });

  test('are served with secrets redacted, to who has the token only', async () => {
    const store = memoryStore();
    await echo().run('the key is hunter2hunter2', { store, runId: 'a' });
    const inspector = await openInspector({ store, secrets: { KEY: 'hunter2hunter2' } });
    const { status, text } = await askOpen(inspector, '/api/runs?since=nothing');
    expect(status).toBe(200);
    expect(text).not.toContain('hunter2hunter2');
    expect(JSON.parse(text)).toMatchObject({ isWhole: true, rows: [{ run: 'a' }] });
    expect((await askOpen(inspector, '/api/runs', { headers: { authorization: '' } })).status).toBe(403);
    expect((await askOpen(inspector, '/api/runs', { method: 'POST' })).status).toBe(405);
  });
});

describe('the list of runs', () => {
  test('has the run that is shown, however many are newer', async () => {
    const store = memoryStore();
    await echo().run('go', { store, runId: 'oldest' });
    for (let n = 0; n < 201; n += 1) await echo().run('go', { store, runId: `r${n}` });
    const inspector = await openInspector({ store });
    const idsIn = async (path: string): Promise<readonly string[]> => {
      const { text } = await askOpen(inspector, path);
      return (JSON.parse(text) as { runs: readonly { run: string }[] }).runs.map(({ run }) => run);
    };
    expect(await idsIn('/api/session')).not.toContain('oldest');
    expect(await idsIn('/api/session?run=oldest')).toContain('oldest');
    expect(await idsIn('/api/session?run=nobody')).toHaveLength(200);
  });
});
