import * as z from 'zod';
import { onDemand } from '../../../base/on-demand.ts';
import {
  aSecret,
  aText,
  fulfilling,
  isObject,
  optional,
  optionsSchema,
  together,
  wholeNumber,
} from '../../../base/schemas/option-schemas.ts';
import { checkOptions } from '../../../contracts/errors/check-options.ts';
import type { Tool, Toolset } from '../../../contracts/tools/tool.ts';
import { dual } from '../../calls/tool-result.ts';
import { tool } from '../../define/define-tool.ts';
import { isToolsetName } from '../../define/tool-options.ts';
import { postgresReader } from './postgres-reader.ts';
import type { SqlDatabase, SqlQuery, SqlRows } from './sql-database.ts';
import { sqliteReader } from './sqlite-reader.ts';

/** Options of {@link sqlTools}: one database, and bounds. */
export type SqlToolsOptions = SqlBounds & SqlPlace;

/** One of a file, an address, and a database of your own. */
export type SqlPlace =
  | { readonly sqlite: string }
  | { readonly postgres: string }
  | { readonly database: SqlDatabase };

/** Bounds of every query. */
export interface SqlBounds {
  /** Name of the toolset. Default `sql`. */
  readonly name?: string | undefined;
  /** Rows given. Default 100. */
  readonly maxRows?: number | undefined;
  /** Of all rows together, as JSON. Default 50,000. */
  readonly maxBytes?: number | undefined;
  /** In ms. Default 10,000. */
  readonly timeoutMs?: number | undefined;
}

interface Shape extends SqlBounds {
  readonly sqlite: string;
  readonly postgres: string;
  readonly database: SqlDatabase;
}

const schema = onDemand(() =>
  together<Partial<Shape>>(
    optionsSchema<Shape>({
      sqlite: optional(aText(1)),
      postgres: optional(aSecret()),
      database: optional(fulfilling(isDatabase, 'not a database: write { name, dialect, tables, query }')),
      name: optional(fulfilling(isToolsetName, 'not a name for a toolset')),
      maxRows: optional(wholeNumber(1)),
      maxBytes: optional(wholeNumber(1)),
      timeoutMs: optional(wholeNumber(1)),
    }),
    ({ sqlite, postgres, database }) => {
      const given = [sqlite, postgres, database].filter((place) => place !== undefined && place !== '');
      return given.length === 1
        ? undefined
        : ['database', `not the only one: write one of sqlite, postgres and database`];
    },
  ),
);

const isDatabase = (given: unknown): boolean =>
  isObject(given) &&
  ['name', 'dialect', 'tables'].every((key) => typeof Reflect.get(given, key) === 'string') &&
  typeof Reflect.get(given, 'query') === 'function';

/** Rows of the list of tables. */
const MOST_COLUMNS = 5_000;

/**
 * The toolset `sql`: `sql.tables` and `sql.query`, over a database that only reads.
 *
 * The database itself refuses what changes something, whatever the text says: a file of SQLite is opened read-only, in a process of its own
 * that is killed when its time is up; PostgreSQL executes one query in a transaction that is read-only, as a subquery, on a connection of its own.
 * Rows, bytes and time are bounded. A query reads all that the file holds, or that the user of the connection may: give a user that is granted `SELECT` on what the model may see, and nothing else.
 *
 * SQLite needs Node 22.16 (Node's own, as that of `libsql` reads and writes any file); PostgreSQL needs the package `pg`. A call fails with `tool.denied`
 * for what would change something, `tool.timeout`, `tool.failed` for what the database refuses, and `tool.package-missing`.
 *
 * @example
 * const clerk = agent({ name: 'clerk', tools: [sqlTools({ sqlite: './shop.db', maxRows: 50 })] });
 * await clerk.run('Which item sold best?');
 *
 * @throws {TroupeError} `tool.invalid` for options that do not fit.
 */
