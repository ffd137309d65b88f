import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { AnotherProcess } from '../../journal/kills/another-process.ts';
import { numbersFrom } from '../../support/stored-runs.ts';
import { sized } from '../../support/thorough.ts';
import type { KeeperOrder } from './keeper-process.ts';
import { runsOf } from './schedule-kit.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-03-28T21:17:03Z');
const KILLS = sized(20, 100);

const keeper = new AnotherProcess('../../runtime/schedules/keeper-process.ts');
const folder = mkdtempSync(join(tmpdir(), 'troupe-schedules-'));

beforeAll(() => keeper.build(), 60_000);
afterAll(() => {
  keeper.remove();
  rmSync(folder, { recursive: true, force: true });
});

test(`a schedule in SQLite is delivered exactly once at each due time, through ${KILLS} kill -9 of one or two processes whose clocks jump`, async () => {
  const random = numbersFrom(20_265);
  const file = join(folder, 'runs.db');
  const base = { file, everyMs: HOUR };
  let now = START;
  let latest = START;
  let kills = 0;
  const spawnKeeper = async (order: Omit<KeeperOrder, 'file' | 'everyMs'>): Promise<void> => {
    const end = await keeper.run({ ...base, ...order });
    expect(end.failure).toBe('');
    if (end.wasKilled) kills += 1;
    now = Number(end.lines.at(-1) ?? now);
    latest = Math.max(latest, ...end.lines.map(Number));
  };
  // Registered once by a process that lives: the schedule is due from then on.
  await spawnKeeper({ nowMs: START, stayMs: 0, jumpMs: 0, diesAfter: undefined });
  while (kills < KILLS) {
    const orders = Array.from({ length: 1 + (kills % 2) }, () => ({
      nowMs: now + (random(8) - 3) * (HOUR / 2),
      stayMs: HOUR * (1 + random(4)),
      jumpMs: (random(9) - 4) * HOUR,
      diesAfter: 10 + random(240) / 2,
    }));
    await Promise.all(orders.map(spawnKeeper));
  }
  await spawnKeeper({ nowMs: latest + 5 * HOUR, stayMs: 0, jumpMs: 0, diesAfter: undefined });
  const store = sqliteStore(file);
  const due: string[] = [];
  for (let at = Math.ceil(START / HOUR) * HOUR; at <= now; at += HOUR) due.push(new Date(at).toISOString());
  expect(await runsOf(store, 'job')).toEqual(due);
  expect((await store.list()).filter(({ status }) => status !== 'completed')).toEqual([]);
  await store.close();
}, 300_000);
