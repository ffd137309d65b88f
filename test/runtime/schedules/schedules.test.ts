import { beforeAll, describe, expect, test } from 'vitest';
import { answer } from '../../../src/contracts/agents/decision.ts';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { createGlobalEngine } from '../../../src/runtime/engines/global-engine.ts';
import type { Schedules, SchedulesOptions } from '../../../src/runtime/schedules/schedule.ts';
import { schedules } from '../../../src/runtime/schedules/schedules.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { echo, reports, runsOf, settableClock, watchedStore, until, warmUp } from './schedule-kit.ts';

beforeAll(warmUp);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.parse('2026-03-02T06:00:00Z');

/** Schedules on a clock of their own, in a store of their own. */
const stage = (inner: JournalStore = memoryStore(), startMs = START) => {
  const { store, isQuiet } = watchedStore(inner);
  const clock = settableClock(startMs, isQuiet);
  const heard = reports();
  const open = (options: SchedulesOptions = {}): Schedules =>
    schedules(store, { clock, lookEveryMs: HOUR, onReport: heard.onReport, ...options });
  return { store, clock, isQuiet, open, heard: heard.all };
};

/** Runs that last until they are let go. */
const held = () => {
  const waiting: (() => void)[] = [];
  const worker = agent({
    name: 'worker',
    failures: { timeoutMs: 1_000 * DAY },
    decide: async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return answer('Done.');
    },
  });
  return { worker, release: () => waiting.splice(0).forEach((resolve) => resolve()) };
};

const at = (iso: string): string => `2026-03-${iso}.000Z`;

describe('a schedule', () => {
  test('starts a run at each due time of a cron expression, in the zone that it names', async () => {
    const { store, clock, open } = stage();
    await using live = open();
    await live.add({
      name: 'digest',
      agent: echo,
      input: 'Go.',
      when: { cron: '0 8 * * *', zone: 'Europe/Vienna' },
    });
    await clock.pass(2 * DAY);
    expect(await runsOf(store, 'digest')).toEqual([at('02T07:00:00'), at('03T07:00:00')]);
  });

  test('beats at whole multiples of its interval, and never drifts', async () => {
    const { store, clock, open } = stage(memoryStore(), START + 1_234);
    await using live = open();
    await live.add({ name: 'pulse', agent: echo, input: 'Well?', when: { everyMs: 15 * MINUTE } });
    await clock.pass(HOUR);
    expect(await runsOf(store, 'pulse')).toEqual([
      at('02T06:15:00'),
      at('02T06:30:00'),
      at('02T06:45:00'),
      at('02T07:00:00'),
    ]);
  });

  test('is due once after a delay, beyond the longest timer of a platform, and in no later process again', async () => {
    const { store, clock, open } = stage();
    const later = { name: 'later', agent: echo, input: 'Go.', when: { afterMs: 60 * DAY } } as const;
    {
      await using live = open({ lookEveryMs: Infinity });
      await live.add(later);
      await clock.pass(59 * DAY);
      expect(await runsOf(store, 'later')).toEqual([]);
      await clock.pass(2 * DAY);
      expect(await runsOf(store, 'later')).toEqual(['2026-05-01T06:00:00.000Z']);
    }
    await using again = open();
    await again.add(later);
    await clock.pass(90 * DAY);
    expect(await runsOf(store, 'later')).toHaveLength(1);
    expect(await again.list()).toMatchObject([
      { name: 'later', pending: [], last: 'later@2026-05-01T06:00:00.000Z' },
    ]);
  });

  test('of a time that has passed is due at once, late', async () => {
    const { isQuiet, open, heard } = stage();
    await using live = open();
    await live.add({ name: 'past', agent: echo, input: 'Go.', when: { at: new Date(START - HOUR) } });
    await isQuiet();
    expect(heard).toMatchObject([{ type: 'started', dueAt: START - HOUR, isLate: true }]);
  });

  test('tells its input what is due, and continues its thread', async () => {
    const { store, clock, open } = stage();
    const model = scriptedModel(['One.', 'Two.']);
    const clerk = agent({ name: 'clerk', model });
    await using live = open();
    await live.add({
      name: 'talk',
      agent: clerk,
      input: ({ dueAt, isLate }) => `${new Date(dueAt).getUTCHours()} ${String(isLate)}`,
      when: { everyMs: HOUR },
      thread: 'talk',
    });
    for (let time = 0; time < 2; time += 1) {
      await clock.pass(HOUR);
      await until(async () => (await live.list())[0]?.pending.length === 0);
    }
    const said = model.requests[1]?.messages.map((turn) => turn.text);
    expect(said).toEqual(['7 false', 'One.', '8 false']);
    expect((await store.list()).map(({ thread }) => thread)).toEqual(['talk', 'talk']);
  });

  test('goes through an engine where it is given one, with its hooks', async () => {
    const { clock, open } = stage();
    const ended: string[] = [];
    await using engine = createGlobalEngine({
      hooks: [{ name: 'audit', on: 'run.ended', handle: ({ runId }) => void ended.push(runId) }],
    });
    await using live = open({ engine });
    await live.add({ name: 'pulse', agent: echo, input: 'Go.', when: { everyMs: HOUR } });
    await clock.pass(HOUR);
    expect(ended).toEqual([`pulse@${at('02T07:00:00')}`]);
  });
});