export const sqlTools = (options: SqlToolsOptions): Toolset => {
  checkOptions(schema(), options, { code: 'tool.invalid', owner: 'the tools of a database' });
  const { name = 'sql', maxRows = 100, maxBytes = 50_000, timeoutMs = 10_000 } = options;
  const database = databaseOf(options);
  const bounds = { maxRows, maxBytes, timeoutMs };
  return { name, tools: [tablesTool(database, bounds), queryTool(database, bounds)] };
};

const databaseOf = (options: SqlPlace): SqlDatabase => {
  if ('sqlite' in options) return sqliteReader(options.sqlite);
  return 'postgres' in options ? postgresReader(options.postgres) : options.database;
};

type Bounds = Pick<SqlQuery, 'maxRows' | 'maxBytes' | 'timeoutMs'>;

const queryTool = (database: SqlDatabase, bounds: Bounds): Tool =>
  tool({
    name: 'query',
    description:
      `Reads from a database by one query in the SQL of ${database.dialect}; nothing can be changed. ` +
      `Gives the names of the columns and then the rows, at most ${bounds.maxRows}. Values belong into parameters.`,
    category: 'sql',
    tags: ['sql', 'read'],
    // The time of the query is bounded by itself.
    timeoutMs: bounds.timeoutMs + 30_000,
    safety: 'read',
    input: z.object({
      sql: z.string().min(1).max(20_000).describe('One SELECT, or WITH … SELECT'),
      parameters: z
        .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
        .max(100)
        .default([])
        .describe('Values of the placeholders, in order'),
    }),
    describe: ({ sql }) => `Querying: ${sql.slice(0, 120)}`,
    execute: async ({ sql, parameters }, { signal }) => {
      const answer = await database.query({ sql, parameters, ...bounds, signal });
      return dual({ text: textOf(answer), value: answer });
    },
  });

/** JSON, so that no value reads as another row. */
const textOf = ({ columns, rows, isCut }: SqlRows): string => {
  const count = `${rows.length} row${rows.length === 1 ? '' : 's'}`;
  const end = isCut ? `[cut here: the first ${count}, there are more]` : `[${count}]`;
  return [columns, ...rows].map((row) => JSON.stringify(row)).join('\n') + `\n${end}`;
};

const tablesTool = (database: SqlDatabase, bounds: Bounds): Tool =>
  tool({
    name: 'tables',
    description: 'Lists the tables and views of the database, with the names and types of their columns.',
    category: 'sql',
    tags: ['sql', 'read'],
    cacheable: true,
    timeoutMs: bounds.timeoutMs + 30_000,
    safety: 'read',
    input: z.object({
      find: z.string().optional().describe('Part of the name of a table or column. Default: all'),
    }),
    describe: () => 'Looking at the tables',
    execute: async ({ find = '' }, { signal }) => {
      const query = { sql: database.tables, parameters: [], signal };
      const found = await database.query({ ...query, ...bounds, maxRows: MOST_COLUMNS });
      const tables = tablesIn(found).filter(({ name, columns }) =>
        [name, ...columns].some((each) => each.toLowerCase().includes(find.toLowerCase())),
      );
      const lines = tables.map(({ name, columns }) => `${name}(${columns.join(', ')})`);
      const end = found.isCut ? '\n[cut here: there are more]' : '';
      return dual({ text: (lines.join('\n') || 'There are no such tables.') + end, value: tables });
    },
  });

/** A table with its columns: `id integer`. */
interface SqlTable {
  readonly name: string;
  readonly columns: readonly string[];
}

const tablesIn = ({ rows }: SqlRows): readonly SqlTable[] => {
  const tables = new Map<string, string[]>();
  for (const row of rows) {
    const [table = '', column = '', type = ''] = row.map((value) => (typeof value === 'string' ? value : ''));
    const columns = tables.get(table) ?? [];
    columns.push(`${column} ${type}`.trim());
    tables.set(table, columns);
  }
  return Array.from(tables, ([name, columns]) => ({ name, columns }));
};
