import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import type { Memory, MemoryRecord, MemorySource } from '../../src/contracts/conversations/memory.ts';
import { keyValueMemory } from '../../src/memory/memories/key-value-memory.ts';
import { missingRecords } from '../../src/memory/memories/missing-records.ts';
import { notesMemory } from '../../src/memory/memories/notes-memory.ts';
import { summaryMemory } from '../../src/memory/memories/summary-memory.ts';
import { vectorMemory } from '../../src/memory/memories/vector-memory.ts';
import { windowMemory } from '../../src/memory/memories/window-memory.ts';
import { threads } from '../../src/memory/threads/threads.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { resume } from '../../src/runtime/journal/resume/resume.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { PlainStore } from '../support/plain-store.ts';
import { mortalStore } from '../support/mortal-store.ts';
import { sampled, sized } from '../support/thorough.ts';

const look = tool({
  name: 'look',
  description: 'Looks.',
  idempotent: true,
  input: z.object({}),
  execute: () => Promise.resolve('a look at the sea'),
});

type Make = (store: JournalStore) => MemorySource;

/** A process that knows the store only; all that is said has the word `look` in it. */
const worker = (make: Make, store: JournalStore, name = 'worker') =>
  agent({
    name,
    tools: [look],
    memory: make(store),
    decide: ({ step }) =>
      step === 0
        ? { kind: 'act', calls: [{ name: 'look', input: {} }] }
        : { kind: 'answer', answer: `${name}: look there` },
  });

const team = (make: Make, store: JournalStore) =>
  pipeline({ name: 'team', stages: [worker(make, store, 'first'), worker(make, store, 'second')] });

const kinds: readonly { readonly kind: string; readonly make: Make }[] = [
  { kind: 'window', make: (store) => windowMemory({ files: store.files('memory'), size: 100 }) },
  { kind: 'notes', make: (store) => notesMemory({ files: store.files('memory') }) },
  { kind: 'vector', make: (store) => vectorMemory({ files: store.files('memory') }) },
  { kind: 'key-value', make: (store) => keyValueMemory({ files: store.files('memory') }) },
  { kind: 'summary', make: (store) => summaryMemory({ files: store.files('memory'), keep: 50 }) },
];

/** What the next process finds, without what differs from run to run. */
const remembered = async (make: Make, store: JournalStore, agents: readonly string[]) => {
  const found: string[] = [];
  for (const name of agents) {
    const memory = await make(store).open({ runId: 'later', agent: name });
    const records = await memory.recall('look', 100);
    found.push(...records.map(({ text }) => text.replace(/^[a-z]+:\d+:\d+: /, '')));
  }
  return found.toSorted();
};

describe.each([
  { where: 'in memory', open: () => memoryStore(), tried: kinds },
  { where: 'in SQLite', open: () => sqliteStore(':memory:'), tried: sampled(kinds, 4) },
])('a store $where', ({ open, tried }) => {
  test.each(tried)(
    'a run that dies at any write and is gone on with leaves all in a memory of kind $kind, and once',
    async ({ make }) => {
      const whole = open();
      await worker(make, whole).run('look out', { store: whole, runId: 'r' });
      const expected = await remembered(make, whole, ['worker']);
      expect(expected.length).toBeGreaterThanOrEqual(6);
      let hasEnded = false;
      for (let at = 2; !hasEnded; at += sized(2, 1))
        for (const isDone of [true, false]) {
          const store = open();
          const first = mortalStore(store, { at, isDone });
          const run = worker(make, first.store).run('look out', { store: first.store, runId: 'r' });
          const ended = await Promise.race([first.died.then(() => false), run.then(() => true)]);
          hasEnded ||= ended;
          const second = mortalStore(store).store;
          if ((await store.entry('r')) === undefined) continue;
          if ((await store.read('r')).length === 0) continue;
          await (
            await resume(worker(make, second), 'r', { store: second })
          ).result;
          expect({ at, isDone, found: await remembered(make, store, ['worker']) }).toEqual({
            at,
            isDone,
            found: expected,
          });
          await store.close();
        }
    },
    60_000,
  );
});