describe('what is missed while nobody looked', () => {
  const missed = async (policy: 'once' | 'all' | 'drop', how: 'gone' | 'paused', backlog?: number) => {
    const { store, clock, isQuiet, open, heard } = stage();
    const add = (live: Schedules): Promise<void> =>
      live.add({
        name: 'pulse',
        agent: echo,
        input: 'Go.',
        when: { everyMs: HOUR },
        missed: policy,
        backlog,
      });
    const first = open();
    await add(first);
    await clock.pass(HOUR);
    if (how === 'paused') {
      await first.pause('pulse');
      await clock.pass(4 * HOUR + 10 * MINUTE);
      await first.resume('pulse');
      await isQuiet();
      await first[Symbol.asyncDispose]();
    } else {
      await first[Symbol.asyncDispose]();
      clock.jump(4 * HOUR + 10 * MINUTE);
      await using second = open();
      await add(second);
      await isQuiet();
    }
    const late = heard.flatMap((each) => (each.type === 'started' && each.isLate ? [each.dueAt] : []));
    return {
      hours: (await runsOf(store, 'pulse')).map((iso) => Number(iso.slice(11, 13))),
      late: late.length,
    };
  };

  test.each(['gone', 'paused'] as const)('is delivered once, the latest, by default (%s)', async (how) => {
    expect(await missed('once', how)).toEqual({ hours: [7, 11], late: 1 });
  });

  test.each(['gone', 'paused'] as const)('is delivered each, late, with `all` (%s)', async (how) => {
    expect(await missed('all', how)).toEqual({ hours: [7, 8, 9, 10, 11], late: 4 });
  });

  test('is delivered up to the backlog, the latest of it', async () => {
    expect(await missed('all', 'gone', 2)).toEqual({ hours: [7, 10, 11], late: 2 });
  });

  test.each(['gone', 'paused'] as const)('is dropped with `drop` (%s)', async (how) => {
    expect(await missed('drop', how)).toEqual({ hours: [7], late: 0 });
  });
});

describe('a due time that comes while the run of an earlier one goes on', () => {
  const overlapping = async (overlap: 'skip' | 'queue') => {
    const { store, clock, isQuiet, open, heard } = stage();
    const { worker, release } = held();
    await using live = open();
    await live.add({ name: 'work', agent: worker, input: 'Go.', when: { everyMs: HOUR }, overlap });
    await clock.pass(3 * HOUR);
    const meanwhile = await runsOf(store, 'work');
    for (let time = 0; time < 4; time += 1) {
      release();
      await isQuiet();
    }
    return {
      meanwhile,
      after: await runsOf(store, 'work'),
      skipped: heard.filter(({ type }) => type === 'skipped'),
    };
  };

  test('is skipped, and reported', async () => {
    const { meanwhile, after, skipped } = await overlapping('skip');
    expect(meanwhile).toEqual([at('02T07:00:00')]);
    expect(after).toEqual(meanwhile);
    expect(skipped).toMatchObject([{ dueAt: START + 2 * HOUR }, { dueAt: START + 3 * HOUR }]);
  });

  test('waits its turn with `queue`', async () => {
    const { meanwhile, after } = await overlapping('queue');
    expect(meanwhile).toEqual([at('02T07:00:00')]);
    expect(after).toEqual([at('02T07:00:00'), at('02T08:00:00'), at('02T09:00:00')]);
  });
});

