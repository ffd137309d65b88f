import type { JournalRow } from '../contracts/journal.ts';
import { isTroupeError } from '../contracts/error.ts';
import { journalErrors } from './journal-errors.ts';
import type { RunState } from './run-table.ts';
import { entryColumns, numberAt, stateColumns, stateOf, textAt } from './run-table.ts';
import type { SqliteDatabase } from './sqlite-driver.ts';
import { storedText } from './stored-text.ts';

/** The statements of a store, prepared once for an open database. */
export const sqliteStatements = (database: SqliteDatabase) => {
  const prepare = (sql: string) => database.prepare(sql);
  return {
    begin: prepare('begin'),
    beginToWrite: prepare('begin immediate'),
    commit: prepare('commit'),
    rollback: prepare('rollback'),
    insertRun: prepare(
      `insert into runs (${entryColumns}, holder, fence, expires_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (run) do nothing`,
    ),
    selectEntry: prepare(`select ${entryColumns} from runs where run = ?`),
    selectState: prepare(`select ${stateColumns} from runs where run = ?`),
    changeRun: prepare(`update runs set rows = ?, status = ?, updated_at = ?, due_at = ? where id = ?`),
    giveLease: prepare('update runs set holder = ?, fence = ?, expires_at = ? where id = ?'),
    renewLease: prepare('update runs set expires_at = ? where run = ? and holder = ? and fence = ?'),
    endLease: prepare('update runs set holder = null where run = ? and holder = ? and fence = ?'),
    insertRow: prepare('insert into rows (run, n, text) values (?, ?, ?)'),
    selectRows: prepare('select n, text from rows where run = ? and n >= ? and n < ? order by n'),
    insertLetter: prepare(
      'insert into letters (run, id, at, text) values (?, ?, ?, ?) on conflict (run, id) do nothing',
    ),
    // Its id stays, so that it cannot be posted again.
    takeLetter: prepare('update letters set text = null where run = ? and id = ?'),
    selectLetters: prepare(
      `select letters.id, letters.at, letters.text from letters join runs on runs.id = letters.run
       where runs.run = ? and letters.text is not null order by letters.number`,
    ),
    readFile: prepare('select text from files where room = ? and name = ?'),
    writeFile: prepare(
      `insert into files (room, name, text) values (?, ?, ?)
       on conflict (room, name) do update set text = excluded.text`,
    ),
    appendFile: prepare(
      `insert into files (room, name, text) values (?, ?, ?)
       on conflict (room, name) do update set text = text || excluded.text`,
    ),
    removeFile: prepare('delete from files where room = ? and name = ?'),
    fileNames: prepare('select name from files where room = ?'),
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

  /** Does `work` whole or not at all: nobody else writes meanwhile. */
  write<T>(work: () => T): T {
    return this.#transaction('beginToWrite', work);
  }

  /** Does `work` on one state of the database, whoever writes meanwhile. */
  look<T>(work: () => T): T {
    return this.#transaction('begin', work);
  }

  /** How a run stands. */
  run(runId: string): RunState | undefined {
    const row = this.statements.selectState.get(storedText(runId));
    return row === undefined ? undefined : stateOf(row);
  }

  /** Rows `from` to before `end`, all of which have to be there. @throws `journal.corrupt` */
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
      // A page is damaged: which rows can be had is found one by one.
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

  #transaction<T>(begin: 'begin' | 'beginToWrite', work: () => T): T {
    const { [begin]: start, commit, rollback } = this.statements;
    start.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      try {
        rollback.run();
      } catch {
        // SQLite rolled it back itself, as it does when there is no room.
      }
      throw error;
    }
  }
}
