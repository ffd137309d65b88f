import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  agent,
  fork,
  openRequests,
  replay,
  resume,
  runOrResume,
  tool,
  type Decision,
  type RunHandle,
  type RunOptions,
  type RunResult,
} from '../../src/index.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { readStoredRun } from '../../src/runtime/journal/resume/sound-run.ts';
import type { TroupeError } from '../../src/contracts/errors/error.ts';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import { journalText, readJournalText } from '../../src/persistence/run-log.ts';
import { JournalSeal } from '../../src/persistence/journal-codec.ts';
import { memoryStore, postgresStore, sqliteStore } from '../../src/persistence/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { asked, clerkWith, subjectOf } from '../support/asked-runs.ts';
import { PlainStore } from '../support/plain-store.ts';
import { describeWithPostgres } from '../support/postgres.ts';
import { settled } from '../support/runs.ts';
import { isThorough, sized } from '../support/thorough.ts';
import { AnotherProcess } from './kills/another-process.ts';
import type { TakerPlace } from './kills/taker.ts';

const folder = mkdtempSync(join(tmpdir(), 'troupe-taken-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;
const newName = (): string => `taken_${(count += 1)}`;

const wish = { holder: 'test', ttlMs: 60_000, now: 0 };

/** A journal as it is in a store, up to some record: what is left where a process died. */
const cutAfter = async (
  store: JournalStore,
  runId: string,
  length: number,
  copy: JournalStore = memoryStore(),
): Promise<JournalStore> => {
  const { records } = await recordsIn(store, runId);
  const entry = await store.entry(runId);
  if (entry === undefined) throw new Error('the run is not there');
  const lease = await copy.create({ ...entry, status: 'running' }, wish);
  await copy.commit(lease, {
    rows: [new JournalSeal({ runId }).seal(records.slice(0, length))],
    change: { status: 'running', updatedAt: 0 },
  });
  await copy.release(lease);
  return copy;
};

const imported = async (store: JournalStore, runId: string): Promise<JournalStore> => {
  const entry = await store.entry(runId);
  if (entry === undefined) throw new Error('the run is not there');
  const copy = readJournalText(journalText({ entry, rows: await store.read(runId) }));
  const other = memoryStore();
  const lease = await other.create(copy.entry, wish);
  const { status, updatedAt } = copy.entry;
  await other.commit(lease, { rows: copy.rows, change: { status, updatedAt } });
  await other.release(lease);
  return other;
};

const statusOf = async ({ result }: RunHandle): Promise<string> =>
  result.then(
    ({ status }) => status,
    (error: unknown) => {
      if (isTroupeError(error, 'task.invalid')) return 'failed';
      throw error;
    },
  );

/** Nothing was entered: then the caller was given the reason, and another case is drawn in its place. */
const assertRefused = (result: unknown): void => {
  if (!isTroupeError(result) || !/\.(invalid|failed|unreadable)$/.test(result.code)) throw result;
  fc.pre(false);
};

/** The run, or the error that it is refused with at once. */
const begun = <Handle>(begin: () => Handle): Handle | TroupeError => {
  try {
    return begin();
  } catch (error) {
    if (isTroupeError(error)) return error;
    throw error;
  }
};

const readsBack = (numRuns: number, open: () => JournalStore): void => {
  test('is read back, resumed, replayed, forked, exported and shown, or refused before anything is written', async () => {
    const stores: JournalStore[] = [];
    await fc.assert(
      fc
        .asyncProperty(asked, fc.nat(), async ({ given, state, text }, cut) => {
          const opened = (): JournalStore => {
            const store = open();
            stores.push(store);
            return store;
          };
          const store = opened();
          const clerk = (): ReturnType<typeof clerkWith> => clerkWith(state, text);
          const handle = begun(() => clerk().stream(text, { ...given, store }));
          if (handle instanceof Error) {
            assertRefused(handle);
            return;
          }
          const result = await handle.result.catch((error: unknown) => error);
          const entries = await store.list();
          if (entries.length === 0) {
            assertRefused(result);
            return;
          }
          const { runId } = handle;
          const { records, began } = await recordsIn(store, runId);
          expect(began.history).toEqual(
            given.history === undefined ? began.history : JSON.parse(JSON.stringify(given.history)),
          );
          const whole = await replay(clerk(), runId, { store });
          const status = entries[0]?.status;
          expect(whole.result?.status).toBe(status);
          const left = await cutAfter(store, runId, 1 + (cut % records.length), opened());
          expect(await statusOf(await resume(clerk(), runId, { store: left }))).toBe(status);
          const other = await imported(store, runId);
          expect((await replay(clerk(), runId, { store: other })).events).toEqual(whole.events);
          const at = status === 'completed' ? { step: 1 } : undefined;
          expect(await statusOf(await fork(clerk(), runId, { store, at, runId: 'forked' }))).toBe(status);
          expect((await recordsIn(store, 'forked')).began.history).toEqual(began.history);
          expect(await openRequests(store)).toEqual([]);
          for (const entry of await store.list())
            expect((await readStoredRun(store, entry)).damage).toBeUndefined();
        })
        .afterEach(async () => {
          for (const each of stores.splice(0)) await each.close();
        }),
      { numRuns },
    );
  }, 300_000);
};

describe('[FIND-01] what a run was begun with, kept in memory,', () => {
  readsBack(sized(3, 60), memoryStore);
});

describe('[FIND-01] what a run was begun with, kept in SQLite,', () => {
  readsBack(sized(3, 60), () => sqliteStore(join(folder, `${newName()}.db`)));
});

describeWithPostgres('[FIND-01] what a run was begun with, kept in PostgreSQL,', ({ connectionString }) => {
  readsBack(sized(2, 60), () => postgresStore({ connectionString, schema: newName() }));
});

describe('[FIND-01] a run of a process that is killed in its midst is taken up by another, whatever it was given,', () => {
  const program = new AnotherProcess('taker.ts');
  beforeAll(() => program.build());
  afterAll(() => {
    program.remove();
  });

  /** Three times in the gate: a process takes a second to start. */
  const takesUp = (
    seed: number,
    place: () => { readonly order: TakerPlace; readonly store: JournalStore },
  ): void => {
    test('also where it was killed before its first record', async () => {
      let kills = 0;
      for (const [index, { subject, commits, status, output }] of (
        await accepted(seed, sized(2, 40))
      ).entries()) {
        const { order, store } = place();
        // The first is killed before anything of it is written.
        const diesAt = index === 0 ? 1 : 1 + ((seed + index) % commits);
        const isWritten = index % 2 === 1;
        const end = await program.run({ ...order, seed: subject.seed, diesAt, isWritten });
        expect(end.failure.replaceAll(/\(node.*\n|\(Use.*\n/g, '')).toBe('');
        kills += Number(end.wasKilled);
        const { asked: it, runId } = subject;
        const make = () => clerkWith(it.state, it.text);
        const handle = await runOrResume(make(), it.text, { ...it.given, runId, store });
        const result = await settled(handle);
        expect([result.status, result.output]).toEqual([status, output]);
        expect((await replay(make(), runId, { store })).events).toEqual(result.events);
        const { began } = await recordsIn(store, runId);
        expect(began.history).toEqual(
          it.given.history === undefined ? began.history : JSON.parse(JSON.stringify(it.given.history)),
        );
        await store.close();
      }
      expect(kills).toBeGreaterThan(0);
    }, 300_000);
  };

  describe('kept in SQLite:', () => {
    takesUp(7, () => {
      const file = join(folder, `${newName()}.db`);
      return { order: { file }, store: sqliteStore(file) };
    });
  });

  if (isThorough)
    describeWithPostgres('kept in PostgreSQL:', ({ connectionString }) => {
      takesUp(8, () => {
        const schema = newName();
        return {
          order: { connectionString, schema },
          store: postgresStore({ connectionString, schema }),
        };
      });
    });
});

/** The next so many runs that are accepted, and what each comes to where nobody kills it. */
const accepted = async (first: number, wanted: number) => {
  const found = [];
  for (let seed = first; found.length < wanted; seed += 100) {
    const subject = subjectOf(seed);
    const { asked: it, runId } = subject;
    const store = new PlainStore();
    const given = { ...it.given, runId, store };
    const result = await clerkWith(it.state, it.text)
      .run(it.text, given)
      .catch((error: unknown) => error);
    if (result instanceof Error) continue;
    const { status, output } = result as RunResult;
    found.push({ subject, commits: store.commits, status, output });
  }
  return found;
};

describe('[FIND-01] a history with tool turns', () => {
  const history = [
    { role: 'user', text: 'Look it up.' },
    { role: 'assistant', text: '', calls: [{ id: 'a', name: 'look', input: { id: 7 } }] },
    { role: 'tool', callId: 'a', tool: 'look', text: 'Seven.' },
    { role: 'assistant', text: 'It is seven.' },
  ] as const;

  test('is replayed, and resumed from any record', async () => {
    const store = memoryStore();
    const make = () => agent({ name: 'a', model: scriptedModel(['ok']) });
    const { output } = await make().run('And?', { store, runId: 'r', history });
    expect((await replay(make(), 'r', { store })).result?.output).toBe(output);
    const { records } = await recordsIn(store, 'r');
    for (let length = 1; length <= records.length; length += 1) {
      const left = await cutAfter(store, 'r', length);
      expect((await (await resume(make(), 'r', { store: left })).result).output).toBe(output);
    }
  });

  test('of two that run in one thread is whole: the call that the other has open has a result', async () => {
    const store = memoryStore();
    const ask = tool({
      name: 'ask',
      description: 'Asks.',
      input: z.object({}),
      execute: async (_, { ask: person }) => person('Which?'),
    });
    const waiting = () =>
      agent({
        name: 'waiting',
        tools: [ask],
        decide: ({ step }): Decision =>
          step === 0
            ? { kind: 'act', calls: [{ name: 'ask', input: {} }] }
            : { kind: 'answer', answer: 'done' },
      });
    const model = scriptedModel(['second']);
    const second = () => agent({ name: 'second', model });
    const first = waiting().stream('one', { store, runId: 'one', thread: 't' });
    for await (const event of first) if (event.type === 'person.asked') break;
    await second().run('two', { store, runId: 'two', thread: 't' });
    const shown = model.requests[0]?.messages ?? [];
    const called = shown.flatMap((each) => (each.role === 'assistant' ? (each.calls ?? []) : []));
    expect(called.map(({ name }) => name)).toEqual(['ask']);
    expect(shown.flatMap((each) => (each.role === 'tool' ? [each.callId] : []))).toEqual(
      called.map(({ id }) => id),
    );
    for (const { id } of await openRequests(store, 'one')) first.reply('this one', id);
    expect((await first.result).output).toBe('done');
    expect((await replay(waiting(), 'one', { store })).result?.output).toBe('done');
    const again = () => agent({ name: 'second', model: scriptedModel(['second']) });
    expect((await replay(again(), 'two', { store })).result?.output).toBe('second');
    expect((await (await resume(again(), 'two', { store })).result).output).toBe('second');
    expect((await (await fork(again(), 'two', { store, at: { step: 0 } })).result).output).toBe('second');
  });
});

describe('[FIND-30] a system turn in the history', () => {
  test.each(['stored', 'not stored'])(
    'is refused where the run is %s, and the error names instructions',
    async (where) => {
      const store = memoryStore();
      const history = [{ role: 'system', text: 'Be kind.' }] as unknown as RunOptions['history'];
      const given = where === 'stored' ? { history, store } : { history };
      const clerk = agent({ name: 'clerk', model: scriptedModel(['ok']) });
      await expect(clerk.run('Hello', given)).rejects.toMatchObject({
        code: 'input.invalid',
        message: expect.stringMatching(
          /turn 1 of its history has the role 'system'.*`instructions`/,
        ) as string,
      });
      expect(await store.list()).toEqual([]);
    },
  );
});
