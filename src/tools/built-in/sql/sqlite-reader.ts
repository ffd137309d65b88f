import * as z from 'zod/mini';
import { onDemand } from '../../../base/on-demand.ts';
import type { ProcessResult } from '../../../contracts/environments/operations.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { SqlDatabase, SqlQuery, SqlRows } from './sql-database.ts';
import { deniedQuery, lateQuery, longRow } from './sql-errors.ts';
import { SQLITE_PROGRAM } from './sqlite-program.ts';

/** Memory of JavaScript in the process, in MB: rows are short. */
const HEAP_MB = 256;

/** Names are at most as long as the SQL; all else is bounded by the query. */
const ROOM = 200_000;

const TABLES = `select m.name, p.name, p.type from sqlite_schema as m, pragma_table_xinfo(m.name) as p
  where m.type in ('table', 'view') and m.name not like 'sqlite\\_%' escape '\\' and p.hidden <> 1 order by m.name, p.cid`;

const answerSchema = onDemand(() =>
  z.union([
    z.object({
      columns: z.array(z.string()),
      rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
      isCut: z.boolean(),
    }),
    z.object({ isLong: z.literal(true) }),
    z.object({ isMissing: z.literal(true) }),
    z.object({ denied: z.string() }),
    z.object({ failed: z.string(), number: z.optional(z.number()) }),
  ]),
);

/**
 * A file of SQLite that is read, each query by a process of its own: nothing stops a query within a process, and a process can be killed.
 *
 * @param file Its path. It is not created.
 */
export const sqliteReader = (file: string): SqlDatabase => {
  const name = `the file ${file}`;
  return {
    name,
    dialect: 'SQLite',
    tables: TABLES,
    query: async ({ signal, timeoutMs, ...query }) => {
      const path = process.getBuiltinModule('node:path');
      const { spawnCaptured } = await import('../host/spawn.ts');
      const result = await spawnCaptured({
        file: process.execPath,
        args: ['--no-warnings', `--max-old-space-size=${HEAP_MB}`, '--eval', SQLITE_PROGRAM],
        env: {},
        input: JSON.stringify({ ...query, file: path.resolve(file) }),
        timeoutMs,
        // Half of it is the beginning of an output, which is all of it.
        maxOutputBytes: 2 * (query.maxBytes + query.maxRows + ROOM),
        signal,
      });
      return rowsIn(name, { ...query, timeoutMs }, result);
    },
  };
};

const rowsIn = (
  name: string,
  { maxBytes, timeoutMs }: Pick<SqlQuery, 'maxBytes' | 'timeoutMs'>,
  { stdout, isTimedOut, exitCode }: ProcessResult,
): SqlRows => {
  if (isTimedOut) throw lateQuery(name, timeoutMs);
  const { data } = z.safeParse(answerSchema(), parse(stdout));
  if (data === undefined)
    throw new TroupeError(
      'tool.failed',
      `Cannot finish the query of ${name} as its process ended (${exitCode ?? 'killed'}): it may need too much memory`,
      { retryable: 'no' },
    );
  if ('columns' in data) return data;
  if ('isLong' in data) throw longRow(name, maxBytes);
  if ('denied' in data) throw deniedQuery(name, data.denied);
  if ('isMissing' in data)
    throw new TroupeError(
      'tool.package-missing',
      `Cannot query ${name} as this Node (${process.version}) has no SQLite of its own that tells columns: use Node 22.16 or later`,
      { retryable: 'no' },
    );
  if (isReadOnly(data.number)) throw deniedQuery(name, `it is read-only: ${data.failed}`);
  throw new TroupeError('tool.failed', `Cannot query ${name}: ${data.failed}`, {
    retryable: isBusy(data.number) ? 'yes' : 'no',
  });
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The primary result code is the lowest byte. */
const primary = (number = 0): number => number & 0xff;
/** SQLITE_READONLY, and SQLITE_AUTH. */
const isReadOnly = (number?: number): boolean => [8, 23].includes(primary(number));
/** SQLITE_BUSY, and SQLITE_LOCKED. */
const isBusy = (number?: number): boolean => [5, 6].includes(primary(number));
