import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, resume, tool, type Hook, type Tool } from '../../src/index.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { modelAnswer, type Model } from '../../src/models/index.ts';
import { isJsonObject } from '../../src/base/json/json.ts';
import { openJournal } from '../../src/persistence/journal-codec.ts';
import { PlainStore } from '../support/plain-store.ts';

const STEPS = 20;

/** Calls the tool so many times, then answers; as a provider does, by promise. */
const walking = (calls = 1): Model => {
  let taken = 0;
  return {
    provider: 'test',
    id: 'walker',
    isLanguageModel: false,
    answer: async () => {
      await Promise.resolve();
      taken += 1;
      return taken > STEPS - 1
        ? modelAnswer({ text: 'there' })
        : modelAnswer({
            calls: Array.from({ length: calls }, () => ({
              id: `c${taken}`,
              name: 'walk',
              input: { step: taken },
            })),
          });
    },
  };
};

const walk = (options: Partial<Pick<Tool, 'safety' | 'idempotent' | 'exclusive'>>, done: () => void): Tool =>
  tool({
    name: 'walk',
    description: 'Walks.',
    input: z.object({ step: z.number() }),
    ...options,
    execute: () => {
      done();
      return 'walked';
    },
  });

const commitsOf = async (
  options: Partial<Pick<Tool, 'safety' | 'idempotent' | 'exclusive'>>,
  calls = 1,
): Promise<number> => {
  const store = new PlainStore();
  const walker = agent({ name: 'walker', model: walking(calls), tools: [walk(options, () => undefined)] });
  await walker.run('go', { store, runId: 'r' });
  return store.commits;
};

describe('a journal is written', () => {
  test.each([
    { calls: 1, of: {} },
    { calls: 3, of: {} },
    { calls: 1, of: { safety: 'write', idempotent: true } },
    { calls: 3, of: { safety: 'write', idempotent: true } },
    { calls: 1, of: { safety: 'write' } },
    { calls: 3, of: { safety: 'write', exclusive: false } },
  ] as const)(
    '[FIND-47] twice a step at most, by $calls calls of a tool that is $of',
    async ({ calls, of }) => {
      const commits = await commitsOf(of, calls);
      expect(commits).toBeGreaterThanOrEqual(2 * (STEPS - 1));
      expect(commits).toBeLessThanOrEqual(2 * STEPS + 2);
    },
  );

  test('[FIND-47] once more for each call that has to be alone and must not be made twice', async () => {
    const commits = await commitsOf({ safety: 'write' }, 3);
    expect(commits).toBeGreaterThanOrEqual(4 * (STEPS - 1));
    expect(commits).toBeLessThanOrEqual(4 * STEPS + 2);
  });

  test('before a call, and before any observer is notified', async () => {
    const store = new PlainStore();
    const events = (): readonly string[] => {
      // Read at this very moment.
      const { records } = openJournal('r', store.read('r'));
      return records.flatMap((record) =>
        isJsonObject(record) && isJsonObject(record['event'])
          ? [JSON.stringify(record['event']['type'])]
          : [],
      );
    };
    const decided: number[] = [];
    const isWritten = new Set<boolean>();
    const walker = agent({
      name: 'walker',
      model: walking(),
      tools: [
        walk({ safety: 'write' }, () => {
          decided.push(events().filter((type) => type === '"agent.decided"').length);
        }),
      ],
    });
    const handle = walker.stream('go', { store, runId: 'r' });
    handle.events$.subscribe((event) => {
      if (event.type !== 'model.delta') isWritten.add(events().length > event.seq);
    });
    await handle.result;
    expect(decided).toEqual(Array.from({ length: STEPS - 1 }, (_, index) => index + 1));
    expect(isWritten).toEqual(new Set([true]));
  });

  test('[TENEX-87] and what could not be written was not told, and is not the result', async () => {
    const store = new PlainStore();
    store.beforeCommit = () => {
      if (store.commits === 5) throw new Error('no room left');
    };
    const walker = agent({ name: 'walker', model: walking(), tools: [walk({}, () => undefined)] });
    const handle = walker.stream('go', { store, runId: 'r' });
    await expect(handle.result).rejects.toMatchObject({ code: 'journal.failed' });
    store.beforeCommit = () => undefined;
    const { records } = await recordsIn(store, 'r');
    expect(records.filter((record) => record.kind === 'event' && record.event.type === 'run.ended')).toEqual(
      [],
    );
  });

  test('[TENEX-87] and what was written and not told before the process died is told once by whoever goes on', async () => {
    const store = new PlainStore();
    const make = () => agent({ name: 'walker', model: walking(), tools: [walk({}, () => undefined)] });
    const { events } = await make().run('go', { store, runId: 'r' });
    const { records } = await recordsIn(store, 'r');
    const cut = PlainStore.with('r', records.slice(0, records.length / 2));
    const told: number[] = [];
    const hook: Hook = {
      name: 'reader',
      handle: (event) => {
        if (event.type !== 'model.delta') told.push(event.seq);
      },
    };
    const handle = await resume(make(), 'r', { store: cut, hooks: [hook] });
    const result = await handle.result;
    expect(told).toEqual(result.events.map(({ seq }) => seq));
    expect(told.length).toBeGreaterThanOrEqual(events.length);
  });
});
