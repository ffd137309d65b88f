import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SqlBounds } from '../../../src/tools/built-in/sql/sql-tools.ts';
import { sqlTools } from '../../../src/tools/built-in/sql/sql-tools.ts';
import { describeWithPostgres } from '../../support/postgres.ts';
import { sampled, sized } from '../../support/thorough.ts';
import { perform } from '../tool-context.ts';

describeWithPostgres('a database of PostgreSQL', ({ connectionString, folder }) => {
  const reader = `postgresql://reader:s3cret-word@/postgres?host=${encodeURIComponent(folder)}`;
  let owner: pg.Client;

  beforeAll(async () => {
    owner = new pg.Client({ connectionString });
    await owner.connect();
    await owner.query(
      `create role reader login; create role filer login in role pg_read_server_files;
       create table items (id bigint, item text, price numeric(8, 2), sold timestamp, tags json);
       insert into items values (9007199254740993, 'kettle', 39.50, '2026-01-02 03:04:05', '["a"]'), (2, 'cup', 5, null, null);
       create table secrets (word text); insert into secrets values ('sesame');
       create sequence numbers; grant all on numbers to reader;
       create table logs (at text); grant all on logs to reader;
       grant select on items to reader;
       create function write_log() returns int language plpgsql volatile as $$ begin insert into logs values ('x'); return 1; end $$;
       create function escape_log() returns int language plpgsql volatile as
         $$ begin perform set_config('transaction_read_only', 'off', false); insert into logs values ('x'); return 1; end $$`,
    );
  });
  afterAll(async () => {
    await owner.end();
  });

  const call = async (name: string, input: object, bounds: SqlBounds = {}, postgres = reader) => {
    const found = sqlTools({ postgres, timeoutMs: 60_000, ...bounds }).tools.find(
      (each) => each.name === name,
    );
    if (found === undefined) throw new Error(`there is no tool ${name}`);
    return perform(found, { ...input });
  };
  const query = (sql: string, bounds: SqlBounds = {}, parameters: readonly unknown[] = []) =>
    call('query', { sql, parameters }, bounds);

  /** What the reader could have changed. */
  const state = async (): Promise<string> => {
    const { rows } = await owner.query(
      `select (select count(*) from logs) as logs, (select last_value from numbers) as numbers, (select count(*) from items) as items,
       (select count(*) from pg_catalog.pg_class) as classes, (select count(*) from pg_locks where locktype = 'advisory') as locks`,
    );
    return JSON.stringify(rows);
  };

  test('is queried, with parameters, and every value is JSON', async () => {
    const result = await query('select * from items where price < $1 and $2 order by price desc;', {}, [
      100,
      true,
    ]);
    expect(result).toMatchObject({
      ok: true,
      text:
        '["id","item","price","sold","tags"]\n["9007199254740993","kettle",39.5,"2026-01-02T03:04:05",["a"]]\n' +
        '[2,"cup",5,null,null]\n[2 rows]',
    });
    expect((await query('select 1 as a, 2 as a -- two of a name')).text).toBe('["a","a"]\n[1,2]\n[1 row]');
    expect((await query(`select 'a"b\\c 123456789012345678901' as t where false`)).text).toBe(
      '["t"]\n[0 rows]',
    );
    expect((await query(`select 'a"b\\c 123456789012345678901' as t, 'nan'::float`)).text).toBe(
      `["t","float8"]\n["a\\"b\\\\c 123456789012345678901","NaN"]\n[1 row]`,
    );
    expect((await query('with x as (select item from items) select count(*) from x')).text).toBe(
      '["count"]\n[2]\n[1 row]',
    );
  });

  test('has those tables listed that its user may read', async () => {
    const { text } = await call('tables', {});
    expect(text).toContain(
      'public.items(id bigint, item text, price numeric(8,2), sold timestamp without time zone, tags json)',
    );
    expect(text).not.toContain('secrets');
  });

  test.each([
    ['delete from items', 'tool.failed'],
    ['with x as (delete from logs returning *) select * from x', 'tool.failed'],
    ['with x as (insert into logs values (1) returning *) select * from x', 'tool.failed'],
    ['insert into logs values (1) returning at', 'tool.failed'],
    ['select * into copied from items', 'tool.failed'],
    ['create temp table x (a int)', 'tool.failed'],
    ['select 1; delete from logs', 'tool.failed'],
    ['select 1) as t; delete from logs; select * from (select 1', 'tool.failed'],
    ['select 1) as t; commit; delete from logs; begin; select * from (select 1', 'tool.failed'],
    ['select 1); commit; insert into logs values (1); --', 'tool.failed'],
    ['commit', 'tool.failed'],
    ['set transaction read write', 'tool.failed'],
    [`copy items to program 'touch /tmp/x'`, 'tool.failed'],
    [`copy (select 1) to '/tmp/x'`, 'tool.failed'],
    ['do $$ begin delete from logs; end $$', 'tool.failed'],
    ['call x()', 'tool.failed'],
    ['lock table logs', 'tool.failed'],
    ['listen x', 'tool.failed'],
    ['explain analyze select 1', 'tool.failed'],
    ['select write_log()', 'tool.denied'],
    ['select escape_log()', 'tool.failed'],
    [`select set_config('transaction_read_only', 'off', false), write_log()`, 'tool.failed'],
    [`select nextval('numbers')`, 'tool.denied'],
    [`select setval('numbers', 9)`, 'tool.denied'],
    ['select * from logs for update', 'tool.denied'],
    ['select * from secrets', 'tool.denied'],
    [`select pg_read_file('/etc/passwd')`, 'tool.denied'],
    [`select pg_ls_dir('/')`, 'tool.denied'],
    [`select lo_import('/etc/passwd')`, 'tool.denied'],
    [`select lo_export(1, '/tmp/x')`, 'tool.denied'],
    [`select pg_reload_conf()`, 'tool.denied'],
  ])('refuses to do more than read: %s', async (sql, code) => {
    const before = await state();
    expect(await query(sql)).toMatchObject({ ok: false, error: { code, retryable: 'no' } });
    expect(await state()).toBe(before);
  });

  test.each([
    'select lo_creat(-1)::text',
    `select pg_notify('x', 'y')`,
    'select pg_advisory_lock(7)::text',
    `select set_config('statement_timeout', '0', false)`,
  ])('has nothing left of what it allows: %s', async (sql) => {
    const before = await state();
    await query(sql);
    await expect.poll(state).toBe(before);
    expect((await query('select count(*) from pg_largeobject_metadata')).text).toContain('[0]');
  });

  const slow = [
    'select pg_sleep(100)',
    `select pg_sleep(case when x = 21 then 100 else 0 end), set_config('statement_timeout', '0', false) from generate_series(1, 30) as x`,
    'select count(*) from generate_series(1, 1e12::bigint)',
  ];
  test.each(sampled(slow, 3, 1))('is not held by a query that takes its time: %s', async (sql) => {
    expect(await query(sql, { timeoutMs: 2_000 })).toMatchObject({
      ok: false,
      error: { code: 'tool.timeout', message: expect.stringContaining('longer than 2000 ms') },
    });
    const running = async () =>
      (
        await owner.query(
          `select count(*)::int as n from pg_stat_activity where usename = 'reader' and state = 'active'`,
        )
      ).rows;
    await expect.poll(running).toEqual([{ n: 0 }]);
  });

  test('gives as many rows and bytes as it is bounded to, and says that there are more', async () => {
    const many = 'select x from generate_series(1, 20000) as x';
    expect((await query(many, { maxRows: 2 })).text).toBe(
      '["x"]\n[1]\n[2]\n[cut here: the first 2 rows, there are more]',
    );
    expect((await query(many, { maxRows: 45 })).text).toMatch(
      /\n\[45\]\n\[cut here: the first 45 rows, there are more\]$/,
    );
    expect((await query('select x from generate_series(1, 40) as x', { maxRows: 40 })).text).toMatch(
      /\[40 rows\]$/,
    );
    expect((await query(many, { maxBytes: 10 })).text).toMatch(
      /\[cut here: the first 3 rows, there are more\]$/,
    );
    expect(
      await query(`select repeat('x', ${sized(5_000_000, 100_000_000)})`, { maxBytes: 1_000 }),
    ).toMatchObject({
      ok: false,
      error: { code: 'tool.failed', message: expect.stringContaining('longer than 1000 bytes') },
    });
  });

  test('is not read by a user whose functions reach files and programs', async () => {
    for (const [address, power] of [
      [connectionString, "'troupe' is a superuser"],
      [connectionString.replace('troupe@', 'filer@'), "'filer' is a member of pg_read_server_files"],
    ] as const)
      expect(await call('query', { sql: 'select 1' }, {}, address)).toMatchObject({
        ok: false,
        error: { code: 'tool.denied', message: expect.stringContaining(power) },
      });
  });

  test('has a password that no error says', async () => {
    const failures = [
      await call('query', { sql: 'selct 1' }),
      await call('query', { sql: 'select 1' }, {}, reader.replace('/postgres', '/nowhere')),
      await call('query', { sql: 'select 1' }, {}, 'postgresql://a:s3cret-word@127.0.0.1:1/x'),
      await call('query', { sql: 'select 1' }, {}, 'no address: s3cret-word'),
    ];
    for (const failure of failures) {
      expect(failure).toMatchObject({ ok: false, error: { code: 'tool.failed' } });
      expect(JSON.stringify(failure)).not.toContain('s3cret-word');
    }
  });
});
