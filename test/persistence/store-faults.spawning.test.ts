import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import type { JournalRow, Lease } from '../../src/contracts/journals/journal.ts';
import { JournalSeal, openJournal } from '../../src/persistence/journal-codec.ts';
import { isProcessGone, processHolder } from '../../src/persistence/process-holder.ts';
import { openSqlite, SCHEMA } from '../../src/persistence/sqlite/sqlite-driver.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { isThorough, sized } from '../support/thorough.ts';

const home = mkdtempSync(join(tmpdir(), 'troupe-faults-'));
/** How far apart the places are at which a file is cut: no divisor of a page. */
const STEP = sized(10_357, 1_733);
let places = 0;
/** A file in a folder of its own. */
const place = (): string => {
  const folder = join(home, String((places += 1)));
  mkdirSync(folder);
  return join(folder, 'runs.db');
};

afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

const wish = { holder: 'a', ttlMs: 1000, now: 0 };
const change = { status: 'running', updatedAt: 0 } as const;
const entry = { runId: 'r', agent: 'clerk', title: 'Add up', createdAt: 0, ...change };

/** A run of so many rows, each in a commit of its own, in a store that is still open. */
const filled = async (file: string, count: number) => {
  const store = sqliteStore(file);
  const lease = await store.create(entry, wish);
  const journal = new JournalSeal({ runId: 'r' });
  const rows = Array.from({ length: count }, (_, n) => journal.seal([{ n, text: `${n} `.repeat(300) }]));
  for (const row of rows) await store.commit(lease, { rows: [row], change });
  return { store, lease, rows, journal };
};

/** What a store says now of the run: its rows, or how it failed. */
const found = async (file: string): Promise<readonly JournalRow[] | string> => {
  const store = sqliteStore(file);
  try {
    return await store.read('r');
  } catch (error) {
    return isTroupeError(error) ? error.code : String(error);
  } finally {
    await store.close();
  }
};

/** What came back of rows, in a file that is not needed again: how it failed, or how much of them there is. */
const leftOf = async (rows: readonly JournalRow[], file: string): Promise<string> => {
  const left = await found(file);
  rmSync(dirname(file), { recursive: true });
  if (typeof left === 'string') return left;
  const opened = openJournal('r', left);
  const isRight = isDeepStrictEqual(left.slice(0, opened.rows), rows.slice(0, opened.rows));
  if (!isRight) return 'something else';
  if (opened.damage !== undefined) return `damage after ${opened.rows}`;
  return left.length === rows.length ? 'all' : `the first ${left.length}`;
};

describe('a store that was damaged gives the last good state, or says that it is damaged', () => {
  test('where the log of writes ends too soon: what comes back is whole commits from the beginning', async () => {
    const file = place();
    const { store, rows } = await filled(file, 12);
    const length = statSync(`${file}-wal`).size;
    const seen = new Set<string>();
    for (let size = 0; size <= length; size += STEP) {
      const copy = place();
      copyFileSync(file, copy);
      copyFileSync(`${file}-wal`, `${copy}-wal`);
      truncateSync(`${copy}-wal`, size);
      const left = await leftOf(rows, copy);
      expect(left).toMatch(/^(journal\.unknown|the first \d+|all)$/);
      seen.add(left);
    }
    expect(seen.size).toBeGreaterThan(5);
    await store.close();
  });

  test('where its file ends too soon', async () => {
    const file = place();
    const { store, rows } = await filled(file, 40);
    await store.close();
    const whole = readFileSync(file);
    for (let size = 0; size < whole.length; size += STEP) {
      const copy = place();
      writeFileSync(copy, whole.subarray(0, size));
      expect(await leftOf(rows, copy)).toMatch(/^(journal\.(corrupt|unknown)|all)$/);
    }
  });

  test('where any one byte of its file is another', async () => {
    const file = place();
    const { store, rows } = await filled(file, 40);
    await store.close();
    const whole = readFileSync(file);
    const seen = new Set<string>();
    const flipped = fc.asyncProperty(
      fc.nat({ max: whole.length - 1 }),
      fc.nat({ max: 7 }),
      async (at, bit) => {
        const damaged = Buffer.from(whole);
        damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
        const copy = place();
        writeFileSync(copy, damaged);
        const left = await leftOf(rows, copy);
        expect(left).toMatch(/^(journal\.(corrupt|unknown|version|failed|read-only)|damage after \d+|all)$/);
        seen.add(left);
      },
    );
    await fc.assert(flipped, {
      numRuns: sized(60, 5_000),
      examples: [
        [16, 0],
        [30, 3],
        [60, 0],
        [100, 0],
        [4096, 1],
      ],
    });
    expect([...seen].join()).toMatch(/journal\.corrupt.*damage after|damage after.*journal\.corrupt/);
  });

  test('where rows are gone: it says which can be had, and gives those', async () => {
    const file = place();
    const { store, rows } = await filled(file, 6);
    const other = openSqlite(file);
    other.exec('delete from rows where n >= 4');
    const error: unknown = await (async () => store.read('r'))().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'journal.corrupt', data: { details: { row: 4 } } });
    expect(await store.read('r', 0, 4)).toEqual(rows.slice(0, 4));
    other.close();
    await store.close();
  });

  test('where it is no database, that of somebody else, or of a time to come', async () => {
    const [none, foreign, later] = [place(), place(), place()];
    writeFileSync(none, 'not a database at all '.repeat(100));
    expect(await found(none)).toBe('journal.corrupt');
    const other = openSqlite(foreign);
    other.exec(`create table ${SCHEMA}.recipes (name text)`);
    other.close();
    expect(await found(foreign)).toBe('journal.failed');
    await (await filled(later, 1)).store.close();
    const newer = openSqlite(later);
    newer.exec(`pragma ${SCHEMA}.user_version = 99`);
    newer.close();
    expect(await found(later)).toBe('journal.version');
  });
});

