import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { inTransaction, openPool, postgresError } from '../../src/persistence/postgres/postgres-pool.ts';
import { postgresStore } from '../../src/persistence/postgres/postgres-store.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import type { SqliteDriver } from '../../src/persistence/sqlite/sqlite-driver.ts';
import { describeWithPostgres } from '../support/postgres.ts';
import { storeContract } from './store-contract.ts';

const inFolder = (driver: SqliteDriver) => () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-store-'));
  const open = () => sqliteStore(join(folder, 'deep/er/runs.db'), { driver });
  return {
    store: open(),
    another: open,
    dispose: () => rmSync(folder, { recursive: true }),
  };
};

describe('one contract for every store', () => {
  storeContract('in memory', () => ({ store: memoryStore() }));
  storeContract('in a file, by libsql', inFolder('libsql'));
  if (process.getBuiltinModule('node:sqlite') !== undefined)
    storeContract(`in a file, by Node's own SQLite`, inFolder('node'));
  storeContract('in a database that is only in memory', () => ({ store: sqliteStore(':memory:') }));

  describeWithPostgres('in PostgreSQL', ({ connectionString }) => {
    let worlds = 0;
    storeContract('of an address', () => {
      const schema = `of "${(worlds += 1)}"`;
      const open = () => postgresStore({ connectionString, schema });
      return { store: open(), another: open };
    });

    test('leaves connections that it was given open, and makes its tables once for many that open it', async () => {
      const pool = await openPool(connectionString);
      const stores = Array.from({ length: 8 }, () => postgresStore({ pool, schema: 'shared' }));
      expect(await Promise.all(stores.map(async (store) => store.list()))).toEqual(stores.map(() => []));
      await Promise.all(stores.map(async (store) => store.close()));
      await expect(stores[0]?.list()).rejects.toMatchObject({ code: 'journal.failed' });
      expect((await pool.query('select version from shared.version')).rows).toEqual([{ version: 2 }]);
      await pool.query('update shared.version set version = 9');
      await expect(postgresStore({ pool, schema: 'shared' }).list()).rejects.toMatchObject({
        code: 'journal.version',
        message: expect.stringContaining('of version 9: this troupe knows versions up to 2'),
      });
      await pool.end();
    });

    test('a connection that is lost in a transaction fails its next statement, and nothing else', async () => {
      const pool = await openPool(connectionString);
      const cut = inTransaction(pool, async (client) => {
        const { rows } = await client.query('select pg_backend_pid() as id');
        const id = [Number(rows[0]?.['id'])];
        await pool.query('select pg_terminate_backend($1)', id);
        await vi.waitFor(async () => {
          const gone = await pool.query('select pid from pg_stat_activity where pid = $1', id);
          expect(gone.rows).toEqual([]);
        });
        // The client hears of it between two statements.
        await new Promise(setImmediate);
        await client.query('select 1');
      });
      const error = await cut.then(
        () => undefined,
        (thrown: unknown) => postgresError(thrown, 'postgres'),
      );
      expect(error).toMatchObject({ code: 'journal.failed', retryable: 'maybe' });
      expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      await pool.end();
    });

    test('a store that is watched hears of runs again after its connection was lost', async () => {
      const pool = await openPool(connectionString);
      const store = postgresStore({ connectionString, schema: 'watched' });
      expect('watch' in postgresStore({ pool })).toBe(false);
      let heard = 0;
      const end = await store.watch?.(() => {
        heard += 1;
      });
      await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen troupe%' and pid <> pg_backend_pid()`,
      );
      await vi.waitFor(() => expect(heard).toBe(1), { timeout: 30_000 });
      const entry = {
        runId: 'r',
        agent: 'a',
        title: '',
        createdAt: 0,
        status: 'running',
        updatedAt: 0,
      } as const;
      await store.create(entry, { holder: 'a', ttlMs: 1, now: 0 });
      await store.post({ id: 'l', runId: 'r', at: 0, text: '1' });
      await vi.waitFor(() => expect(heard).toBe(2), { timeout: 30_000 });
      await end?.();
      await store.close();
      await pool.end();
    });

    test('finds rows that are gone, and says which can be had', async () => {
      const pool = await openPool(connectionString);
      const store = postgresStore({ pool, schema: 'damaged' });
      const wish = { holder: 'a', ttlMs: 1, now: 0 };
      const change = { status: 'running', updatedAt: 0 } as const;
      const lease = await store.create({ runId: 'r', agent: 'a', title: '', createdAt: 0, ...change }, wish);
      await store.commit(lease, { rows: [0, 1, 2].map((n) => ({ n, text: `${n}` })), change });
      await pool.query('delete from damaged.rows where n = 1');
      const problem = { code: 'journal.corrupt', data: { details: { row: 1 } } };
      await expect(store.read('r')).rejects.toMatchObject(problem);
      expect(await store.read('r', 0, 1)).toEqual([{ n: 0, text: '0' }]);
      await pool.end();
    });
  });

  test('nobody answers where there is no server, and the next call tries again', async () => {
    const store = postgresStore({ connectionString: 'postgresql://ada:secret@/runs?host=/nowhere' });
    for (let tries = 0; tries < 2; tries += 1)
      await expect(store.list()).rejects.toMatchObject({ code: 'journal.failed', retryable: 'maybe' });
    expect(store.name).not.toContain('secret');
    await store.close();
  });
});

test.each([
  ['nothing', []],
  ["''", ['']],
  ['{"file":"runs.db"}', [{ file: 'runs.db' }]],
])('a SQLite store without a path is refused in one line: %s', (found, given) => {
  expect(() => Reflect.apply(sqliteStore, undefined, given)).toThrow(
    expect.objectContaining({
      code: 'input.invalid',
      message: `Cannot open a SQLite store as its file is no path: write sqliteStore('./runs.db'), found ${found}`,
    }),
  );
});
