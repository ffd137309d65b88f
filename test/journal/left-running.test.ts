import { expect, test } from 'vitest';
import type { JournalStore, RunEntry } from '../../src/contracts/journals/journal.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { leftRunning } from '../../src/runtime/journal/resume/left-running.ts';

const entry = (runId: string, status: RunEntry['status'] = 'running'): RunEntry => ({
  runId,
  agent: 'ann',
  status,
  title: '',
  createdAt: 1,
  updatedAt: 1,
});

const wish = (ttlMs: number, holder = 'elsewhere') => ({ holder, ttlMs, now: Date.now() });

/** A store that notes what is asked of it, and knows of the holders that are gone. */
const noted = (store: JournalStore) => {
  const asked = new Set<string>();
  const identity = { holder: 'here', isGone: (holder: string) => holder === 'dead' };
  const watched = new Proxy(store, {
    get: (_, name) => {
      if (name === 'identity') return identity;
      asked.add(String(name));
      const found: unknown = Reflect.get(store, name);
      return typeof found === 'function' ? (found.bind(store) as unknown) : found;
    },
  });
  return { store: watched, asked };
};

const leftIn = async (store: JournalStore): Promise<readonly string[]> => [
  ...(await leftRunning(store, await store.list())).keys(),
];

test('runs are left running whose lease was released, has expired, or is of a process that is gone', async () => {
  const { store } = noted(memoryStore());
  await store.create(entry('held'), wish(60_000));
  await store.release(await store.create(entry('released'), wish(60_000)));
  await store.create(entry('expired'), wish(-1));
  await store.create(entry('of the dead'), wish(60_000, 'dead'));
  await store.create(entry('over', 'completed'), wish(-1));
  await store.create(entry('waits', 'waiting'), wish(-1));
  expect(await leftIn(store)).toEqual(['of the dead', 'expired', 'released']);
});

test('the look takes no lease: the holder goes on, and a process that resumes the run is not kept out', async () => {
  const { store, asked } = noted(memoryStore());
  const lease = await store.create(entry('late'), wish(-1));
  asked.clear();
  expect(await leftIn(store)).toEqual(['late']);
  expect([...asked].toSorted()).toEqual(['leases', 'list']);
  await store.commit(lease, { rows: [{ n: 0, text: 'x' }], change: { status: 'running', updatedAt: 2 } });
  const renewed = await store.renew(lease, wish(60_000));
  expect(await leftIn(store)).toEqual([]);
  expect(renewed.fence).toBe(lease.fence);
});

test('a run that ends while it is looked for is not left running', async () => {
  const store = memoryStore();
  const lease = await store.create(entry('ends'), wish(60_000));
  const ending: JournalStore = new Proxy(store, {
    get: (_, name) => {
      if (name === 'leases')
        return () => {
          void store.commit(lease, { rows: [], change: { status: 'completed', updatedAt: 2 } });
          void store.release(lease);
          return store.leases();
        };
      const found: unknown = Reflect.get(store, name);
      return typeof found === 'function' ? (found.bind(store) as unknown) : found;
    },
  });
  expect(await leftIn(ending)).toEqual([]);
});

test('where no run is on record as running, nothing is asked', async () => {
  const { store, asked } = noted(memoryStore());
  await leftRunning(store, [entry('over', 'failed')]);
  expect([...asked]).toEqual([]);
});

test('runs that a process is known to have are not asked for again', async () => {
  const { store, asked } = noted(memoryStore());
  await store.create(entry('late'), wish(-1));
  asked.clear();
  expect([...(await leftRunning(store, [entry('late'), entry('had')], new Set(['had']))).keys()]).toEqual([
    'late',
  ]);
  expect([...asked].toSorted()).toEqual(['leases', 'list']);
});