describe('a store that cannot write says why, and has lost nothing', () => {
  test('where there is no more room', async () => {
    const file = place();
    const store = sqliteStore(file, { maxPages: 40 });
    const lease = await store.create(entry, wish);
    const journal = new JournalSeal({ runId: 'r' });
    const confirmed: JournalRow[] = [];
    const fill = async () => {
      for (;;) {
        const row = journal.seal([{ text: 'x'.repeat(3000) }]);
        await store.commit(lease, { rows: [row], change });
        confirmed.push(row);
      }
    };
    await expect(fill()).rejects.toMatchObject({
      code: 'journal.full',
      message: expect.stringMatching(
        /^Cannot use sqlite:.* as there is no room: make some, or raise `maxPages`/,
      ),
    });
    expect(confirmed.length).toBeGreaterThan(5);
    expect(await store.read('r')).toEqual(confirmed);
    await store.close();
    const larger = sqliteStore(file);
    const after = openJournal('r', await larger.read('r'));
    const next = new JournalSeal({ runId: 'r', after }).seal([]);
    await larger.commit(lease, { rows: [next], change });
    expect(await larger.read('r')).toEqual([...confirmed, next]);
    await larger.close();
  });

  test('where somebody else is writing, and can once they are done', async () => {
    const file = place();
    const { store: first, lease, rows, journal } = await filled(file, 1);
    await first.close();
    const store = sqliteStore(file, { busyTimeoutMs: 50 });
    const other = openSqlite(file);
    other.exec('begin immediate');
    const row = journal.seal([]);
    const commit = async (to: Lease) => store.commit(to, { rows: [row], change });
    await expect(commit(lease)).rejects.toMatchObject({ code: 'journal.busy', retryable: 'yes' });
    expect(await store.read('r')).toEqual(rows);
    other.exec('rollback');
    await commit(lease);
    expect(await store.read('r')).toEqual([...rows, row]);
    other.close();
    await store.close();
  });

  test('where the file or its folder may only be read', async () => {
    const file = place();
    const { store, lease } = await filled(file, 1);
    await store.close();
    chmodSync(home, 0o755);
    chmodSync(file, 0o444);
    chmodSync(join(file, '..'), 0o555);
    await asNobody(async () => {
      const [readOnly, nowhere] = [sqliteStore(file), sqliteStore(join(file, '../deeper/runs.db'))];
      const problem = { code: 'journal.read-only', message: expect.stringContaining('Cannot ') };
      await expect((async () => readOnly.commit(lease, { rows: [], change }))()).rejects.toMatchObject(
        problem,
      );
      await expect((async () => nowhere.list())()).rejects.toMatchObject(problem);
      await readOnly.close();
      await nowhere.close();
    });
    await expect((async () => sqliteStore(join(file, 'runs.db')).list())()).rejects.toMatchObject({
      code: 'journal.read-only',
    });
    chmodSync(join(file, '..'), 0o755);
  });

  test('where it was closed', async () => {
    const { store } = await filled(place(), 1);
    await store.close();
    await store.close();
    await expect((async () => store.list())()).rejects.toMatchObject({ code: 'journal.failed' });
  });
});

