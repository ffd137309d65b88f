import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { randomId } from '../../base/random-id.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { ContentOptions } from '../../contracts/content/content-options.ts';
import type {
  BlobHold,
  BlobHolder,
  JournalCommit,
  JournalRow,
  JournalStore,
  Lease,
  LeaseWish,
  Letter,
  RunEntry,
  RunList,
  RunQuery,
  Stored,
} from '../../contracts/journals/journal.ts';
import type { KeyValueFiles } from '../../contracts/conversations/memory.ts';
import { assertFollows, assertFree, assertHolds, assertReads, journalErrors } from '../journal-errors.ts';
import { RELEASED_ROOM, releaseBlobs, releasedText } from '../release-blobs.ts';
import { processIdentity } from '../process-holder.ts';
import type { Column } from '../run-table.ts';
import {
  entriesOf,
  entryOf,
  entryValues,
  dueRunsOf,
  holderValues,
  leasesIn,
  numberAt,
  runsOf,
  textAt,
} from '../run-table.ts';
import type { SqliteDriver } from './sqlite-driver.ts';
import { makePrivate, PRIVATE_FOLDER } from '../private-files.ts';
import { openSqlite, SCHEMA, sqliteError } from './sqlite-driver.ts';
import { prepareTables } from './sqlite-schema.ts';
import { entrySelection, selectShielded, SqliteConnection } from './sqlite-statements.ts';
import { storedText } from '../stored-text.ts';

/** Options of {@link sqliteStore}. */
export interface SqliteStoreOptions {
  /** Wait for another process that is writing, in ms, which blocks this process. Default 5,000. */
  readonly busyTimeoutMs?: number | undefined;
  /** Largest size of the database, in pages of 4,096 bytes. Default: unlimited. */
  readonly maxPages?: number | undefined;
  /** Default: Node's own SQLite, or else the package `libsql`. */
  readonly driver?: SqliteDriver | undefined;
}

/**
 * Creates a store in one file, for any number of processes on one machine. It is synchronous.
 *
 * The file and its folder are created at the first use. Commits are on disk (WAL, `synchronous=FULL`). While it is open, there are two side
 * files, `-wal` and `-shm`.
 *
 * @throws {TroupeError} `input.invalid` for a file that is no path. Its operations throw `journal.busy`, `journal.full`,
 * `journal.read-only`, `journal.corrupt`, `journal.version`,
 * `journal.package-missing` (neither Node nor `libsql` has SQLite) and `journal.failed`, beside those of {@link JournalStore}.
 *
 * @example
 * const store = sqliteStore('./runs.db');
 * for (const run of await store.list({ status: ['waiting'] })) console.log(run.runId, run.title);
 * await store.close();
 */
export const sqliteStore = (file: string, options: SqliteStoreOptions = {}): JournalStore =>
  new SqliteStore(checkedFile(file), options);

const checkedFile = (file: unknown): string => {
  if (typeof file === 'string' && file !== '') return file;
  throw new TroupeError(
    'input.invalid',
    `Cannot open a SQLite store as its file is no path: write sqliteStore('./runs.db'), found ${foundText(file)}`,
  );
};

class SqliteStore implements JournalStore {
  readonly name: string;
  readonly identity = processIdentity();
  readonly #file: string;
  readonly #options: SqliteStoreOptions;
  #open: SqliteConnection | undefined;
  #isClosed = false;

  constructor(file: string, options: SqliteStoreOptions) {
    this.#file = file === ':memory:' ? file : resolve(file);
    this.name = `sqlite:${this.#file}`;
    this.#options = options;
  }

