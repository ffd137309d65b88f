import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AnotherProcess } from './kills/another-process.ts';
import type { BookedLine, BookerOrder } from './kills/booker.ts';
import { sampled } from '../support/thorough.ts';

const STEPS = 3;
const program = new AnotherProcess('booker.ts');
const folder = mkdtempSync(join(tmpdir(), 'troupe-booker-'));

beforeAll(() => program.build());
afterAll(() => {
  program.remove();
  rmSync(folder, { recursive: true, force: true });
});

const linesOf = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean);

/** Has it killed at the first, then the third, then the fourth call that is begun, and then lets it live. */
const journey = async (order: Omit<BookerOrder, 'diesAt' | 'steps'>) => {
  const kills = [];
  for (const diesAt of [1, 3, 4, undefined]) {
    const { wasKilled, lines, failure } = await program.run({ ...order, diesAt, steps: STEPS });
    expect(failure.replaceAll(/\(node.*\n|\(Use.*\n/g, '')).toBe('');
    kills.push(wasKilled);
    if (diesAt === undefined) expect(lines).toEqual(['completed']);
  }
  return {
    kills,
    // Only its children wrote it.
    booked: linesOf(order.ledger).map((line) => JSON.parse(line) as BookedLine),
    bill: linesOf(`${order.ledger}.bill`),
  };
};

describe('[P11] a run whose process is killed within a tool that does its work at once', () => {
  const manners = ['read', 'idempotent', 'write'] as const;
  test.each(
    sampled(manners, 2).flatMap((manner, index) =>
      sampled([0, 40], 2, index).map((commitMs) => ({ manner, commitMs })),
    ),
  )(
    '[FIND-47] pays for each decision once, and gives no key to other arguments: $manner, commits of $commitMs ms',
    async ({ manner, commitMs }) => {
      const file = join(folder, `${manner}-${commitMs}.db`);
      const { kills, booked, bill } = await journey({ file, ledger: `${file}.ledger`, manner, commitMs });
      expect(kills).toEqual([true, true, true, false]);
      expect(bill).toEqual(Array.from({ length: STEPS + 1 }, (_, turn) => `${turn}`));
      const seats = new Map<string, Set<string>>();
      for (const { key, seat } of booked) seats.set(key, (seats.get(key) ?? new Set()).add(seat));
      for (const [key, given] of seats) expect([...given], key).toHaveLength(1);
      // What may be done twice is; what may not is for a person to say, who said no.
      expect(manner === 'write' ? booked.length : 2 * STEPS).toBe(seats.size);
    },
    120_000,
  );
});
