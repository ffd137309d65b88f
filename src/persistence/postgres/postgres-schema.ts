import { TroupeError } from '../../contracts/errors/error.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { inTransaction } from './postgres-pool.ts';
import { numberAt } from '../run-table.ts';

/** The qualified names of the tables. */
export const tablesIn = (schema: string) => {
  const own = `"${schema.replaceAll('"', '""')}"`;
  return {
    schema: own,
    runs: `${own}.runs`,
    rows: `${own}.rows`,
    letters: `${own}.letters`,
    files: `${own}.files`,
    holds: `${own}.holds`,
    version: `${own}.version`,
  };
};

/** The names of a store's tables. */
export type Tables = ReturnType<typeof tablesIn>;

/** Migrations by version; the first creates the tables. Append-only. */
const steps: readonly ((tables: Tables) => string)[] = [
  ({ runs, rows, letters, files }) => `
    create table ${runs} (
      id integer generated always as identity primary key,
      run text not null unique,
      agent text not null,
      status text not null,
      title text not null,
      created_at double precision not null,
      updated_at double precision not null,
      due_at double precision,
      thread text,
      forked_from text,
      rows integer not null default 0,
      holder text,
      fence integer not null,
      expires_at double precision not null
    );
    create index runs_by_time on ${runs} (created_at, id);
    create index runs_by_due on ${runs} (due_at) where due_at is not null;
    create index runs_by_thread on ${runs} (thread) where thread is not null;
    create table ${rows} (
      run integer not null references ${runs} (id) on delete cascade,
      n integer not null,
      text text not null,
      primary key (run, n)
    );
    create table ${letters} (
      number bigint generated always as identity primary key,
      run integer not null references ${runs} (id) on delete cascade,
      id text not null,
      at double precision not null,
      text text,
      unique (run, id)
    );
    create table ${files} (
      room text not null,
      name text not null,
      text text not null,
      primary key (room, name)
    );`,
  // A run is a name in the room ''. Bytes that are there already are of nobody who is known, and stay.
  ({ holds, files }) => `
    create table ${holds} (
      place text not null,
      hash text not null,
      room text not null,
      name text not null,
      token text not null,
      primary key (place, hash, room, name)
    );
    create index holds_by_holder on ${holds} (room, name);
    insert into ${holds} select '', name, 'outside', '', name from ${files} where room = 'blobs';`,
];

/** An arbitrary number: the advisory lock held while migrating. */
const LOCK = 0x74_72_6f_75;

/**
 * Creates or migrates the tables, once among all processes.
 *
 * @throws `journal.version` if they are of a newer version.
 */
export const preparePostgres = (pool: PostgresPool, tables: Tables, store: string): Promise<void> =>
  inTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
    const { rows: found } = await client.query('select to_regclass($1)::text as name', [tables.version]);
    // First, as a user may be allowed to use the tables but not to create them.
    if (found[0]?.['name'] == null)
      await client.query(
        `create schema if not exists ${tables.schema};
         create table ${tables.version} (version integer not null);
         insert into ${tables.version} values (0)`,
      );
    const { rows } = await client.query(`select version from ${tables.version}`);
    const version = rows[0] === undefined ? 0 : numberAt(rows[0], 'version');
    if (version > steps.length)
      throw new TroupeError(
        'journal.version',
        `Cannot open ${store} as its tables are of version ${version}: this troupe knows versions up to ${steps.length}`,
        { details: { version, supported: steps.length } },
      );
    for (const step of steps.slice(version)) await client.query(step(tables));
    if (version < steps.length) await client.query(`update ${tables.version} set version = ${steps.length}`);
  });
