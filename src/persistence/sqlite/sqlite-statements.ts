import { BLOB_ROOM } from '../../contracts/content/blob-store.ts';
import { OUTSIDE } from '../../contracts/content/held-blobs.ts';
import type { JournalRow } from '../../contracts/journals/journal.ts';
import { isTroupeError } from '../../contracts/errors/error.ts';
import { journalErrors } from '../journal-errors.ts';
import type { RunState } from '../run-table.ts';
import { entryColumns, leaseColumns, numberAt, stateColumns, stateOf, textAt } from '../run-table.ts';
import type { SqliteDatabase } from './sqlite-driver.ts';
import { SCHEMA } from './sqlite-driver.ts';
import { storedText } from '../stored-text.ts';

/**
 * Selects texts as bytes and everything else as numbers: if a damaged file contains other values, libsql does not throw but crashes the
 * process.
 */
export const selectShielded = (columns: string): string =>
  columns
    .split(', ')
    .map((column) => `${TEXTS.has(column) ? `cast(${column} as blob)` : `${column} + 0`} as ${column}`)
    .join(', ');

const TEXTS: ReadonlySet<string> = new Set([
  'run',
  'agent',
  'status',
  'title',
  'thread',
  'forked_from',
  'holder',
  'name',
  'text',
  'room',
  'place',
  'hash',
  'token',
]);

/** The columns of an entry. */
export const entrySelection = selectShielded(entryColumns);

/** The statements of a store, prepared once for an open database. */
const sqliteStatements = (database: SqliteDatabase) => {
  const prepare = (sql: string) => database.prepare(sql);
  return {
    insertRun: prepare(
      `insert into runs (${entryColumns}, holder, fence, expires_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (run) do nothing`,
    ),
    selectEntry: prepare(`select ${entrySelection} from runs where run = ?`),
    selectState: prepare(`select ${selectShielded(stateColumns)} from runs where run = ?`),
    // Conditional on the given lease and, with rows, on their sequence.
    changeRun: prepare(
      `update runs set rows = rows + ?, status = ?, updated_at = ?, due_at = ?
       where run = ? and holder = ? and fence = ? and rows = ifnull(?, rows)`,
    ),
    giveLease: prepare('update runs set holder = ?, fence = ?, expires_at = ? where id = ?'),
    renewLease: prepare('update runs set expires_at = ? where run = ? and holder = ? and fence = ?'),
    endLease: prepare('update runs set holder = null where run = ? and holder = ? and fence = ?'),
    selectLeases: prepare(`select ${selectShielded(leaseColumns)} from runs where holder is not null`),
    insertRow: prepare('insert into rows (run, n, text) values ((select id from runs where run = ?), ?, ?)'),
    selectRows: prepare(
      `select ${selectShielded('n, text')} from rows where run = ? and n >= ? and n < ? order by rows.n`,
    ),
    insertLetter: prepare(
      'insert into letters (run, id, at, text) values (?, ?, ?, ?) on conflict (run, id) do nothing',
    ),
    // Its id stays, so that it cannot be posted again.
    takeLetter: prepare(
      'update letters set text = null where run = (select id from runs where run = ?) and id = ?',
    ),
    selectLetters: prepare(
      `select cast(letters.id as blob) as id, letters.at + 0 as at, cast(letters.text as blob) as text from letters join runs on runs.id = letters.run
       where runs.run = ? and letters.text is not null order by letters.number`,
    ),
    readFile: prepare(`select ${selectShielded('text')} from files where room = ? and name = ?`),
    writeFile: prepare(
      `insert into files (room, name, text) values (?, ?, ?)
       on conflict (room, name) do update set text = excluded.text`,
    ),
    appendFile: prepare(
      `insert into files (room, name, text) values (?, ?, ?)
       on conflict (room, name) do update set text = text || excluded.text`,
    ),
    removeFile: prepare('delete from files where room = ? and name = ?'),
    removeRun: prepare('delete from runs where id = ?'),
    insertHold: prepare(
      'insert into holds (place, hash, room, name, token) values (?, ?, ?, ?, ?) on conflict do nothing',
    ),
    selectHold: prepare(
      `select ${selectShielded('token')}, exists (select 1 from files where room = '${BLOB_ROOM}' and name = holds.hash) as stored
       from holds where place = ? and hash = ? and room = ? and name = ?`,
    ),
    // Named texts that are gone.
    selectGone: prepare(
      `select distinct ${selectShielded('room, name')} from holds where room > '' and room <> '${OUTSIDE}'
       and not exists (select 1 from files where files.room = holds.room and files.name = holds.name)`,
    ),
    selectHolds: prepare(
      `select ${selectShielded('place, hash, token')} from holds where room = ? and name = ?`,
    ),
    endHolds: prepare('delete from holds where room = ? and name = ?'),
    removeUnheld: prepare(
      `delete from files where room = '${BLOB_ROOM}' and name = ? and not exists (select 1 from holds where place = '' and hash = ?)`,
    ),
    fileNames: prepare(`select ${selectShielded('name')} from files where room = ?`),
  };
};

/** An open database with its statements. */
export class SqliteConnection {
  readonly database: SqliteDatabase;
  readonly statements: ReturnType<typeof sqliteStatements>;

  constructor(database: SqliteDatabase) {
    this.database = database;
    this.statements = sqliteStatements(database);
  }

  /** Runs `work` in a write transaction. */
  write<T>(work: () => T): T {
    return this.#transaction('begin immediate', work);
  }

  /** Runs `work` on one consistent state of the database. */
  look<T>(work: () => T): T {
    return this.#transaction('begin', work);
  }

  /** Closes the file, and checkpoints it unless another process has it open. */
  close(): void {
    try {
      // Without waiting: a process that has it open checkpoints it later.
      this.database.exec(`pragma busy_timeout = 0; pragma ${SCHEMA}.wal_checkpoint(truncate)`);
    } catch {
      // Commits are on disk in any case.
    }
    this.database.close();
  }

  /** The state of a run. */
  run(runId: string): RunState | undefined {
    const row = this.statements.selectState.get(storedText(runId));
    return row === undefined ? undefined : stateOf(row);
  }

  /** Rows `from` to before `end`, all of which have to exist. @throws `journal.corrupt` */
  rows(runId: string, id: number, from: number, end: number): readonly JournalRow[] {
    const select = (first: number, last: number): readonly JournalRow[] =>
      this.statements.selectRows
        .all(id, first, last)
        .map((row) => ({ n: numberAt(row, 'n'), text: textAt(row, 'text') }));
    try {
      const rows = select(from, end);
      const wrong = rows.findIndex(({ n }, index) => n !== from + index);
      const missing = from + (wrong < 0 ? rows.length : wrong);
      if (missing < end) throw journalErrors.missing(runId, missing);
      return rows;
    } catch (error) {
      if (isTroupeError(error) && error.data.details !== undefined) throw error;
      // A page is damaged: the readable rows are found one by one.
      for (let n = from; n < end; n += 1) {
        try {
          if (select(n, n + 1).length === 0) break;
        } catch {
          throw journalErrors.missing(runId, n, error);
        }
      }
      throw error;
    }
  }

  // Never prepared: with libsql a prepared `begin` that found the database busy blocks all later commits.
  #transaction<T>(begin: 'begin' | 'begin immediate', work: () => T): T {
    this.database.exec(begin);
    try {
      const result = work();
      this.database.exec('commit');
      return result;
    } catch (error) {
      try {
        this.database.exec('rollback');
      } catch {
        // SQLite rolls back by itself in some cases, such as a full disk.
      }
      throw error;
    }
  }
}
