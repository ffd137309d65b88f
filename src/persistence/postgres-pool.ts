import type { ErrorCode } from '../contracts/error.ts';
import { messageOf, TroupeError } from '../contracts/error.ts';
import { isJsonObject } from '../contracts/json.ts';
import type { Column, TableRow } from './run-table.ts';

/** What PostgreSQL takes. */
export type PostgresValue = Column | readonly Column[];

/** What a statement gave. */
export interface PostgresAnswer {
  readonly rows: readonly TableRow[];
  readonly rowCount: number | null;
}

/** One connection, or any: what is used of the package `pg`. */
export interface PostgresQueries {
  query(sql: string, values?: PostgresValue[]): Promise<PostgresAnswer>;
}

/** A connection that was taken out of a pool. */
export interface PostgresClient extends PostgresQueries {
  /** Gives it back; with an error it is thrown away. */
  release(error?: Error | boolean): void;
}

/** Connections to a database: a `Pool` of the package `pg` is one. */
export interface PostgresPool extends PostgresQueries {
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
}

/** Connects when it is first used. @throws `journal.package-missing` */
export const openPool = async (connectionString: string): Promise<PostgresPool> => {
  const { default: postgres } = await import('pg').catch((cause: unknown) => {
    throw new TroupeError(
      'journal.package-missing',
      'Cannot open PostgreSQL as the package pg is not installed or does not start: run `npm install pg`',
      { cause },
    );
  });
  const pool = new postgres.Pool({ connectionString });
  // A connection that breaks while nobody uses it is replaced; unheard it would end the process.
  pool.on('error', () => {});
  return pool;
};

/** Does `work` on one connection, whole or not at all. */
export const inTransaction = async <T>(
  pool: PostgresPool,
  work: (client: PostgresQueries) => Promise<T>,
): Promise<T> => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    const isClean = await client.query('rollback').then(
      () => true,
      () => false,
    );
    client.release(!isClean);
    throw error;
  }
};

/** How codes of PostgreSQL begin, what they are here, and what can be done. */
const errors: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [/^(40001|40P01|55P03|53300|57P03)$/, 'journal.busy', 'it is busy: try again'],
  [/^(53100|53200|53400)$/, 'journal.full', 'there is no room: make some'],
  [/^(25006|42501)$/, 'journal.read-only', 'it may not be written to: check what its user is granted'],
  [/^XX00[12]$/, 'journal.corrupt', 'it is damaged: restore it from a copy'],
  [/^(08|57P|ECONN|ENOTFOUND|ENOENT|EPIPE|ETIMEDOUT|28|3D)/, 'journal.failed', 'it cannot be reached'],
];

/** What PostgreSQL or its driver threw, as an error of troupe; one that is already is left as it is. */
export const postgresError = (thrown: unknown, store: string): TroupeError => {
  if (thrown instanceof TroupeError) return thrown;
  const own: unknown = thrown instanceof Error || isJsonObject(thrown) ? Reflect.get(thrown, 'code') : '';
  const state = typeof own === 'string' ? own : '';
  const [, code, reason] = errors.find(([pattern]) => pattern.test(state)) ?? [
    undefined,
    'journal.failed' as const,
    'PostgreSQL refuses',
  ];
  return new TroupeError(code, `Cannot use ${store} as ${reason}: ${messageOf(thrown)}`, {
    retryable: code === 'journal.busy' ? 'yes' : reason === 'it cannot be reached' ? 'maybe' : 'no',
    cause: thrown,
  });
};