describe('a clock that is set', () => {
  test('forwards misses no due time, and back delivers none twice', async () => {
    const { store, clock, open } = stage();
    await using live = open({ lookEveryMs: MINUTE });
    await live.add({ name: 'pulse', agent: echo, input: 'Go.', when: { everyMs: HOUR }, missed: 'all' });
    clock.jump(3 * HOUR);
    await clock.pass(MINUTE);
    expect(await runsOf(store, 'pulse')).toHaveLength(3);
    clock.jump(-2 * HOUR);
    await clock.pass(2 * HOUR);
    expect(await runsOf(store, 'pulse')).toHaveLength(3);
    await clock.pass(HOUR);
    expect(await runsOf(store, 'pulse')).toEqual(
      [7, 8, 9, 10].map((hour) => at(`02T${String(hour).padStart(2, '0')}:00:00`)),
    );
  });

  test('does not delay what is due by more than the time between two looks', async () => {
    const { clock, open, heard } = stage();
    await using live = open({ lookEveryMs: MINUTE });
    await live.add({ name: 'pulse', agent: echo, input: 'Go.', when: { everyMs: HOUR } });
    await clock.pass(MINUTE / 2);
    clock.jump(-DAY);
    await clock.pass(DAY + HOUR);
    expect(heard).toMatchObject([{ type: 'started', dueAt: START + HOUR, isLate: false }]);
  });
});

describe('a clock that is set back', () => {
  test('delays nothing that another process does by more than the time between two looks, also where another schedule noticed it first', async () => {
    const { store, clock, isQuiet, open } = stage();
    await using live = open({ lookEveryMs: MINUTE });
    await live.add({ name: 'mail', agent: echo, input: 'Go.' });
    await live.add({ name: 'other', agent: echo, input: 'Go.' });
    await clock.pass(MINUTE / 2);
    clock.jump(-DAY);
    await live.resume('other');
    await isQuiet();
    await using sender = open();
    await sender.send('mail', { id: 'one', message: 'Hello.' });
    await clock.pass(MINUTE);
    expect(await runsOf(store, 'mail')).toEqual(['one']);
  });
});

describe('a start that fails', () => {
  test('is reported, tried again at the next look, and harms no other schedule', async () => {
    const { store, clock, open, heard } = stage();
    let times = 0;
    await using live = open({ lookEveryMs: MINUTE });
    await live.add({
      name: 'bad',
      agent: echo,
      input: () => {
        times += 1;
        if (times < 3) throw new Error('no input yet');
        return 'Go.';
      },
      when: { everyMs: HOUR },
    });
    await live.add({ name: 'good', agent: echo, input: 'Go.', when: { everyMs: HOUR } });
    await clock.pass(HOUR);
    expect(await runsOf(store, 'good')).toEqual([at('02T07:00:00')]);
    expect(await runsOf(store, 'bad')).toEqual([]);
    await clock.pass(3 * MINUTE);
    expect(await runsOf(store, 'bad')).toEqual([at('02T07:00:00')]);
    const failed = heard.filter(({ type }) => type === 'failed');
    expect(failed).toHaveLength(2);
    expect(failed[0]).toMatchObject({
      schedule: 'bad',
      runId: `bad@${at('02T07:00:00')}`,
      isFinal: false,
      error: { message: expect.stringContaining('no input yet') },
    });
  });

  test('of a run that no process can resume is reported as final, and holds up nothing that comes after it', async () => {
    const inner = memoryStore();
    let isDamaged = false;
    const damaged: JournalStore = Object.assign(Object.create(inner) as JournalStore, {
      ...Object.fromEntries(
        Object.getOwnPropertyNames(Object.getPrototypeOf(inner)).flatMap((name) => {
          const value: unknown = Reflect.get(inner, name, inner);
          return typeof value === 'function' ? [[name, value.bind(inner)]] : [];
        }),
      ),
      read: (runId: string, from?: number, limit?: number) =>
        isDamaged && runId.endsWith('T07:00:00.000Z')
          ? [{ n: 0, text: 'no record' }]
          : inner.read(runId, from, limit),
    });
    const { store, clock, open, heard } = stage(damaged);
    const { worker } = held();
    const add = (live: Schedules, agent: typeof echo): Promise<void> =>
      live.add({ name: 'work', agent, input: 'Go.', when: { everyMs: HOUR }, overlap: 'queue' });
    const first = open();
    await add(first, worker);
    await clock.pass(HOUR);
    const disposed = first[Symbol.asyncDispose]();
    await clock.pass(10 * MINUTE);
    await disposed;
    isDamaged = true;
    await using second = open();
    await add(second, agent({ name: 'worker', decide: () => answer('Done.') }));
    await clock.pass(HOUR);
    expect(heard.filter(({ type }) => type === 'failed')).toMatchObject([
      { runId: `work@${at('02T07:00:00')}`, isFinal: true, error: { code: 'journal.corrupt' } },
    ]);
    expect((await store.list()).map(({ runId, status }) => [runId.slice(16, 18), status])).toEqual([
      ['08', 'completed'],
      ['07', 'running'],
    ]);
  });
});

