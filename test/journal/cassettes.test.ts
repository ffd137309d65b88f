import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, dual, replay, tool, TroupeError, type Tool } from '../../src/index.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { traceFiles } from '../../src/inspect/index.ts';
import { exportJournal, memoryStore, readJournalFile } from '../../src/persistence/index.ts';
import { calls, replayModel, replayTools, scriptedModel } from '../../src/testing/index.ts';
import { sha256 } from '../../src/base/sha256.ts';
import { runScript } from '../support/run-script.ts';
import { PlainStore } from '../support/plain-store.ts';
import { png } from '../content/pictures.ts';
import { clerkTools, shop, till } from '../support/recorded-clerk.ts';
import { isThorough } from '../support/thorough.ts';

const folder = mkdtempSync(join(tmpdir(), 'troupe-cassettes-'));

/** The journal of a run of the shop, in a file. */
const recorded = async (): Promise<string> => {
  const store = memoryStore();
  await shop().run('tea and biscuits', { store, runId: 'recorded' });
  const file = join(folder, 'recorded.journal');
  await exportJournal(store, 'recorded', file);
  return file;
};

/** The trace of a run of the shop, which was kept in no store. */
const traced = async (): Promise<string> => {
  const traces = traceFiles({ folder: mkdtempSync(join(folder, 'traces-')) });
  await shop().run('tea and biscuits', { hooks: [traces], runId: 'traced' });
  await traces.written();
  return traces.fileOf('traced') ?? '';
};

beforeEach(() => {
  till.length = 0;
});

describe.each([
  { log: 'a journal', recorded },
  { log: 'a trace', recorded: traced },
  {
    log: 'a journal of 0.1',
    recorded: () => join(import.meta.dirname, '../fixtures/journals/0.1.0.journal'),
  },
])('$log as a cassette', ({ recorded: record }) => {
  test.each([
    { what: 'the real tools, not run', real: clerkTools },
    { what: 'tools made of what models were told', real: undefined },
  ])('plays models and tools again: $what', async ({ real }) => {
    const file = await record();
    till.length = 0;
    const model = replayModel(file);
    const { tools, assertReplayed } = replayTools(file, real);
    const result = await shop(model, tools).run('tea and biscuits');
    expect(result.output).toBe('Told: Tea is paid, biscuits are too dear.');
    expect(till).toEqual([]);
    model.assertReplayed();
    assertReplayed();
  });

  test('is strict about a call that is not on record, one with another input, and one that did not come', async () => {
    const file = await record();
    const { tools, assertReplayed } = replayTools(file, clerkTools);
    const other = scriptedModel([
      { calls: [{ id: 'a', name: 'price', input: { item: 'coffee' } }] },
      { calls: [{ id: 'b', name: 'price', input: { item: 'tea' } }] },
      'Nothing.',
    ]);
    const { events } = await shop(other, tools).run('coffee');
    const failures = events.flatMap((event) =>
      event.type === 'tool.finished' && !event.ok ? [event.error] : [],
    );
    expect(failures.map((error) => error?.code)).toEqual(['journal.diverged', 'journal.diverged']);
    expect(failures[0]?.message).toContain('coffee');
    expect(() => {
      assertReplayed();
    }).toThrow('tool call');
  });

  test('is strict about a model that is asked with other instructions, or by somebody who is not on record', async () => {
    const file = await record();
    const { tools } = replayTools(file, clerkTools);
    const otherwise = shop(replayModel(file), tools, 'Buy nothing.').run('tea and biscuits');
    await expect(otherwise).rejects.toMatchObject({ code: 'journal.diverged' });
    const twice = replayModel(file);
    await shop(twice, replayTools(file).tools).run('tea and biscuits');
    const once = await shop(twice, replayTools(file).tools).run('tea and biscuits');
    expect(once.status).toBe('completed');
    const elsewhere = agent({ name: 'stranger', model: twice }).run('tea and biscuits');
    await expect(elsewhere).rejects.toThrow('stranger#0.DECIDE.0.1');
    expect(() => {
      replayModel(file).assertReplayed();
    }).toThrow('model call');
  });

  test('says what is wrong with a file that is none', () => {
    const file = join(folder, 'none.journal');
    expect(() => replayModel(join(folder, 'missing'))).toThrow('Cannot read the journal');
    writeFileSync(file, '{"hello":1}\n');
    expect(() => replayModel(file)).toThrow('it is no log of a run');
  });
});

