import { setImmediate as macrotask } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { KeyValueFiles } from '../../../src/contracts/conversations/memory.ts';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { postgresStore } from '../../../src/persistence/postgres/postgres-store.ts';
import { ScheduleLog } from '../../../src/runtime/schedules/schedule-log.ts';
import type { ScheduleEntry } from '../../../src/runtime/schedules/schedule-state.ts';
import { foldEntry, undefinedSchedule } from '../../../src/runtime/schedules/schedule-state.ts';
import { describeWithPostgres } from '../../support/postgres.ts';
import { numbersFrom } from '../../support/stored-runs.ts';

const rule = { agent: 'clerk', missed: 'all', overlap: 'queue', backlog: 10_000 } as const;
const defined: ScheduleEntry = { type: 'defined', rule, after: 0 };
const message = (key: string): ScheduleEntry => ({ type: 'message', key, at: 0 });

/** Files of one room, each operation of which is held up before and after by `hold`. */
const heldFiles = (
  files: KeyValueFiles,
  hold: (operation: keyof KeyValueFiles) => Promise<void>,
): KeyValueFiles => {
  const held =
    <Given extends readonly unknown[], Result>(
      name: keyof KeyValueFiles,
      work: (...given: Given) => Promise<Result>,
    ) =>
    async (...given: Given): Promise<Result> => {
      await hold(name);
      const result = await work(...given);
      await hold(name);
      return result;
    };
  return {
    read: held('read', (name: string) => files.read(name)),
    write: held('write', (name: string, text: string) => files.write(name, text)),
    append: held('append', (name: string, text: string) => files.append(name, text)),
    remove: held('remove', (name: string) => files.remove(name)),
    names: held('names', () => files.names()),
  };
};

/** Has three processes append to a log at once, each by a store of its own; `most` entries each. */
const expectOneOrder = async (storeOf: () => JournalStore, most: number): Promise<void> => {
  const random = numbersFrom(20_266);
  const turns = async (): Promise<void> => {
    for (let turn = random(4); turn > 0; turn -= 1) await macrotask();
  };
  const logOf = (): ScheduleLog => {
    const room = storeOf().files('any');
    return new ScheduleLog({ files: () => heldFiles(room, turns) }, 'mail');
  };
  await logOf().append(defined);
  const writers = ['a', 'b', 'c'];
  await Promise.all(
    writers.map(async (writer) => {
      const log = logOf();
      for (let number = 100; number < 100 + most; number += 1)
        await log.append(message(`${writer}${number}-${'x'.repeat(150)}`));
    }),
  );
  const { pending } = await logOf().read();
  const keys = pending.map(({ key }) => key.slice(0, 4));
  expect(new Set(keys).size).toBe(keys.length);
  for (const writer of writers)
    expect(keys.filter((key) => key.startsWith(writer))).toEqual(
      Array.from({ length: most }, (_, index) => `${writer}${index + 100}`),
    );
  expect(Number((await storeOf().files('any').names()).at(-1))).toBeGreaterThan(2);
};

describeWithPostgres('the log of a schedule in PostgreSQL', ({ connectionString }) => {
  test('keeps each entry of processes that append at once, in one order, while it is continued in new files', async () => {
    const stores: JournalStore[] = [];
    await expectOneOrder(() => {
      const store = postgresStore({ connectionString });
      stores.push(store);
      return store;
    }, 200);
    for (const store of stores) await store.close();
  }, 60_000);
});

