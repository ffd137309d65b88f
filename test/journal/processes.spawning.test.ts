import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isThorough } from '../support/thorough.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeWithPostgres } from '../support/postgres.ts';
import { AnotherProcess } from './kills/another-process.ts';
import type { ContenderOrder } from './kills/contender.ts';
import { OutsideLedger } from './kills/outside-ledger.ts';

const STEPS = 12;
const program = new AnotherProcess('contender.ts');

beforeAll(() => program.build());
afterAll(() => {
  program.remove();
});

/** Has three processes want one run, and kills the one that has it. */
const contend = async (place: Pick<ContenderOrder, 'file' | 'connectionString'>) => {
  const ledger = new OutsideLedger(() => 'marked');
  const port = await ledger.open();
  /** Who worked when, in order. */
  const worked: number[] = [];
  let killed: number | undefined;
  try {
    const ends = await Promise.all(
      [0, 1, 2].map((who) =>
        program.run(
          { ...place, port, steps: STEPS },
          {
            onLine: (line, kill) => {
              if (line === 'works') worked.push(who);
              if (killed !== undefined || worked.length < 3) return;
              // Whoever says something now, only the one that has the run may be killed.
              if (who !== worked.at(-1)) return;
              killed = who;
              kill();
            },
          },
        ),
      ),
    );
    return { ends, worked, killed, entries: [...ledger.entries.values()] };
  } finally {
    await ledger.close();
  }
};

const expectOneAtATime = ({ ends, worked, killed, entries }: Awaited<ReturnType<typeof contend>>): void => {
  const before = worked.slice(0, 3);
  expect(new Set(before)).toEqual(new Set([killed]));
  const after = new Set(worked.slice(worked.lastIndexOf(killed ?? -1) + 1));
  expect(after.size).toBe(1);
  const survivors = ends.filter(({ wasKilled }) => !wasKilled);
  expect(survivors.map(({ failure }) => failure)).toEqual(['', '']);
  expect(survivors.map(({ lines }) => lines.at(-1))).toEqual(['ended: all marked', 'ended: all marked']);
  // Whoever comes when it is taken is told so.
  const told = survivors.flatMap(({ lines }) =>
    lines.filter((line) => /^journal\.(held|exists)$/.test(line)),
  );
  expect(told.length).toBeGreaterThan(0);
  expect(entries.map(({ begun, ended }) => [begun, ended])).toEqual(
    Array.from({ length: STEPS }, () => [1, 1]),
  );
};

describe('[P11] of several processes that want one run, exactly one has it', () => {
  test('and when it is killed, exactly one of the others goes on, and nothing is done twice', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-contend-'));
    try {
      expectOneAtATime(await contend({ file: join(folder, 'runs.db') }));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

if (isThorough)
  describeWithPostgres('[P11] the same in PostgreSQL', (server) => {
    test('of three processes, the holder killed, one of the other two goes on', async () => {
      expectOneAtATime(await contend({ connectionString: server.connectionString }));
    });
  });
