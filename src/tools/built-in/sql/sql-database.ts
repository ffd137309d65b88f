import type { Json } from '../../../base/json/json.ts';

/** A value of a parameter, `?` in SQLite and `$1` in PostgreSQL. */
export type SqlParameter = string | number | boolean | null;

/** One statement that reads, with its bounds. */
export interface SqlQuery {
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
  /** Rows given. */
  readonly maxRows: number;
  /** Of all rows together, as JSON. */
  readonly maxBytes: number;
  /** In ms, from its beginning to its last row. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The rows of a query. */
export interface SqlRows {
  /** Two may have one name. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Json[])[];
  /** There are more rows. */
  readonly isCut: boolean;
}

/**
 * A database that is read, for `sqlTools`: it has to refuse by itself what changes something, whatever the text says, and keep the bounds of a query.
 *
 * @example
 * sqlTools({
 *   database: {
 *     name: 'warehouse',
 *     dialect: 'DuckDB',
 *     tables: 'select table_name, column_name, data_type from information_schema.columns',
 *     query: ({ sql, parameters, maxRows, timeoutMs }) => readOnly.run(sql, parameters, { maxRows, timeoutMs }),
 *   },
 * });
 */
export interface SqlDatabase {
  /** The name by which errors call it, without a password. */
  readonly name: string;
  /** The SQL that it speaks, for the model. */
  readonly dialect: string;
  /** A query whose rows are a table, a column of it, and the column's type. */
  readonly tables: string;
  /** Executes a query; what it rejects with fails the call. */
  query(query: SqlQuery): Promise<SqlRows>;
}