  create(entry: RunEntry, { holder, ttlMs, now }: LeaseWish): Lease {
    return this.#write(({ statements }) => {
      const lease = { runId: entry.runId, holder, fence: 1, expiresAt: now + ttlMs };
      const values = [...entryValues(entry), storedText(holder), lease.fence, lease.expiresAt];
      if (isNone(statements.insertRun.run(...values))) throw journalErrors.exists(entry.runId);
      return lease;
    });
  }

  acquire(runId: string, wish: LeaseWish): Lease {
    return this.#write((connection) => {
      const run = connection.run(runId) ?? this.#unknown(runId);
      assertFree(runId, run, wish);
      const { holder, ttlMs, now } = wish;
      const lease = { runId, holder, fence: run.fence + 1, expiresAt: now + ttlMs };
      connection.statements.giveLease.run(storedText(holder), lease.fence, lease.expiresAt, run.id);
      return lease;
    });
  }

  renew(lease: Lease, { ttlMs, now }: LeaseWish): Lease {
    return this.#write((connection) => {
      const expiresAt = now + ttlMs;
      if (isNone(connection.statements.renewLease.run(expiresAt, ...leaseValues(lease))))
        throw connection.run(lease.runId) === undefined
          ? journalErrors.unknown(lease.runId, this.name)
          : journalErrors.fenced(lease);
      return { ...lease, expiresAt };
    });
  }

  release(lease: Lease): void {
    this.#write(({ statements }) => statements.endLease.run(...leaseValues(lease)));
  }

  leases(): readonly Lease[] {
    return this.#using(({ statements }) => leasesIn(statements.selectLeases.all()));
  }

  commit(lease: Lease, { rows, change, taken = [] }: JournalCommit): void {
    this.#write((connection) => {
      const { insertRow, takeLetter, changeRun } = connection.statements;
      const { status, updatedAt, dueAt = null } = change;
      const first = rows[0]?.n ?? null;
      const where = [...leaseValues(lease), first];
      // Conditional instead of a read before the write; the state is read only to explain a refusal.
      if (isNone(changeRun.run(rows.length, status, updatedAt, dueAt, ...where)))
        throw this.#refusal(connection, lease, rows);
      if (first !== null) assertFollows(lease.runId, first, rows);
      const runId = storedText(lease.runId);
      for (const { n, text } of rows) insertRow.run(runId, n, storedText(text));
      for (const letter of taken) takeLetter.run(runId, storedText(letter));
    });
  }

  read(runId: string, from = 0, limit = Infinity): readonly JournalRow[] {
    return this.#using((connection) =>
      connection.look(() => {
        const { id, rows } = connection.run(runId) ?? this.#unknown(runId);
        return connection.rows(runId, id, from, Math.min(rows, from + limit));
      }),
    );
  }

  entry(runId: string): RunEntry | undefined {
    return this.#using(({ statements }) => {
      const row = statements.selectEntry.get(storedText(runId));
      return row === undefined ? undefined : entryOf(row);
    });
  }

  list(query: RunQuery = {}): RunList {
    const { sql, values } = runsOf('runs', query, () => '?');
    return this.#using(({ database }) =>
      entriesOf(database.prepare(`select ${entrySelection} ${sql}`).all(...values)),
    );
  }

  due(now: number, limit: number): RunList {
    const { sql, values } = dueRunsOf({ runs: 'runs', letters: 'letters' }, now, limit, () => '?');
    return this.#using(({ database }) =>
      entriesOf(database.prepare(`select ${entrySelection} ${sql}`).all(...values)),
    );
  }

  post({ runId, id, at, text }: Letter): void {
    this.#write((connection) => {
      const run = connection.run(runId) ?? this.#unknown(runId);
      assertReads(runId, run.status);
      connection.statements.insertLetter.run(run.id, storedText(id), at, storedText(text));
    });
  }

  letters(runId: string): readonly Letter[] {
    return this.#using(({ statements }) =>
      statements.selectLetters
        .all(storedText(runId))
        .map((row) => ({ id: textAt(row, 'id'), runId, at: numberAt(row, 'at'), text: textAt(row, 'text') })),
    );
  }

  hold(holder: BlobHolder, hashes: readonly string[], place = ''): readonly BlobHold[] {
    return this.#write((connection) => {
      if (holder !== 'outside' && 'runId' in holder && connection.run(holder.runId) === undefined)
        this.#unknown(holder.runId);
      const { insertHold, selectHold } = connection.statements;
      return hashes.map((hash) => {
        const at = [storedText(place), hash, ...holderValues(holder)];
        insertHold.run(...at, randomId());
        const row = selectHold.get(...at) ?? {};
        return { hash, token: textAt(row, 'token'), isStored: numberAt(row, 'stored') === 1 };
      });
    });
  }

  prune(query: RunQuery, { blobs }: Pick<ContentOptions, 'blobs'> = {}): Stored<number> {
    const count = this.#prune(query);
    return blobs === undefined ? count : releaseBlobs(this, blobs).then(() => count);
  }

  #prune(query: RunQuery): number {
    const { sql, values } = runsOf('runs', query, () => '?', true);
    return this.#write((connection) => {
      const { database, statements } = connection;
      const old = database.prepare(`select ${selectShielded('id, run')} ${sql}`).all(...values);
      for (const row of old) {
        statements.removeRun.run(numberAt(row, 'id'));
        endHolds(connection, { runId: textAt(row, 'run') });
      }
      for (const row of statements.selectGone.all())
        endHolds(connection, { room: textAt(row, 'room'), name: textAt(row, 'name') });
      return old.length;
    });
  }

  files(room: string): KeyValueFiles {
    const at = (name: string): readonly [string, string] => [storedText(room), storedText(name)];
    return {
      read: async (name) =>
        this.#using(({ statements }) => {
          const row = statements.readFile.get(...at(name));
          return row === undefined ? undefined : textAt(row, 'text');
        }),
      write: async (name, text) => {
        this.#write(({ statements }) => statements.writeFile.run(...at(name), storedText(text)));
      },
      append: async (name, text) => {
        this.#write(({ statements }) => statements.appendFile.run(...at(name), storedText(text)));
      },
      remove: async (name) => {
        this.#write(({ statements }) => statements.removeFile.run(...at(name)));
      },
      names: async () =>
        this.#using(({ statements }) =>
          statements.fileNames
            .all(storedText(room))
            .map((row) => textAt(row, 'name'))
            .sort(),
        ),
    };
  }

  close(): void {
    this.#isClosed = true;
    const open = this.#open;
    this.#open = undefined;
    open?.close();
  }

  /** The reason why a commit changed nothing. */
  #refusal(connection: SqliteConnection, lease: Lease, rows: readonly JournalRow[]): TroupeError {
    const run = connection.run(lease.runId) ?? this.#unknown(lease.runId);
    assertHolds(run, lease);
    assertFollows(lease.runId, run.rows, rows);
    return journalErrors.fenced(lease);
  }

  #unknown(runId: string): never {
    throw journalErrors.unknown(runId, this.name);
  }

  /** Write transactions start with the lock, so that they are never refused midway. */
  #write<T>(work: (connection: SqliteConnection) => T): T {
    return this.#using((connection) => connection.write(() => work(connection)));
  }

  #using<T>(work: (connection: SqliteConnection) => T): T {
    if (this.#isClosed) throw journalErrors.closed(this.name);
    try {
      this.#open ??= connect(this.#file, this.name, this.#options);
      return work(this.#open);
    } catch (error) {
      throw sqliteError(error, this.name);
    }
  }
}

