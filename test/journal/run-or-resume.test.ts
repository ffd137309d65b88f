import { describe, expect, test } from 'vitest';
import { agent, resumeAll, runOrResume, type Decision } from '../../src/index.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { listWith } from '../../src/contracts/errors/listed.ts';
import { memoryStore, type JournalStore } from '../../src/persistence/index.ts';
import { leaseRequestFor } from '../../src/runtime/journal/resume/stored-run.ts';
import { PlainStore } from '../support/plain-store.ts';
import { quiet } from '../support/runs.ts';

const textOf = (input: unknown): string => (typeof input === 'string' ? input : JSON.stringify(input));

/** Decides anew each time that it is asked; what it decided is on its bill. */
const clerk = (bill: string[] = [], name = 'clerk') =>
  agent({
    name,
    decide: async ({ step, input }): Promise<Decision> => {
      await Promise.resolve();
      bill.push(`${textOf(input)} ${step}`);
      return step < 2 ? { kind: 'wait', forMs: 0 } : { kind: 'answer', answer: `${textOf(input)} is done` };
    },
  });

describe('runOrResume', () => {
  test('[FIND-05] begins a run of which there is no record, and gives the result of one that is over', async () => {
    const store = memoryStore();
    const bill: string[] = [];
    const first = await runOrResume(clerk(bill), 'one', { store, runId: 'r' });
    expect((await first.result).output).toBe('one is done');
    const second = await runOrResume(clerk(bill), 'another', { store, runId: 'r' });
    expect((await second.result).output).toBe('one is done');
    expect(bill).toEqual(['one 0', 'one 1', 'one 2']);
  });

  test('[FIND-05] resumes a run from wherever its process was killed, also before its first record', async () => {
    const whole = new PlainStore();
    await clerk().run('one', { store: whole, runId: 'r' });
    const { records } = await recordsIn(whole, 'r');
    for (let length = 0; length <= records.length; length += 1) {
      const store = PlainStore.with('r', records.slice(0, length));
      const entry = store.entries.get('r');
      if (entry !== undefined) store.entries.set('r', { ...entry, agent: 'clerk' });
      if (length === 0) store.rows.set('r', []);
      const handle = await runOrResume(clerk(), 'one', { store, runId: 'r' });
      expect((await handle.result).output, `${length} records`).toBe('one is done');
    }
  });

  test('[FIND-05] begins a run once, however many ask for it at once', async () => {
    const store = memoryStore();
    const bill: string[] = [];
    const attempts = await Promise.allSettled(
      [1, 2, 3].map(() => runOrResume(clerk(bill), 'one', { store, runId: 'r' })),
    );
    const handles = attempts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    await Promise.all(handles.map(({ result }) => result));
    expect(bill).toEqual(['one 0', 'one 1', 'one 2']);
    const refused = attempts.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    for (const reason of refused) expect(reason).toMatchObject({ code: 'journal.held' });
    expect(handles.length).toBeGreaterThan(0);
  });

  test('[FIND-05] says why where the store cannot be used', async () => {
    const store = new PlainStore();
    store.create = () => {
      throw new Error('no room left');
    };
    await expect(runOrResume(clerk(), 'one', { store, runId: 'r' })).rejects.toMatchObject({
      code: 'journal.failed',
    });
  });
});

describe('resumeAll', () => {
  test('[FIND-05] [KAIZEN-68] resumes what was under way, and says which it passed over and which it could not read', async () => {
    const store = memoryStore();
    const left = async (name: string, runId: string) => {
      const handle = clerk([], name).stream(runId, { store, runId });
      await handle.suspend();
    };
    for (const [name, runId] of [
      ['clerk', 'a'],
      ['clerk', 'b'],
      ['clerk', 'held'],
      ['clerk', 'broken'],
      ['stranger', 'c'],
    ] as const)
      await left(name, runId);
    await clerk().run('over', { store, runId: 'over' });
    await store.acquire('held', leaseRequestFor(store));
    const read: JournalStore['read'] = async (runId, ...given) =>
      (await store.read(runId, ...given)).map((row) =>
        runId === 'broken' ? { ...row, text: 'no journal' } : row,
      );
    const damaged = new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name === 'read') return read;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const { resumed, held, unclaimed, failed } = await resumeAll(damaged, [clerk()]);
    expect(resumed.map(({ runId }) => runId)).toEqual(['a', 'b']);
    const outputs = await Promise.all(resumed.map(async ({ result }) => (await result).output));
    expect(outputs).toEqual(['a is done', 'b is done']);
    expect(held.map(({ runId }) => runId)).toEqual(['held']);
    expect(unclaimed.map(({ runId }) => runId)).toEqual(['c']);
    expect(failed.map(({ entry, error }) => [entry.runId, error.code])).toEqual([
      ['broken', 'journal.corrupt'],
    ]);
    // What could not be read is left to others.
    await quiet();
    await store.release(await store.acquire('broken', leaseRequestFor(store)));
  });

  test('[FIND-05] names what the store itself cannot read, and resumes the others', async () => {
    const store = memoryStore();
    for (const runId of ['a', 'b']) {
      const handle = clerk().stream(runId, { store, runId });
      await handle.suspend();
    }
    const error = { code: 'journal.corrupt', message: 'Cannot read it', retryable: 'no' } as const;
    const damaged = new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name === 'list')
          return async () => {
            const all = await target.list();
            return listWith(
              all.filter(({ runId }) => runId === 'a'),
              [{ id: 'b', error }],
            );
          };
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const { resumed, unreadable, failed } = await resumeAll(damaged, [clerk()]);
    expect(resumed.map(({ runId }) => runId)).toEqual(['a']);
    expect(unreadable).toEqual([{ id: 'b', error }]);
    expect(failed).toEqual([]);
    await Promise.all(resumed.map(({ result }) => result));
  });

  test('[FIND-05] refuses two agents of one name', async () => {
    await expect(resumeAll(memoryStore(), [clerk(), clerk()])).rejects.toMatchObject({
      code: 'agent.invalid',
    });
  });
});
