import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import { postgresStore } from '../../../src/persistence/postgres/postgres-store.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { AnotherProcess } from '../../journal/kills/another-process.ts';
import { describeWithPostgres } from '../../support/postgres.ts';
import { numbersFrom } from '../../support/stored-runs.ts';
import { sized } from '../../support/thorough.ts';
import type { KeeperOrder } from './keeper-process.ts';
import { runsOf } from './schedule-kit.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-03-28T21:17:03Z');
const KILLS = sized(8, 100);

const keeper = new AnotherProcess('../../runtime/schedules/keeper-process.ts');
const folder = mkdtempSync(join(tmpdir(), 'troupe-schedules-'));

beforeAll(() => keeper.build(), 60_000);
afterAll(() => {
  keeper.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Kills keepers until there were that many kills; expects each due time until then to be delivered once. */
const expectExactlyOnce = async (
  place: Pick<KeeperOrder, 'file' | 'connectionString'>,
  store: JournalStore,
  most: number,
): Promise<void> => {
  const random = numbersFrom(20_265);
  const base = { ...place, everyMs: HOUR };
  let now = START;
  let latest = START;
  let kills = 0;
  const spawnKeeper = async (
    order: Omit<KeeperOrder, 'file' | 'connectionString' | 'everyMs'>,
  ): Promise<void> => {
    const end = await keeper.run({ ...base, ...order });
    expect(end.failure).toBe('');
    if (end.wasKilled) kills += 1;
    now = Number(end.lines.at(-1) ?? now);
    latest = Math.max(latest, ...end.lines.map(Number));
  };
  // Registered once by a process that lives: the schedule is due from then on.
  await spawnKeeper({ nowMs: START, stayMs: 0, jumpMs: 0, diesAfter: undefined });
  while (kills < KILLS) {
    const orders = Array.from({ length: 1 + (kills % most) }, () => ({
      nowMs: now + (random(8) - 3) * (HOUR / 2),
      stayMs: HOUR * (1 + random(4)),
      jumpMs: (random(9) - 4) * HOUR,
      diesAfter: 10 + random(240) / 2,
    }));
    await Promise.all(orders.map(spawnKeeper));
  }
  await spawnKeeper({ nowMs: latest + 5 * HOUR, stayMs: 0, jumpMs: 0, diesAfter: undefined });
  const due: string[] = [];
  for (let at = Math.ceil(START / HOUR) * HOUR; at <= now; at += HOUR) due.push(new Date(at).toISOString());
  expect(await runsOf(store, 'job')).toEqual(due);
  expect((await store.list()).filter(({ status }) => status !== 'completed')).toEqual([]);
  await store.close();
};

test(`a schedule in SQLite is delivered exactly once at each due time, through ${KILLS} kill -9 of one or two processes whose clocks jump`, async () => {
  const file = join(folder, 'runs.db');
  await expectExactlyOnce({ file }, sqliteStore(file), 2);
}, 300_000);

describeWithPostgres('a schedule in PostgreSQL', ({ connectionString }) => {
  test(`is delivered exactly once at each due time, through ${KILLS} kill -9 of one to four processes whose clocks jump`, async () => {
    await expectExactlyOnce({ connectionString }, postgresStore({ connectionString }), 4);
  }, 300_000);
});
