import { createRequire } from 'node:module';
import type { ErrorCode } from '../../contracts/errors/error-data.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { Column, TableRow } from '../run-table.ts';

/** A prepared statement: the common interface of both drivers. */
export interface SqliteStatement {
  run(...values: readonly Column[]): { readonly changes: number | bigint };
  get(...values: readonly Column[]): TableRow | undefined;
  all(...values: readonly Column[]): readonly TableRow[];
}

/** An open database: the common interface of both drivers. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

/** Name of the schema of the attached file's tables. */
export const SCHEMA = 'journal';

/**
 * A database file attached to a connection whose own database is in memory and empty.
 *
 * `libsql` closes a connection only when its last statement is garbage collected, and cannot finalize one. A detached file is closed at
 * once, with its `-wal` and `-shm`, whatever statements exist.
 */
class AttachedFile implements SqliteDatabase {
  readonly #connection: SqliteDatabase;

  constructor(connection: SqliteDatabase, file: string) {
    this.#connection = connection;
    try {
      connection.exec(`attach database '${file.replaceAll("'", "''")}' as ${SCHEMA}`);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  exec(sql: string): unknown {
    return this.#connection.exec(sql);
  }

  prepare(sql: string): SqliteStatement {
    return this.#connection.prepare(sql);
  }

  close(): void {
    try {
      this.#connection.exec(`detach database ${SCHEMA}`);
    } catch {
      // It is in use, and closes with the connection.
    }
    this.#connection.close();
  }
}

/** The SQLite to use: Node's own, or that of the package `libsql`. */
export type SqliteDriver = 'node' | 'libsql';

type OpenDatabase = new (file: string) => SqliteDatabase;

/**
 * Opens a database file with Node's SQLite, or with `libsql` if Node has none.
 *
 * @throws `journal.package-missing` where there is neither, or not the one that is wanted.
 */
export const openSqlite = (file: string, wanted?: SqliteDriver): SqliteDatabase => {
  const Database =
    (wanted === 'libsql' ? undefined : ofNode()) ?? (wanted === 'node' ? undefined : ofLibsql());
  if (Database === undefined)
    throw new TroupeError(
      'journal.package-missing',
      `Cannot open ${file} as ${MISSING[wanted ?? 'any']}: run \`npm install libsql\`, or use Node 22.13 or later`,
    );
  return new AttachedFile(new Database(':memory:'), file);
};

const MISSING = {
  node: 'this Node has no SQLite of its own',
  libsql: 'the package libsql is not installed or does not start',
  any: 'this Node has no SQLite of its own, and the package libsql is not installed or does not start',
};

const ofNode = (): OpenDatabase | undefined => {
  const found: unknown = process.getBuiltinModule('node:sqlite');
  return isJsonObject(found) && isConstructor(found['DatabaseSync']) ? found['DatabaseSync'] : undefined;
};

/** By `require`, as stores are synchronous and an import is not. */
const ofLibsql = (): OpenDatabase | undefined => {
  try {
    const found: unknown = createRequire(import.meta.url)('libsql');
    return isConstructor(found) ? found : undefined;
  } catch {
    return undefined;
  }
};

const isConstructor = (value: unknown): value is OpenDatabase => typeof value === 'function';

/** SQLite error numbers, with the error code and advice for each. */
const errors: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  5: ['journal.busy', 'another process is writing to it: try again, or raise `busyTimeoutMs`'],
  6: ['journal.busy', 'another process is writing to it: try again, or raise `busyTimeoutMs`'],
  8: ['journal.read-only', 'it may not be written to: check who owns the file and its folder'],
  3: ['journal.read-only', 'it may not be written to: check who owns the file and its folder'],
  14: ['journal.read-only', 'it cannot be opened: check that its folder is there and may be written to'],
  11: ['journal.corrupt', 'it is damaged: restore it from a copy'],
  26: ['journal.corrupt', 'it is no database, or its beginning is damaged: restore it from a copy'],
  13: ['journal.full', 'there is no room: make some, or raise `maxPages`'],
  10: ['journal.failed', 'the disk cannot be read or written'],
};

/** Converts an error of SQLite; a troupe error is returned unchanged. */
export const sqliteError = (thrown: unknown, store: string): TroupeError => {
  if (thrown instanceof TroupeError) return thrown;
  const number = numberOf(thrown);
  const [code, reason] = errors[number ?? -1] ?? ['journal.failed', 'SQLite refuses'];
  return new TroupeError(code, `Cannot use ${store} as ${reason}: ${messageOf(thrown)}`, {
    retryable: code === 'journal.busy' ? 'yes' : 'no',
    cause: thrown,
  });
};

/** The primary result code: the lowest byte of the number. */
const numberOf = (thrown: unknown): number | undefined => {
  if (!(thrown instanceof Error) && !isJsonObject(thrown)) return undefined;
  const own: unknown = Reflect.get(thrown, 'errcode') ?? Reflect.get(thrown, 'rawCode');
  if (typeof own === 'number') return own & 0xff;
  // If libsql cannot open a file, the number is only in its text.
  const code = /: (\d+)"\)$/.exec(messageOf(thrown))?.[1];
  return code === undefined ? undefined : Number(code) & 0xff;
};