describe('a schedule in a store', () => {
  test('is listed, paused, resumed and removed by a process that has no code of it', async () => {
    const { store, clock, open } = stage();
    const live = open({ lookEveryMs: MINUTE });
    await live.add({ name: 'pulse', agent: echo, input: 'Go.', when: { everyMs: HOUR } });
    await live.add({ name: 'mail', agent: echo, input: 'Go.' });
    await using other = open();
    expect(await other.list()).toEqual([
      { name: 'mail', agent: 'echo', missed: 'once', overlap: 'skip', isPaused: false, pending: [] },
      {
        name: 'pulse',
        agent: 'echo',
        missed: 'once',
        overlap: 'skip',
        isPaused: false,
        pending: [],
        when: { everyMs: HOUR },
        nextAt: START + HOUR,
      },
    ]);
    await other.pause('pulse');
    await clock.pass(2 * HOUR + MINUTE / 2);
    expect(await runsOf(store, 'pulse')).toEqual([]);
    await other.resume('pulse');
    await clock.pass(HOUR);
    expect(await runsOf(store, 'pulse')).toEqual([at('02T08:00:00'), at('02T09:00:00')]);
    await other.remove('pulse');
    await clock.pass(3 * HOUR);
    expect(await runsOf(store, 'pulse')).toHaveLength(2);
    await expect(other.pause('pulse')).rejects.toMatchObject({
      code: 'schedule.unknown',
      message: "Cannot find the schedule 'pulse' as memory has none of that name: it has mail",
    });
    await live[Symbol.asyncDispose]();
    expect(clock.pending).toBe(0);
  });

  test('that is kept by two processes is delivered by one of them', async () => {
    const { store, clock, open } = stage(sqliteStore(':memory:'));
    await using one = open();
    await using other = open();
    for (const live of [one, other])
      await live.add({ name: 'pulse', agent: echo, input: 'Go.', when: { everyMs: HOUR }, missed: 'all' });
    await clock.pass(12 * HOUR);
    expect(await runsOf(store, 'pulse')).toHaveLength(12);
  });

  test('whose options change keeps what is pending, and is due by the new ones from then on', async () => {
    const { store, clock, open } = stage();
    await using live = open();
    await live.add({ name: 'pulse', agent: echo, input: 'Go.', when: { everyMs: HOUR } });
    await clock.pass(HOUR);
    await live.add({ name: 'pulse', agent: echo, input: 'Go.', when: { everyMs: 3 * HOUR } });
    await clock.pass(5 * HOUR);
    expect(await runsOf(store, 'pulse')).toEqual([at('02T07:00:00'), at('02T09:00:00'), at('02T12:00:00')]);
  });

  test('grows no longer than its log may be, however often it is due', async () => {
    const { store, clock, open } = stage();
    await using live = open();
    await live.add({ name: 'pulse', agent: echo, input: 'Go.', when: { everyMs: MINUTE } });
    await clock.pass(12 * HOUR);
    expect(await runsOf(store, 'pulse')).toHaveLength(720);
    const files = store.files('schedule pulse');
    const lengths = await Promise.all(
      (await files.names()).map(async (name) => (await files.read(name))?.length ?? 0),
    );
    expect(lengths.length).toBeLessThanOrEqual(2);
    expect(Math.max(...lengths)).toBeLessThan(34_000);
  });
});