describe('the log of a schedule', () => {
  test('keeps each entry of processes that append at once, in one order, while it is continued in new files', async () => {
    const store = memoryStore();
    await expectOneOrder(() => store, 200);
  }, 60_000);

  /** A process that falls asleep before it appends, beside one that is awake. */
  const sleeping = () => {
    const store = memoryStore();
    const room = store.files('any');
    let wake = (): void => undefined;
    let isSleepy = false;
    const asleep = new Promise<void>((resolve) => (wake = resolve));
    const hold = async (operation: keyof KeyValueFiles): Promise<void> => {
      if (operation === 'append' && isSleepy) await asleep;
    };
    const awake = new ScheduleLog({ files: () => room }, 'mail');
    return {
      room,
      awake,
      sleeper: new ScheduleLog({ files: () => heldFiles(room, hold) }, 'mail'),
      fallAsleep: () => void (isSleepy = true),
      wake: () => {
        wake();
      },
      /** Continues the log until a file of that number is there, and leaves nothing pending. */
      continueTo: async (file: string): Promise<void> => {
        for (let number = 0; !(await room.names()).includes(file); number += 1) {
          await awake.append(message(`${number}-${'x'.repeat(150)}`));
          await awake.append({ type: 'ended', key: `${number}-${'x'.repeat(150)}` });
        }
      },
    };
  };

  test.each(['2', '3'])(
    'takes an entry of a process that slept until the log was continued in file %s',
    async (file) => {
      const { room, awake, sleeper, fallAsleep, wake, continueTo } = sleeping();
      await sleeper.append(defined);
      fallAsleep();
      const appended = sleeper.append(message('late'));
      await continueTo(file);
      expect((await room.read('1')) === undefined).toBe(file === '3');
      wake();
      await appended;
      expect((await awake.read()).pending.map(({ key }) => key)).toEqual(['late']);
    },
  );

  test('is not begun anew by a process that slept from before it was begun', async () => {
    const { awake, sleeper, fallAsleep, wake, continueTo } = sleeping();
    fallAsleep();
    const appended = sleeper.append(defined);
    // It has seen that there is no log.
    for (let turn = 0; turn < 4; turn += 1) await macrotask();
    await awake.append(defined);
    await continueTo('3');
    await awake.append(message('one'));
    wake();
    expect((await appended).pending.map(({ key }) => key)).toEqual(['one']);
  });

  test('that is removed leaves nothing, and what is appended to it then counts for nothing', async () => {
    const store = memoryStore();
    const log = new ScheduleLog(store, 'mail');
    await log.append(defined);
    await log.append(message('one'));
    await log.remove();
    expect(await store.files('schedule mail').names()).toEqual([]);
    expect(await log.read()).toEqual(undefinedSchedule);
    await store.files('schedule mail').append('1', `${JSON.stringify({ type: 'paused' })}\n`);
    await log.append(defined);
    expect((await log.read()).isPaused).toBe(false);
  });

  test('that is damaged says so', async () => {
    const store = memoryStore();
    await store.files('schedule mail').append('1', 'no entry\n');
    await expect(new ScheduleLog(store, 'mail').read()).rejects.toMatchObject({ code: 'journal.corrupt' });
  });
});

describe('the fold of a log', () => {
  const state = foldEntry(undefinedSchedule, defined);

  test('lets the first entry that reaches a due time decide about it', () => {
    const first = foldEntry(state, { type: 'decided', to: 3_000, start: [] });
    const second = foldEntry(first, { type: 'decided', to: 4_000, start: [1_000, 2_000, 3_000, 4_000] });
    expect(second.pending.map(({ at }) => at)).toEqual([4_000]);
    expect(foldEntry(second, { type: 'decided', to: 4_000, start: [2_000] })).toBe(second);
  });

  test('decides nothing while it is paused', () => {
    const paused = foldEntry(state, { type: 'paused' });
    expect(foldEntry(paused, { type: 'decided', to: 1_000, start: [1_000] })).toBe(paused);
  });

  test('keeps the times of the first of two processes that add the same schedule', () => {
    const at = (time: number): ScheduleEntry => ({
      type: 'defined',
      rule: { ...rule, when: { afterMs: 5_000 } },
      after: time - 1,
      at: time,
    });
    expect(foldEntry(foldEntry(undefinedSchedule, at(5_100)), at(5_103)).definition?.at).toBe(5_100);
  });

  test('holds no more than the backlog', () => {
    const small = foldEntry(undefinedSchedule, { ...defined, rule: { ...rule, backlog: 2 } });
    const full = foldEntry(small, { type: 'decided', to: 3_000, start: [1_000, 2_000, 3_000] });
    expect(full.pending.map(({ at }) => at)).toEqual([1_000, 2_000]);
    expect(foldEntry(full, message('one'))).toBe(full);
  });
});
