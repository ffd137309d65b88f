import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dueTimesOf } from '../../../src/runtime/schedules/due-times.ts';
import { sized } from '../../support/thorough.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const iso = (at: number | undefined): string | undefined =>
  at === undefined ? at : new Date(at).toISOString();

const timesFrom = async (cron: string, zone: string, from: string, count: number) => {
  const times = await dueTimesOf({ cron, zone });
  const found: (string | undefined)[] = [];
  for (let at = Date.parse(from), left = count; left > 0; left -= 1) {
    at = times.next(at) ?? Number.NaN;
    found.push(iso(at));
  }
  return found;
};

describe('a cron expression when clocks change', () => {
  test('of one time a day is due at the first time after a gap, and once where its time occurs twice', async () => {
    expect(await timesFrom('30 2 * * *', 'Europe/Vienna', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
    expect(await timesFrom('30 2 * * *', 'Europe/Vienna', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });

  test('of an interval skips what does not exist, and is due at both times of one name', async () => {
    expect(await timesFrom('*/30 2 * * *', 'Europe/Vienna', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-30T00:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
    expect(await timesFrom('*/30 2 * * *', 'Europe/Vienna', '2026-10-24T12:00:00Z', 4)).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T01:30:00.000Z',
    ]);
  });
});

describe('due times', () => {
  const rules = [
    { everyMs: 7 * MINUTE },
    { at: Date.parse('2026-03-29T01:30:00Z') },
    { cron: '*/7 * * * *', zone: 'Europe/Vienna' },
    { cron: '30 2 * * *', zone: 'Europe/Vienna' },
    { cron: '15 */3 * * 1-5', zone: 'Australia/Lord_Howe' },
    { cron: '0 0 1 * *', zone: 'America/New_York' },
  ] as const;

  test('are the same, whether they are listed one by one or found from the end', async () => {
    const start = Date.parse('2026-03-25T00:00:00Z');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...rules),
        fc.integer({ min: 0, max: 200 * HOUR }),
        fc.integer({ min: 0, max: 200 * HOUR }),
        fc.integer({ min: 1, max: 300 }),
        async (rule, offset, length, most) => {
          const times = await dueTimesOf(rule);
          const after = start + offset;
          const listed: number[] = [];
          for (let at = times.next(after); at !== undefined && at <= after + length; at = times.next(at))
            listed.push(at);
          expect(times.latest(after, after + length, most).map(iso)).toEqual(listed.slice(-most).map(iso));
        },
      ),
      { numRuns: sized(100, 2_000) },
    );
  }, 120_000);

  test('of years are found without listing them', async () => {
    const times = await dueTimesOf({ cron: '* * * * * *', zone: 'UTC' });
    const upTo = Date.parse('2036-01-01T00:00:00Z');
    const found = times.latest(0, upTo, 100);
    expect(found).toEqual(Array.from({ length: 100 }, (_, index) => upTo - (99 - index) * 1_000));
  });
});
