import { TroupeError } from '../../contracts/errors/error.ts';
import { numberAt } from '../run-table.ts';
import type { SqliteDatabase } from './sqlite-driver.ts';
import { SCHEMA } from './sqlite-driver.ts';

/** `trou`: the application id of troupe's databases. */
const APPLICATION = 0x74_72_6f_75;

/** Migrations by version; the first creates the tables. Append-only. */
const steps: readonly string[] = [
  `create table ${SCHEMA}.runs (
     id integer primary key autoincrement,
     run text not null unique,
     agent text not null,
     status text not null,
     title text not null,
     created_at integer not null,
     updated_at integer not null,
     due_at integer,
     thread text,
     forked_from text,
     rows integer not null default 0,
     holder text,
     fence integer not null,
     expires_at integer not null
   );
   create index ${SCHEMA}.runs_by_time on runs (created_at, id);
   create index ${SCHEMA}.runs_by_due on runs (due_at) where due_at is not null;
   create index ${SCHEMA}.runs_by_thread on runs (thread) where thread is not null;
   create table ${SCHEMA}.rows (
     run integer not null references runs (id) on delete cascade,
     n integer not null,
     text text not null,
     primary key (run, n)
   ) without rowid;
   create table ${SCHEMA}.letters (
     number integer primary key autoincrement,
     run integer not null references runs (id) on delete cascade,
     id text not null,
     at integer not null,
     text text,
     unique (run, id)
   );
   create table ${SCHEMA}.files (
     room text not null,
     name text not null,
     text text not null,
     primary key (room, name)
   );`,
  // A run is a name in the room ''. Bytes that are there already are of nobody who is known, and stay.
  `create table ${SCHEMA}.holds (
     place text not null,
     hash text not null,
     room text not null,
     name text not null,
     token text not null,
     primary key (place, hash, room, name)
   ) without rowid;
   create index ${SCHEMA}.holds_by_holder on holds (room, name);
   insert into ${SCHEMA}.holds select '', name, 'outside', '', name from ${SCHEMA}.files where room = 'blobs';`,
];

/**
 * Creates or migrates the tables, once among all processes.
 *
 * @throws `journal.version` if they are of a newer version; `journal.failed` if the database is somebody else's.
 */
export const prepareTables = (database: SqliteDatabase, store: string): void => {
  if (pragmaOf(database, 'user_version') === steps.length && isOurs(database)) return;
  database.exec('begin immediate');
  try {
    // Another process may have migrated it meanwhile.
    const version = pragmaOf(database, 'user_version');
    if (!isOurs(database) && !isEmpty(database))
      throw new TroupeError(
        'journal.failed',
        `Cannot keep journals in ${store} as it is the database of another program: name a file of its own`,
      );
    if (version > steps.length)
      throw new TroupeError(
        'journal.version',
        `Cannot open ${store} as its tables are of version ${version}: this troupe knows versions up to ${steps.length}`,
        { details: { version, supported: steps.length } },
      );
    for (const step of steps.slice(version)) database.exec(step);
    database.exec(
      `pragma ${SCHEMA}.application_id = ${APPLICATION}; pragma ${SCHEMA}.user_version = ${steps.length}`,
    );
    database.exec('commit');
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
};

const isOurs = (database: SqliteDatabase): boolean => pragmaOf(database, 'application_id') === APPLICATION;

const isEmpty = (database: SqliteDatabase): boolean =>
  database.prepare(`select name from ${SCHEMA}.sqlite_master limit 1`).all().length === 0;

const pragmaOf = (database: SqliteDatabase, pragma: 'user_version' | 'application_id'): number => {
  const row = database.prepare(`pragma ${SCHEMA}.${pragma}`).get();
  return row === undefined ? 0 : numberAt(row, pragma);
};