test('a team in a thread that dies at any write and is gone on with remembers all once, and is in its thread once', async () => {
  const make: Make = (store) => windowMemory({ files: store.files('memory'), size: 100 });
  const whole = memoryStore();
  await team(make, whole).run('look out', { store: whole, runId: 'r', thread: 'talk' });
  const expected = await remembered(make, whole, ['first', 'second']);
  let hasEnded = false;
  for (let at = 2; !hasEnded; at += 1)
    for (const isDone of [true, false]) {
      const store = memoryStore();
      const first = mortalStore(store, { at, isDone });
      const run = team(make, first.store).run('look out', {
        store: first.store,
        runId: 'r',
        thread: 'talk',
      });
      hasEnded ||= await Promise.race([first.died.then(() => false), run.then(() => true)]);
      const second = mortalStore(store).store;
      if ((await store.entry('r')) === undefined || (await store.read('r')).length === 0) continue;
      await (
        await resume(team(make, second), 'r', { store: second })
      ).result;
      const thread = await threads(store.files('threads')).load('talk');
      expect({
        at,
        isDone,
        found: await remembered(make, store, ['first', 'second']),
        said: thread?.turns.map(({ text }) => text),
      }).toEqual({ at, isDone, found: expected, said: ['look out', 'second: look there'] });
    }
});

test('a run that is over writes nothing to a memory when it is taken up again', async () => {
  const store = memoryStore();
  const make: Make = () => windowMemory({ files: store.files('memory'), size: 100 });
  await worker(make, store).run('look out', { store, runId: 'r' });
  const before = await remembered(make, store, ['worker']);
  const forgetful = await make(store).open({ runId: 'x', agent: 'worker' });
  await forgetful.reset();
  await (
    await resume(worker(make, store), 'r', { store })
  ).result;
  expect(before.length).toBeGreaterThan(0);
  expect(await remembered(make, store, ['worker'])).toEqual([]);
});

test('the failures of a memory are in the report of a run that is stored, replayed or resumed', async () => {
  const full: MemorySource = {
    ...windowMemory(),
    open: () => Promise.reject(new Error('no disk')),
    release: () => Promise.reject(new Error('stuck')),
  };
  const make: Make = () => full;
  const store = memoryStore();
  const { report } = await worker(make, store).run('look out', { store, runId: 'r' });
  expect(new Set(report?.failures.map(({ operation }) => operation))).toEqual(new Set(['open', 'release']));
  expect((await replay(worker(make, store), 'r', { store })).result?.report).toEqual(report);
  expect(await (await resume(worker(make, store), 'r', { store })).result).toMatchObject({ report });
  for (const at of [4, 7]) {
    const broken = memoryStore();
    const first = mortalStore(broken, { at, isDone: true });
    void worker(make, first.store).run('look out', { store: first.store, runId: 'r' });
    await first.died;
    const second = mortalStore(broken).store;
    const resumed = await (await resume(worker(make, second), 'r', { store: second })).result;
    const failed = resumed.events.filter(({ type }) => type === 'memory.failed');
    expect(resumed.report?.failures.map(({ message }) => message)).toEqual(
      failed.map((event) => 'error' in event && event.error?.message),
    );
    expect((await replay(worker(make, broken), 'r', { store: broken })).result?.report).toEqual(
      resumed.report,
    );
  }
});

test('a run of version 0.1, which reported no failure of a memory, is replayed as it is on record, and reports them', async () => {
  const make: Make = () => ({ ...windowMemory(), open: () => Promise.reject(new Error('no disk')) });
  const store = memoryStore();
  const { report } = await worker(make, store).run('look out', { store, runId: 'r' });
  expect(report?.failures).not.toEqual([]);
  const { records } = await recordsIn(store, 'r');
  const older = records.map((record) => {
    if (record.kind !== 'event' || record.event.type !== 'run.ended') return record;
    const { report: _report, ...event } = record.event;
    return { ...record, event };
  });
  expect(older).not.toEqual(records);
  const plain = PlainStore.with('r', older);
  expect((await replay(worker(make, plain), 'r', { store: plain })).result?.report).toEqual(report);
});

describe('of records that may have been written', () => {
  const record = (text: string, at = 1): MemoryRecord => ({ kind: 'fact', text, at, runId: 'r', agent: 'a' });
  const missing = async (held: readonly MemoryRecord[], given: readonly MemoryRecord[]) => {
    const memory: Memory = await windowMemory({ size: 100 }).open({ runId: 'r', agent: 'a' });
    await memory.append(held);
    return (await missingRecords(memory, given)).map(({ text }) => text);
  };
  const [a, b, c] = [record('a'), record('b'), record('c')];

  test.each([
    ['none that is there is left', [a, b, c], [a, b, c], []],
    ['all are left where none is there', [], [a, b, c], ['a', 'b', 'c']],
    ['what comes after the last that is there is left', [a, b], [a, b, c], ['c']],
    ['what was summed up before one that is there is not', [c], [a, b, c], []],
    ['one that was at another time is another', [record('a', 2)], [a], ['a']],
    ['two that are equal have to be there twice', [a], [a, b, a], ['b', 'a']],
  ])('%s', async (_, held, given, left) => {
    expect(await missing(held, given)).toEqual(left);
  });
});