/** Root may write everywhere. */
const asNobody = async (work: () => Promise<void>): Promise<void> => {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65534);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
};

describe('several processes on one store', () => {
  const program = resolve(import.meta.dirname, '../../.tmp/store-writer', `${process.pid}.mjs`);

  beforeAll(async () => {
    const entryPoints = [join(import.meta.dirname, 'store-writer.ts')];
    await build({
      entryPoints,
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
    });
  });

  afterAll(() => {
    rmSync(program, { force: true });
  });

  const another = (task: 'write' | 'race', at: string) =>
    spawn(process.execPath, [program, task, at], { stdio: ['pipe', 'pipe', 'inherit'] });

  const kills = sized(4, 200);

  test(`lose nothing that was confirmed, and leave nothing half done, when they are killed ${kills} times`, async () => {
    let file = '';
    let before = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      if (kill % 20 === 0) [file, before] = [place(), 0];
      const writer = another('write', file);
      let told = '';
      writer.stdout.on('data', (data: Buffer) => (told += data.toString()));
      await once(writer.stdout, 'data');
      await wait((kill * 37) % 100);
      writer.kill('SIGKILL');
      await once(writer, 'close');
      const confirmed = told.split('\n').slice(0, -1).map(Number).at(-1) ?? 0;
      const store = sqliteStore(file);
      const opened = openJournal('r', await store.read('r'));
      expect(opened.damage).toBeUndefined();
      expect(opened.rows).toBeGreaterThanOrEqual(confirmed);
      expect(confirmed).toBeGreaterThan(before);
      expect(opened.rows % 3).toBe(0);
      expect((await store.entry('r'))?.updatedAt).toBe(opened.rows);
      expect(opened.records).toMatchObject(Array.from({ length: opened.rows }, (_, at) => ({ at })));
      before = opened.rows;
      await store.close();
    }
  }, 600_000);

  if (isThorough)
    test('get a run one at a time: of three that want it, exactly one wins', async () => {
      const file = place();
      const racers = Array.from({ length: 3 }, () => {
        const racer = another('race', dirname(file));
        return { racer, lines: createInterface({ input: racer.stdout })[Symbol.asyncIterator]() };
      });
      const answers = () => Promise.all(racers.map(async ({ lines }) => String((await lines.next()).value)));
      expect(await answers()).toEqual(['ready', 'ready', 'ready']);
      const race = async (name: string, runId: string) => {
        for (const { racer } of racers) racer.stdin.write(`${name} ${runId}\n`);
        return (await answers()).sort();
      };
      // They make the database at once, too.
      for (let round = 0; round < 20; round += 1)
        expect(await race(`new-${round}.db`, 'new')).toEqual(['has it', 'journal.exists', 'journal.exists']);
      const store = sqliteStore(file);
      for (let round = 0; round < 20; round += 1) {
        const runId = `run-${round}`;
        await store.release(await store.create({ ...entry, runId }, wish));
        expect(await race('runs.db', runId)).toEqual(['has it', 'journal.held', 'journal.held']);
      }
      await store.close();
      for (const { racer } of racers) {
        racer.stdin.end();
        await once(racer, 'close');
      }
    });

  test('are known to be gone only on their own machine', async () => {
    expect(isProcessGone(processHolder())).toBe(false);
    const racer = another('race', dirname(place()));
    const holder = processHolder().replace(`:${process.pid}:`, `:${racer.pid}:`);
    expect(isProcessGone(holder)).toBe(false);
    racer.kill('SIGKILL');
    await once(racer, 'close');
    expect(isProcessGone(holder)).toBe(true);
    expect(isProcessGone(`elsewhere.${holder}`)).toBe(false);
    expect(isProcessGone('no holder at all')).toBe(false);
  });
});