/** Ends all holds of a holder: bytes that no other has are removed, those elsewhere later. */
const endHolds = ({ statements }: SqliteConnection, holder: BlobHolder): void => {
  const values = holderValues(holder);
  const ended = statements.selectHolds.all(...values).map((row) => ({
    hash: textAt(row, 'hash'),
    place: textAt(row, 'place'),
    token: textAt(row, 'token'),
  }));
  statements.endHolds.run(...values);
  for (const { hash, place, token } of ended)
    if (place === '') statements.removeUnheld.run(hash, hash);
    else statements.writeFile.run(RELEASED_ROOM, token, storedText(releasedText({ hash, place })));
};

const isNone = ({ changes }: { readonly changes: number | bigint }): boolean => Number(changes) === 0;

const leaseValues = ({ runId, holder, fence }: Lease): readonly Column[] => [
  storedText(runId),
  storedText(holder),
  fence,
];

/** SQLite does not wait while another process creates the same database. */
const connect = (file: string, name: string, options: SqliteStoreOptions): SqliteConnection => {
  const until = Date.now() + (options.busyTimeoutMs ?? BUSY_TIMEOUT_MS);
  for (;;) {
    try {
      return tryToConnect(file, name, options);
    } catch (error) {
      if (sqliteError(error, name).code !== 'journal.busy' || Date.now() >= until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
};

const BUSY_TIMEOUT_MS = 5000;

const tryToConnect = (file: string, name: string, options: SqliteStoreOptions): SqliteConnection => {
  const { busyTimeoutMs = BUSY_TIMEOUT_MS, maxPages, driver } = options;
  if (file !== ':memory:') {
    makeFolder(dirname(file), name);
    makePrivate(file);
  }
  const database = openSqlite(file, driver);
  try {
    database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
    database.exec(
      `pragma ${SCHEMA}.journal_mode = wal; pragma ${SCHEMA}.synchronous = full; pragma foreign_keys = on`,
    );
    if (maxPages !== undefined) database.exec(`pragma ${SCHEMA}.max_page_count = ${maxPages}`);
    prepareTables(database, name);
    return new SqliteConnection(database);
  } catch (error) {
    database.close();
    throw error;
  }
};

const makeFolder = (folder: string, name: string): void => {
  try {
    mkdirSync(folder, PRIVATE_FOLDER);
  } catch (cause) {
    throw new TroupeError(
      'journal.read-only',
      `Cannot open ${name} as its folder cannot be made: ${messageOf(cause)}`,
      { cause },
    );
  }
};