describe('schedules that are disposed of', () => {
  test('suspend what runs, and the next process resumes it', async () => {
    const { store, clock, isQuiet, open } = stage();
    const { worker, release } = held();
    const first = open();
    const add = (live: Schedules): Promise<void> =>
      live.add({ name: 'work', agent: worker, input: 'Go.', when: { everyMs: HOUR } });
    await add(first);
    await clock.pass(HOUR);
    const disposed = first[Symbol.asyncDispose]();
    await clock.pass(MINUTE);
    await disposed;
    expect((await store.list()).map(({ status }) => status)).toEqual(['running']);
    expect(clock.pending).toBe(0);
    await using second = open();
    await add(second);
    await isQuiet();
    release();
    await isQuiet();
    expect((await store.list()).map(({ status, runId }) => [runId, status])).toEqual([
      [`work@${at('02T07:00:00')}`, 'completed'],
    ]);
  });

  test('suspend a run that waits for its turn in an engine, and one that is just being started', async () => {
    const { store, clock, isQuiet, open } = stage();
    const { worker, release } = held();
    await using engine = createGlobalEngine({ concurrency: 1 });
    const first = open({ engine });
    const add = async (live: Schedules): Promise<void> => {
      for (const name of ['one', 'two'])
        await live.add({ name, agent: worker, input: 'Go.', when: { everyMs: HOUR }, overlap: 'queue' });
    };
    await add(first);
    await clock.pass(HOUR);
    const disposed = first[Symbol.asyncDispose]();
    await clock.pass(MINUTE);
    await disposed;
    await using second = open();
    await add(second);
    await isQuiet();
    release();
    await isQuiet();
    expect((await store.list()).map(({ status, runId }) => [runId, status])).toEqual([
      [`two@${at('02T07:00:00')}`, 'completed'],
      [`one@${at('02T07:00:00')}`, 'completed'],
    ]);
  });

  test('are not hurt by a listener that throws', async () => {
    const { store, clock, open } = stage();
    await using live = open({
      onReport: () => {
        throw new Error('This listener is broken');
      },
    });
    await live.add({ name: 'pulse', agent: echo, input: 'Go.', when: { everyMs: HOUR } });
    await clock.pass(2 * HOUR);
    expect(await runsOf(store, 'pulse')).toHaveLength(2);
    expect((await store.list()).every(({ status }) => status === 'completed')).toBe(true);
  });

  test('take no further schedule', async () => {
    const { open } = stage();
    const live = open();
    await live[Symbol.asyncDispose]();
    await expect(live.add({ name: 'late', agent: echo, input: 'Go.' })).rejects.toMatchObject({
      code: 'engine.closed',
    });
  });
});

describe('what does not fit', () => {
  test.each([
    [{ cron: 'each morning' }, "Cannot read the cron expression 'each morning' in the zone 'UTC' as "],
    [{ cron: '0 0 30 2 *' }, 'there is no such time'],
    [{ cron: '0 8 * * *', zone: 'Mars/Olympus' }, 'Mars/Olympus'],
    [{ cron: '2030-01-01T00:00:00' }, 'it is none'],
    [{ cron: '? * * * *' }, 'it is none'],
    [{ everyMs: 10 }, 'is not a whole number from 1000'],
    [{ at: Number.NaN }, 'not a time'],
    [{ afterMs: -1 }, 'not a whole number from 0'],
  ] as const)('is refused: %j', async (when, message) => {
    const { store, open } = stage();
    await using live = open();
    await expect(live.add({ name: 'odd', agent: echo, input: 'Go.', when })).rejects.toMatchObject({
      code: 'schedule.invalid',
      message: expect.stringContaining(message),
    });
    expect(await store.files('schedules').names()).toEqual([]);
  });

  test('as a name is refused', async () => {
    const { open } = stage();
    await using live = open();
    await expect(live.add({ name: 'a@b', agent: echo, input: 'Go.' })).rejects.toMatchObject({
      code: 'schedule.invalid',
    });
  });
});
