import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { postgresStore } from '../../../src/persistence/postgres/postgres-store.ts';
import type { Missed, Schedules } from '../../../src/runtime/schedules/schedule.ts';
import { schedules } from '../../../src/runtime/schedules/schedules.ts';
import { describeWithPostgres } from '../../support/postgres.ts';
import { sized } from '../../support/thorough.ts';
import { echo, mortalProcess, runsOf, settableClock, watchedStore, warmUp } from './schedule-kit.ts';

beforeAll(warmUp);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-03-28T21:17:03Z');

const search = { numRuns: sized(40, 600) };

/** Minutes of a zone, read from the platform: not by what is tested. */
const minuteOf = (zone: string) => {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    hour: '2-digit',
    minute: '2-digit',
  });
  return (at: number): readonly [number, number] => {
    const [hour = 0, minute = 0] = format.format(at).split(':').map(Number);
    return [hour, minute];
  };
};

/** Rules, each with the due times that a plain reading of it has. */
const rules = [
  { when: { everyMs: 17 * MINUTE }, isDue: (at: number) => at % (17 * MINUTE) === 0 },
  { when: { everyMs: HOUR }, isDue: (at: number) => at % HOUR === 0 },
  {
    when: { cron: '*/20 1-3 * * *', zone: 'Europe/Vienna' },
    isDue: (at: number) => {
      const [hour, minute] = minuteOf('Europe/Vienna')(at);
      return minute % 20 === 0 && hour >= 1 && hour <= 3;
    },
  },
  {
    when: { cron: '5,35 * * * *', zone: 'Australia/Lord_Howe' },
    isDue: (at: number) => {
      const [, minute] = minuteOf('Australia/Lord_Howe')(at);
      return minute === 5 || minute === 35;
    },
  },
] as const;

/** All due times after a time and up to another, minute for minute. */
const dueBetween = (isDue: (at: number) => boolean, after: number, upTo: number): readonly number[] => {
  const found: number[] = [];
  for (let at = Math.ceil(after / MINUTE) * MINUTE; at <= upTo; at += MINUTE)
    if (at > after && isDue(at)) found.push(at);
  return found;
};

const isoOf = (at: number): string => new Date(at).toISOString();

const rule = fc.constantFrom(...rules);
const pass = fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 3 * HOUR }) });
const jump = fc.record({
  do: fc.constant('jump' as const),
  ms: fc.integer({ min: -3 * HOUR, max: 5 * HOUR }),
});
const who = fc.nat(1);

/** A history in which a keeper certainly dies: where few are tried, chance may have none in which one does. */
const FIRST_KEEPER_DIES = [
  { do: 'die' as const, who: 0, after: 1 },
  { do: 'pass' as const, ms: 3 * HOUR },
];

/** Tries many histories of keepers over a store, a new one for each. */
const expectEachOnce = async (storeOf: () => JournalStore, numRuns: number): Promise<void> => {
  const step = fc.oneof(
    { weight: 3, arbitrary: pass },
    jump,
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('die' as const),
        who,
        after: fc.integer({ min: 0, max: 90 }).map((n) => n / 2),
      }),
    },
    fc.record({ do: fc.constantFrom('start' as const, 'stop' as const), who }),
    fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const) }),
  );
  let kills = 0;
  await fc.assert(
    fc.asyncProperty(rule, fc.array(step, { maxLength: 14 }), async ({ when, isDue }, steps) => {
      const inner = storeOf();
      const { store, isQuiet } = watchedStore(inner);
      const clock = settableClock(START, isQuiet);
      const dead = new Set<string>();
      const living: ({ live: Schedules; process: ReturnType<typeof mortalProcess> } | undefined)[] = [];
      const start = (): {
        live: Schedules;
        process: ReturnType<typeof mortalProcess>;
        added: Promise<void>;
      } => {
        const process = mortalProcess(store, clock, dead);
        const live = schedules(process.store, { clock: process.clock, lookEveryMs: 5 * MINUTE });
        const added = live.add({
          name: 'job',
          agent: echo,
          input: 'Go.',
          when,
          missed: 'all',
          overlap: 'queue',
          backlog: 10_000,
        });
        return { live, process, added };
      };
      const first = start();
      living[0] = first;
      await first.added;
      await isQuiet();
      const control = schedules(store, { clock });
      let last = START;
      for (const each of steps) {
        last = Math.max(last, clock.now());
        switch (each.do) {
          case 'pass':
            await clock.pass(each.ms);
            break;
          case 'jump':
            clock.jump(each.ms);
            break;
          case 'die':
            living[each.who]?.process.dieAfter(each.after);
            break;
          case 'start':
            if (living[each.who]?.process.isDead() !== false) living[each.who] = start();
            break;
          case 'stop': {
            const one = living[each.who];
            living[each.who] = undefined;
            if (one?.process.isDead() === false) void one.live[Symbol.asyncDispose]();
            break;
          }
          case 'pause':
          case 'resume':
            await control[each.do]('job');
        }
        await isQuiet();
      }
      kills += living.filter((one) => one?.process.isDead()).length;
      for (const one of living) one?.process.kill();
      // In the end somebody is there, nothing is paused, and it is later than it ever was.
      await control.resume('job');
      clock.jump(Math.max(last, clock.now()) + HOUR - clock.now());
      const finder = start();
      await finder.added;
      await isQuiet();
      expect(await runsOf(store, 'job')).toEqual(dueBetween(isDue, START, clock.now()).map(isoOf));
      expect((await store.list()).every(({ status }) => status === 'completed')).toBe(true);
      await finder.live[Symbol.asyncDispose]();
      await inner.close();
    }),
    { numRuns, examples: [[rules[0], FIRST_KEEPER_DIES]] },
  );
  expect(kills).toBeGreaterThan(0);
};

