import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, tool } from '../../src/index.ts';
import type { Decision, RunHandle, RunOptions } from '../../src/index.ts';
import { readStoredRun } from '../../src/cli/stored/stored-run.ts';
import { isTroupeError } from '../../src/contracts/error.ts';
import type { JournalStore } from '../../src/contracts/journal.ts';
import type { JsonObject } from '../../src/contracts/json.ts';
import { journalText, readJournalText } from '../../src/persistence/journal-text.ts';
import { JournalSeal } from '../../src/persistence/journal-codec.ts';
import { memoryStore, sqliteStore } from '../../src/persistence/index.ts';
import { fork, openRequests, recordsIn, replay, resume } from '../../src/runtime/journal/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'troupe-taken-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let opened = 0;
const places: readonly { readonly where: string; readonly open: () => JournalStore }[] = [
  { where: 'memory', open: () => memoryStore() },
  { where: 'SQLite', open: () => sqliteStore(join(folder, `${(opened += 1)}.db`)) },
];

const wish = { holder: 'test', ttlMs: 60_000, now: 0 };

/** A journal as it is in a store, up to some record: what is left where a process died. */
const cutAfter = async (store: JournalStore, runId: string, length: number): Promise<JournalStore> => {
  const { records } = await recordsIn(store, runId);
  const entry = await store.entry(runId);
  if (entry === undefined) throw new Error('the run is not there');
  const copy = memoryStore();
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

/** Nothing was entered: then the caller was given the reason. */
const assertRefused = (result: unknown): void => {
  if (!isTroupeError(result) || !/\.(invalid|failed|unreadable)$/.test(result.code)) throw result;
};

const note = tool({
  name: 'note',
  description: 'Writes something down.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => ({ kept: text }),
});

const clerkWith = (state: JsonObject, text: string) =>
  agent({
    name: 'clerk',
    tools: [note],
    state,
    decide: ({ step }): Decision =>
      step === 0
        ? { kind: 'act', calls: [{ name: 'note', input: { text } }] }
        : { kind: 'answer', answer: text === '' ? 'nothing' : text },
  });

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.constant(''));
const named = fc.string({ unit: 'grapheme-ascii', minLength: 1 });
const json = fc.jsonValue({ maxDepth: 3 });
const objects = fc.dictionary(named, json, { maxKeys: 3 });

const turn = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      { role: fc.constant('user'), text: anyText, from: named },
      { requiredKeys: ['role', 'text'] },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        role: fc.constant('assistant'),
        text: anyText,
        reasoning: anyText,
        calls: fc.array(
          fc.record(
            { id: named, name: named, input: json, provider_field: json },
            { requiredKeys: ['id', 'name', 'input'] },
          ),
          { maxLength: 3 },
        ),
        replay: fc.record({ provider: named, content: json }),
        provider_field: json,
      },
      { requiredKeys: ['role', 'text'] },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record(
      { role: fc.constant('tool'), text: anyText, callId: named, tool: named, failed: fc.boolean() },
      { requiredKeys: ['role', 'text', 'callId', 'tool'] },
    ),
  },
);

/** What no check lets through: in JavaScript anything may come. */
const noTurn = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer', 'function', 7, null), text: anyText }),
  fc.record({ role: fc.constant('tool'), text: anyText }),
  fc.record({
    role: fc.constant('assistant'),
    text: anyText,
    calls: fc.constantFrom('x', [{}], [{ id: 'a', name: 'b', input: 1n }]),
  }),
  fc.anything({ withBigInt: true, withDate: true, withMap: true }),
);

const options = (most: fc.Arbitrary<unknown>): fc.Arbitrary<RunOptions> =>
  fc.record(
    {
      runId: fc.oneof(named, anyText),
      history: fc.array(most, { maxLength: 6 }),
      thread: fc.oneof(named, anyText),
      task: fc.oneof(
        named,
        fc.record(
          {
            objective: named,
            inputs: objects,
            metadata: objects,
            constraints: fc.array(named, { maxLength: 2 }),
            id: named,
          },
          { requiredKeys: ['objective'] },
        ),
      ),
      budget: fc.record(
        {
          steps: fc.constantFrom(2, 20, Infinity),
          tokens: fc.constantFrom(10_000, Infinity),
          timeMs: fc.constant(1e9),
          warnAt: fc.constantFrom(0.1, 1),
        },
        { requiredKeys: [] },
      ),
      limits: fc.record(
        { maxDepth: fc.constantFrom(1, 20, Infinity), maxAgents: fc.constantFrom(5, Infinity) },
        { requiredKeys: [] },
      ),
      context: fc.constantFrom(undefined, () => 1, { tenant: 7n }),
    },
    { requiredKeys: [] },
    // What does not fit the type is what the test is about.
  ) as fc.Arbitrary<RunOptions>;

describe.each(places)('[FIND-01] what a run was begun with, kept in $where,', ({ open }) => {
  test('is read back, resumed, replayed, forked, exported and shown, or refused before anything is written', async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 5, arbitrary: options(turn) }, { weight: 1, arbitrary: options(noTurn) }),
        objects,
        anyText,
        fc.nat(),
        async (given, state, text, cut) => {
          const store = open();
          const clerk = (): ReturnType<typeof clerkWith> => clerkWith(state, text);
          const handle = clerk().stream(text, { ...given, store });
          const result = await handle.result.catch((error: unknown) => error);
          const entries = await store.list();
          if (entries.length === 0) {
            assertRefused(result);
            return;
          }
          accepted += 1;
          const { runId } = handle;
          const { records, began } = await recordsIn(store, runId);
          expect(began.history).toEqual(
            given.history === undefined ? began.history : JSON.parse(JSON.stringify(given.history)),
          );
          const whole = await replay(clerk(), runId, { store });
          const status = entries[0]?.status;
          expect(whole.result?.status).toBe(status);
          const left = await cutAfter(store, runId, 1 + (cut % records.length));
          expect(await statusOf(await resume(clerk(), runId, { store: left }))).toBe(status);
          const other = await imported(store, runId);
          expect((await replay(clerk(), runId, { store: other })).events).toEqual(whole.events);
          const at = status === 'completed' ? { step: 1 } : undefined;
          expect(await statusOf(await fork(clerk(), runId, { store, at, runId: 'forked' }))).toBe(status);
          expect((await recordsIn(store, 'forked')).began.history).toEqual(began.history);
          expect(await openRequests(store)).toEqual([]);
          for (const entry of await store.list())
            expect((await readStoredRun(store, entry)).damage).toBeUndefined();
          await store.close();
        },
      ),
      { numRuns: 80 },
    );
    expect(accepted).toBeGreaterThan(25);
  }, 300_000);
});

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
          /turn 1 of its history is of the role 'system'.*`instructions`/,
        ) as string,
      });
      expect(await store.list()).toEqual([]);
    },
  );
});
