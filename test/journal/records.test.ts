import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { agent, resume, tool } from '../../src/index.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import type { JournalRecord } from '../../src/contracts/journals/journal-record.ts';
import { JournalSeal } from '../../src/persistence/journal-codec.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { PlainStore } from '../support/plain-store.ts';

const began: JournalRecord = { kind: 'began', at: 0, runId: 'r', agent: 'a', input: 'x' };

const storeOf = (...records: readonly object[]): PlainStore => {
  const store = new PlainStore();
  store.rows.set('r', [new JournalSeal({ runId: 'r' }).seal(records)]);
  return store;
};

describe('[QITOS-70] the records of a journal', () => {
  const told = { kind: 'event', event: { seq: 0, at: 0, path: 'a', agent: 'a', type: 'run.paused' } };

  test('are read as they are', async () => {
    const { records } = await recordsIn(storeOf(began, told), 'r');
    expect(records).toEqual([began, told]);
  });

  test('of an earlier release have the names that events have now', async () => {
    const happened = (type: string, facts: object = {}) => ({
      kind: 'event',
      event: { ...told.event, type, ...facts },
    });
    const said = { from: 'a', to: 'b' };
    const before = [
      happened('model.fellBack', said),
      happened('session.lost', { backend: 'passthrough', reason: 'gone' }),
      happened('task.handed-over', { ...said, context: 'isolated' }),
      happened('task.handed-over', { ...said, context: 'full' }),
      happened('task.handed-over', { ...said, context: 'summary' }),
    ];
    const { records } = await recordsIn(storeOf(began, ...before), 'r');
    expect(records).toEqual([
      began,
      happened('model.fell-back', said),
      happened('session.lost', { strategy: 'passthrough', reason: 'gone' }),
      happened('task.handed-over', { ...said, sees: 'task' }),
      happened('task.handed-over', { ...said, sees: 'conversation' }),
      happened('task.handed-over', { ...said, sees: 'summary' }),
    ]);
  });

  test.each([
    {
      what: 'a field that nobody knows',
      record: { ...told, colour: 'red' },
      says: 'Unrecognized key: "colour"',
    },
    { what: 'a kind that nobody knows', record: { kind: 'guessed' }, says: 'kind' },
    {
      what: 'an arrival that nobody knows',
      record: { kind: 'arrived', tick: 0, at: 0, arrival: { type: 'guessed' } },
      says: 'unknown kind of arrival',
    },
    { what: 'a number below zero', record: { ...told, tick: -1 }, says: 'tick' },
    { what: 'no object', record: [], says: 'record 1 is not one of this release' },
  ])('are refused by number where one has $what', async ({ record, says }) => {
    await expect(recordsIn(storeOf(began, record), 'r')).rejects.toMatchObject({
      code: 'journal.corrupt',
      message: expect.stringContaining(says) as string,
    });
  });

  test('have to say first how the run began', async () => {
    await expect(recordsIn(storeOf(told), 'r')).rejects.toThrow('does not say how it began');
    await expect(recordsIn(storeOf(), 'r')).rejects.toMatchObject({ code: 'journal.unknown' });
  });
});

describe('secrets', () => {
  const secret = 'sk-topsecret-0123456789';

  beforeEach(() => {
    vi.stubEnv('SOME_VENDOR_API_KEY', secret);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test('of the environment never reach a store: not in inputs, calls, results, errors, titles or encoded', async () => {
    const leak = tool({
      name: 'leak',
      description: 'Says too much.',
      input: z.object({ key: z.string() }),
      execute: ({ key }) => {
        if (key === 'fail') throw new Error(`refused ${secret}`);
        return { key, header: btoa(`Bearer ${secret}`) };
      },
    });
    const make = () =>
      agent({
        name: 'a',
        instructions: `Use ${secret}.`,
        tools: [leak],
        model: scriptedModel([
          calls({ name: 'leak', input: { key: secret } }),
          calls({ name: 'leak', input: { key: 'fail' } }),
          `It was ${secret}.`,
        ]),
      });
    const store = new PlainStore();
    const result = await make().run(`The key is ${secret}`, { store, runId: 'r' });
    expect(result.output).toBe(`It was ${secret}.`);
    const kept = JSON.stringify([...store.rows.values(), ...store.entries.values()]);
    expect(kept).not.toContain('topsecret');
    expect(kept).not.toContain(btoa(secret).slice(4, 20));
    expect(kept).toContain('[redacted SOME_VENDOR_API_KEY]');
    const again = await (await resume(make(), 'r', { store })).result;
    expect(again.output).toBe(`It was ${secret}.`);
    expect(again.events).toEqual(result.events);
  });
});