test.each(['journal', 'trace'])(
  'a %s plays what was tried again: each attempt fails or answers as it did',
  async (kind) => {
    let tries = 0;
    const flaky = tool({
      name: 'flaky',
      description: 'Fails once.',
      input: z.object({}),
      idempotent: true,
      execute: () => {
        tries += 1;
        if (tries === 1) throw new TroupeError('tool.failed', 'not yet', { retryable: 'yes' });
        return 'now';
      },
    });
    const asked = (model: Model, tools: readonly Tool[]) =>
      agent({ name: 'patient', model, tools, failures: { retry: { initialWaitMs: 1, maxWaitMs: 2 } } });
    const script = scriptedModel([
      new TroupeError('model.unavailable', 'busy', { retryable: 'yes' }),
      calls({ name: 'flaky', input: {} }),
      'It worked.',
    ]);
    const store = memoryStore();
    const traces = traceFiles({ folder: mkdtempSync(join(folder, 'traces-')) });
    await asked(script, [flaky]).run('go', { store, hooks: [traces], runId: 'tried' });
    await traces.written();
    const file = kind === 'trace' ? (traces.fileOf('tried') ?? '') : join(folder, 'tried.journal');
    if (kind === 'journal') await exportJournal(store, 'tried', file);
    const model = replayModel(file);
    const { tools, assertReplayed } = replayTools(file, [flaky]);
    const { output, events } = await asked(model, tools).run('go');
    expect(output).toBe('It worked.');
    expect(events.filter(({ type }) => type.endsWith('.retrying'))).toHaveLength(2);
    expect(tries).toBe(2);
    model.assertReplayed();
    assertReplayed();
  },
);

describe('recordings of releases', () => {
  const recordings = join(import.meta.dirname, '..', 'fixtures', 'journals');
  const files = readdirSync(recordings).filter((name) => name.endsWith('.journal'));

  test('there is one', () => {
    expect(files).toContain('0.1.0.journal');
  });

  if (isThorough)
    test('are gone through in another process as they are here, byte for byte', async () => {
      const file = join(recordings, '0.1.0.journal');
      const { exit, output } = await runScript(join('test', 'support', 'replay-child.ts'), { args: [file] });
      expect(exit, output).toBe(0);
      expect(output.trimEnd()).toBe(readFileSync(file.replace('.journal', '.events'), 'utf8').trimEnd());
    });

  test.each(files)('[QITOS-104] %s is gone through again by what is newest, event by event', async (name) => {
    const { entry, rows } = readJournalFile(join(recordings, name));
    const store = new PlainStore();
    store.rows.set(entry.runId, [...rows]);
    store.entries.set(entry.runId, entry);
    const { result, events } = await replay(shop(scriptedModel([])), entry.runId, { store });
    expect(result?.output).toBe('Told: Tea is paid, biscuits are too dear.');
    const told = events.map((event) => JSON.stringify(event));
    const kept = readFileSync(join(recordings, name.replace('.journal', '.events')), 'utf8');
    expect(told.join('\n')).toBe(kept.trimEnd());
    expect(till).toEqual([]);
  });
});

test.each(['the real tools', 'tools made of what models were told'])(
  'the tools that an agent is given are replayed with what they said: %s',
  async (what) => {
    const lines = Array.from({ length: 2_000 }, (_, at) => `line ${at + 1}`).join('\n');
    const log = tool({
      name: 'log',
      description: 'Shows the log.',
      input: z.object({}),
      deferred: true,
      execute: () => lines,
    });
    const id = `log-${sha256(lines).slice(0, 12)}`;
    const model = scriptedModel([
      calls({ name: 'find_tools', input: { query: 'log' } }),
      calls({ name: 'log', input: {} }),
      calls({ name: 'read_result', input: { id, from: 1_000, to: 1_000 } }),
      'It is line 1000.',
    ]);
    const reader = (tools: readonly Tool[]) =>
      agent({ name: 'reader', tools, conversation: { maxTextBytes: 1_000 } });
    const store = memoryStore();
    const first = await reader([log]).run('go', { store, runId: 'r', model });
    const file = join(folder, `own-${what.length}.journal`);
    await exportJournal(store, 'r', file);
    const replayed = replayModel(file);
    const { tools, assertReplayed } = replayTools(file, what === 'the real tools' ? [log] : undefined);
    const { transcript } = await reader(tools).run('go', { model: replayed });
    const texts = (turns: typeof transcript) => turns.map(({ text }) => text);
    expect(texts(transcript)).toEqual(texts(first.transcript));
    expect(texts(transcript).join()).toContain('lines 1000 to 1000 of 2000');
    replayed.assertReplayed();
    assertReplayed();
  },
);

test('a tool that showed a picture shows it again, with the same conversation', async () => {
  const picture = { type: 'image', data: png(), name: 'garden.png' } as const;
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: z.object({}),
    execute: () => dual({ text: 'The garden:', parts: [picture], value: 'seen' }),
  });
  const store = memoryStore();
  const seer = (model: Model, tools: readonly Tool[]) => agent({ name: 'seer', model, tools });
  const model = scriptedModel([calls({ name: 'look', input: {} }), 'Green.']);
  const first = await seer(model, [look]).run('Look.', { store, runId: 'seen' });
  const file = join(folder, 'seen.journal');
  await exportJournal(store, 'seen', file);
  const again = await seer(replayModel(file), replayTools(file, [look]).tools).run('Look.');
  expect(again.transcript).toEqual(first.transcript);
});
