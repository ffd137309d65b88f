import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { agent, resume, type Decision } from '../../src/index.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { memoryStore, sqliteStore, type JournalStore } from '../../src/persistence/index.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { PlainStore } from '../support/plain-store.ts';
import { letTimePass, never, quiet, settled } from '../support/runs.ts';
import { slowStore } from '../support/slow-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'troupe-leaving-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const walker = (steps = 3) =>
  agent({
    name: 'walker',
    decide: async ({ step }): Promise<Decision> => {
      await new Promise((resolve) => setImmediate(resolve));
      return step < steps ? { kind: 'wait', forMs: 0 } : { kind: 'answer', answer: 'there' };
    },
  });

let files = 0;
const stores: readonly { readonly what: string; readonly make: () => JournalStore }[] = [
  { what: 'memory', make: () => memoryStore() },
  { what: 'SQLite', make: () => sqliteStore(join(folder, `${(files += 1)}.db`)) },
  { what: 'a slow one', make: () => slowStore(memoryStore(), 10) },
];

describe.each(stores)('a run that is suspended in a store: $what', ({ make }) => {
  const given = [undefined, 'talk'].flatMap((thread) => [0, 1, 5].map((turns) => ({ thread, turns })));
  test.each(given)(
    '[FIND-04] is stored and given back when suspend resolves: thread $thread, after $turns turns',
    async ({ thread, turns }) => {
      const store = make();
      const named = { store, runId: 'r', ...(thread === undefined ? {} : { thread }) };
      const handle = walker(1_000).stream('go', named);
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await handle.suspend();
      const resumed = await resume(walker(), 'r', { store });
      expect((await resumed.result).output).toBe('there');
      await expect(handle.result).rejects.toMatchObject({ code: 'run.suspended' });
      await store.close();
    },
  );
});

test('[FIND-04] a run that cannot be stored says so when it is suspended', async () => {
  const store = new PlainStore();
  store.create = () => {
    throw new Error('no room left');
  };
  const handle = walker().stream('go', { store, runId: 'r' });
  await expect(handle.suspend()).rejects.toMatchObject({ code: 'journal.failed' });
});

test('[FIND-59] a run that this very process has is said to be so', async () => {
  const store = memoryStore();
  const handle = walker(1_000).stream('go', { store, runId: 'r' });
  await quiet();
  await expect(resume(walker(), 'r', { store })).rejects.toThrow(
    "Cannot acquire the run 'r' as this very process has it",
  );
  handle.abort();
  await settled(handle);
});

describe('a store whose commit never settles', () => {
  /** From its `at`-th commit on it does not answer; `go` lets through what it was given last. */
  const silent = (plain: PlainStore, at: number) => {
    let commits = 0;
    let go = (): void => undefined;
    const store = new Proxy(plain, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'commit') return typeof value === 'function' ? value.bind(target) : value;
        const commit: JournalStore['commit'] = (lease, given) => {
          commits += 1;
          if (commits < at) {
            target.commit(lease, given);
            return undefined;
          }
          return new Promise<void>((resolve) => {
            go = () => {
              target.commit(lease, given);
              resolve();
            };
          });
        };
        return commit;
      },
    });
    return {
      store,
      answer: () => {
        go();
      },
    };
  };

  test.each([1, 2, 3])('[FIND-51] does not keep a run from being aborted: commit %i', async (at) => {
    const plain = new PlainStore();
    const { store, answer } = silent(plain, at);
    const clock = virtualClock(1_000);
    const handle = walker(1_000).stream('go', { store, runId: 'r', clock });
    const told: string[] = [];
    const closed = new Promise<void>((complete) => {
      handle.events$.subscribe({ next: ({ type }) => told.push(type), complete });
    });
    const result = settled(handle);
    await clock.advance(100);
    handle.abort('enough');
    const { status } = await letTimePass(clock, result, 1_000);
    expect(status).toBe('aborted');
    await expect(handle.result).rejects.toMatchObject({ code: 'journal.failed' });
    await closed;
    expect(clock.pending).toBe(0);

    const seen = [...told];
    answer();
    await quiet();
    expect(told).toEqual(seen);
    const { records } = await recordsIn(plain, 'r');
    expect(records[0]?.kind).toBe('began');
    const again = await resume(walker(3), 'r', { store: plain, clock });
    const { status: end } = await letTimePass(clock, settled(again));
    expect(['completed', 'aborted']).toContain(end);
  });

  test('[FIND-51] does not keep the end of a run from being aborted', async () => {
    const { store } = silent(new PlainStore(), 2);
    const clock = virtualClock(1_000);
    const ended = agent({ name: 'walker', decide: () => never<Decision>() });
    const handle = ended.stream('go', { store, runId: 'r', clock });
    const result = settled(handle);
    await clock.advance(100);
    handle.abort('enough');
    handle.abort('at once');
    expect((await letTimePass(clock, result, 1_000)).status).toBe('aborted');
  });
});