test('each due time is delivered exactly once with `all`, whoever dies between whichever two writes, and however the clock is set', async () => {
  await expectEachOnce(memoryStore, search.numRuns);
}, 300_000);

describeWithPostgres('over PostgreSQL', ({ connectionString }) => {
  test('each due time is delivered exactly once with `all`, whoever dies between whichever two writes, and however the clock is set', async () => {
    let worlds = 0;
    const storeOf = () => postgresStore({ connectionString, schema: `world ${(worlds += 1)}` });
    await expectEachOnce(storeOf, sized(15, 80));
  }, 300_000);
});

test('with `once` and `drop`, what is found together is delivered as a plain reading of the times says', async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: pass },
    jump,
    fc.record({ do: fc.constantFrom('start' as const, 'stop' as const), who }),
    fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const) }),
  );
  const graceMs = 10 * MINUTE;
  await fc.assert(
    fc.asyncProperty(
      rule,
      fc.constantFrom<Missed>('once', 'drop', 'all'),
      fc.array(step, { maxLength: 14 }),
      async ({ when, isDue }, missed, steps) => {
        const { store, isQuiet } = watchedStore(memoryStore());
        const clock = settableClock(START, isQuiet);
        const living: (Schedules | undefined)[] = [];
        const start = async (index: number): Promise<void> => {
          const live = schedules(store, { clock, lookEveryMs: HOUR, graceMs });
          living[index] = live;
          await live.add({
            name: 'job',
            agent: echo,
            input: 'Go.',
            when,
            missed,
            overlap: 'queue',
            backlog: 1_000,
          });
          await isQuiet();
        };
        // The plain reading.
        const delivered: number[] = [];
        let decidedTo = START;
        let isPaused = false;
        const look = (now: number): void => {
          const found = dueBetween(isDue, decidedTo, now);
          const latest = found.at(-1);
          if (isPaused || latest === undefined) return;
          decidedTo = latest;
          if (missed === 'all') delivered.push(...found);
          else if (missed === 'once' || now - latest <= graceMs) delivered.push(latest);
        };
        const isKept = (): boolean => living.some((live) => live !== undefined);
        await start(0);
        for (const each of steps) {
          const before = clock.now();
          switch (each.do) {
            case 'pass':
              await clock.pass(each.ms);
              if (isKept()) for (const at of dueBetween(isDue, before, clock.now())) look(at);
              break;
            case 'jump':
              clock.jump(each.ms);
              // Looks at once, rather than at the next look: what came due between the two would be found together.
              for (const live of living) if (!isPaused) await live?.resume('job');
              await isQuiet();
              if (isKept()) look(clock.now());
              break;
            case 'start':
              if (living[each.who] !== undefined) break;
              await start(each.who);
              look(clock.now());
              break;
            case 'stop':
              await living[each.who]?.[Symbol.asyncDispose]();
              living[each.who] = undefined;
              break;
            case 'pause':
            case 'resume': {
              const live = living.find((one) => one !== undefined);
              if (live === undefined) break;
              await live[each.do]('job');
              await isQuiet();
              isPaused = each.do === 'pause';
              look(clock.now());
            }
          }
        }
        expect(await runsOf(store, 'job')).toEqual(delivered.toSorted((a, b) => a - b).map(isoOf));
        for (const live of living) await live?.[Symbol.asyncDispose]();
        expect(clock.pending).toBe(0);
      },
    ),
    search,
  );
}, 300_000);
