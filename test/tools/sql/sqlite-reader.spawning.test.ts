import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { ToolResult } from '../../../src/contracts/tools/tool-result.ts';
import { LazyAbort } from '../../../src/base/promises/lazy-abort.ts';
import type { SqlBounds } from '../../../src/tools/built-in/sql/sql-tools.ts';
import { sqlTools } from '../../../src/tools/built-in/sql/sql-tools.ts';
import { perform } from '../tool-context.ts';

const folder = mkdtempSync(join(tmpdir(), 'troupe-sqlite-'));
const [file, other] = [join(folder, 'shop.db'), join(folder, 'other.db')];
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Waits for no process that is killed: a busy machine takes its time to start one. */
const PATIENT = { timeoutMs: 60_000 };

const call = async (name: 'query' | 'tables', input: object, bounds: SqlBounds = {}): Promise<ToolResult> => {
  const found = sqlTools({ sqlite: file, ...PATIENT, ...bounds }).tools.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no tool ${name}`);
  return perform(found, { ...input });
};
const query = (sql: string, bounds: SqlBounds = {}, parameters: readonly unknown[] = []) =>
  call('query', { sql, parameters }, bounds);

interface Database {
  exec(sql: string): void;
  close(): void;
}

/** Node's own SQLite, in which a statement tells its columns. */
const sqlite = process.getBuiltinModule('node:sqlite') as
  | {
      readonly DatabaseSync: new (file: string) => Database;
      readonly StatementSync: { readonly prototype: object };
    }
  | undefined;
const hasSqlite = sqlite !== undefined && 'setReturnArrays' in sqlite.StatementSync.prototype;

const make = (path: string, sql: string): void => {
  if (sqlite === undefined) return;
  const database = new sqlite.DatabaseSync(path);
  database.exec(sql);
  database.close();
};

describe('the process of a query', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test.each([
    ['query', 1_234, 1_234],
    ['tables', 1_234, 1_234],
    ['query', undefined, 10_000],
  ] as const)(
    'of `%s` with the time limit %s is killed after %i ms, and not later',
    async (name, timeoutMs, limit) => {
      // Of all times, that of the limit alone comes, and it comes at once: a query that is not late would give its rows.
      vi.spyOn(systemClock, 'setTimeout').mockImplementation((callback, ms) => {
        if (ms === limit) queueMicrotask(callback);
      });
      expect(await call(name, name === 'query' ? { sql: 'select 1' } : {}, { timeoutMs })).toMatchObject({
        ok: false,
        error: { code: 'tool.timeout', message: expect.stringContaining(`longer than ${limit} ms`) },
      });
    },
  );
});

describe.skipIf(hasSqlite)('a Node without such a SQLite', () => {
  test('is told so, and what to do', async () => {
    expect(await query('select 1')).toMatchObject({
      ok: false,
      error: {
        code: 'tool.package-missing',
        message: expect.stringContaining('use Node 22.16 or later'),
        retryable: 'no',
      },
    });
  });
});

describe.skipIf(!hasSqlite)('a file of SQLite', () => {
  let before = '';
  beforeAll(() => {
    make(other, `create table secrets (word text); insert into secrets values ('sesame')`);
    make(
      file,
      `create table items (id integer primary key, item text, price real, stock integer, image blob);
       insert into items values (1, 'kettle', 39.5, 9007199254740993, x'00ff'), (2, 'cup', 5, 3, null);
       create view cheap as select item from items where price < 10`,
    );
    before = state();
  });

  /** All bytes of the folder: nothing that a model says may change one. */
  const state = (): string =>
    JSON.stringify(
      readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('hex')]),
    );

  test('is queried, with parameters, and every value is JSON', async () => {
    const result = await query('select * from items where price < ? and ? order by id;', {}, [100, true]);
    expect(result).toMatchObject({
      ok: true,
      text: '["id","item","price","stock","image"]\n[1,"kettle",39.5,"9007199254740993","[2 bytes]"]\n[2,"cup",5,3,null]\n[2 rows]',
      value: { isCut: false },
    });
    expect((await query('select 1 as a, 2 as a -- two of a name')).text).toBe('["a","a"]\n[1,2]\n[1 row]');
    expect((await query('select 9e999')).text).toBe('["9e999"]\n["Infinity"]\n[1 row]');
    expect((await query('with x as (select item from cheap) select * from x where 0')).text).toBe(
      '["item"]\n[0 rows]',
    );
  });

  test('has its tables listed', async () => {
    expect((await call('tables', {})).text).toBe(
      'cheap(item TEXT)\nitems(id INTEGER, item TEXT, price REAL, stock INTEGER, image BLOB)',
    );
    expect((await call('tables', { find: 'CHEAP' })).text).toBe('cheap(item TEXT)');
    expect((await call('tables', { find: 'secrets' })).text).toBe('There are no such tables.');
  });

  test.each([
    `delete from items`,
    `insert into items values (9, 'x', 1, 1, null) returning id`,
    `with x as (select 1) update items set price = 0 returning *`,
    `drop table items`,
    `attach '${other}' as other`,
    `attach '${join(folder, 'new.db')}' as made`,
    `vacuum into '${join(folder, 'copy.db')}'`,
    `vacuum`,
    `create temp table x (a)`,
    `begin immediate`,
    `pragma query_only = off`,
    `pragma user_version = 7`,
    `pragma writable_schema = on`,
    `select 1; delete from items`,
    `select 1; attach '${other}' as other`,
    `select 1 /* a */; -- b\n; select 2`,
    `reindex`,
    `analyze`,
  ])('refuses to do more than read: %s', async (sql) => {
    expect(await query(sql)).toMatchObject({ ok: false, error: { code: 'tool.denied', retryable: 'no' } });
    expect(state()).toBe(before);
  });

  test.each([
    [`select readfile('/etc/passwd')`, 'no such function'],
    [`select writefile('${join(folder, 'x')}', 'x')`, 'no such function'],
    [`select load_extension('/tmp/x.so')`, 'not authorized'],
    [`select * from fsdir('/')`, 'no such table'],
    [`select * from other.secrets`, 'no such table'],
    [`selct 1`, 'syntax error'],
    [`-- nothing`, ''],
  ])('has no way out of it: %s', async (sql, reason) => {
    const result = await query(sql);
    expect(result).toMatchObject({ ok: false, error: { message: expect.stringContaining(reason) } });
    expect(result.text).not.toContain('root:');
    expect(state()).toBe(before);
  });

  test.each(['pragma journal_mode = wal', 'pragma wal_checkpoint(truncate)', 'pragma optimize', 'select ?'])(
    'stays as it is, whatever comes of: %s',
    async (sql) => {
      await query(sql);
      expect(state()).toBe(before);
    },
  );

  test.each([
    `with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n`,
    `select count(*) from (with recursive n(x) as (select 1 union all select x + 1 from n) select x from n), items`,
  ])('is not held by a query without an end: %s', async (sql) => {
    expect(await query(sql, { timeoutMs: 1_500 })).toMatchObject({
      ok: false,
      error: { code: 'tool.timeout', message: expect.stringContaining('longer than 1500 ms') },
    });
  });

  test('is left at once by a query that is cancelled', async () => {
    const abort = new LazyAbort();
    const [tool] = sqlTools({ sqlite: file, ...PATIENT }).tools.filter(({ name }) => name === 'query');
    if (tool === undefined) throw new Error('there is no tool');
    const sql = `with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n`;
    const result = perform(tool, { sql }, { abort });
    abort.abort(new Error('enough'));
    expect(await result).toMatchObject({ ok: false, error: { code: 'tool.cancelled' } });
  });

  test('gives as many rows and bytes as it is bounded to, and says that there are more', async () => {
    const endless = `with recursive n(x) as (select 1 union all select x + 1 from n) select x from n`;
    expect((await query(endless, { maxRows: 2 })).text).toBe(
      '["x"]\n[1]\n[2]\n[cut here: the first 2 rows, there are more]',
    );
    expect((await query(`select 1 union all select 2`, { maxRows: 2 })).text).toMatch(/\[2 rows\]$/);
    expect((await query(endless, { maxBytes: 10 })).text).toMatch(
      /\[cut here: the first 3 rows, there are more\]$/,
    );
    expect(await query(`select hex(zeroblob(100000))`, { maxBytes: 1_000 })).toMatchObject({
      ok: false,
      error: { code: 'tool.failed', message: expect.stringContaining('longer than 1000 bytes') },
    });
    expect((await query(`select zeroblob(100000000)`, { maxBytes: 1_000 })).text).toContain(
      '["[100000000 bytes]"]',
    );
  });

  test('is read while another connection writes to it, and after that', async () => {
    if (sqlite === undefined) throw new Error('there is no SQLite');
    const place = join(folder, 'wal.db');
    const writer = new sqlite.DatabaseSync(place);
    writer.exec(`pragma journal_mode = wal; create table t (a); insert into t values (1)`);
    const [, tool] = sqlTools({ sqlite: place, ...PATIENT }).tools;
    if (tool === undefined) throw new Error('there is no tool');
    const read = async () => (await perform(tool, { sql: 'select * from t' })).text;
    writer.exec('begin immediate; insert into t values (2)');
    expect(await read()).toBe('["a"]\n[1]\n[1 row]');
    writer.exec('commit');
    expect(await read()).toBe('["a"]\n[1]\n[2]\n[2 rows]');
    writer.close();
    expect(await read()).toBe('["a"]\n[1]\n[2]\n[2 rows]');
  });

  test('is not made where there is none', async () => {
    const place = join(folder, 'none.db');
    const [, tool] = sqlTools({ sqlite: place, ...PATIENT }).tools;
    if (tool === undefined) throw new Error('there is no tool');
    expect(await perform(tool, { sql: 'select 1' })).toMatchObject({
      ok: false,
      error: { code: 'tool.failed', message: expect.stringContaining('unable to open') },
    });
    expect(existsSync(place)).toBe(false);
  });
});
