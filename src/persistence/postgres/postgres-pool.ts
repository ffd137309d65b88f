import type { ErrorCode } from '../../contracts/errors/error-data.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { Column, TableRow } from '../run-table.ts';

/** A parameter of a PostgreSQL statement. */
export type PostgresValue = Column | readonly Column[];

/** The result of a statement. */
export interface PostgresAnswer {
  readonly rows: readonly TableRow[];
  readonly rowCount: number | null;
}

/** A connection or a pool: the used part of the package `pg`. */
export interface PostgresQueries {
  query(sql: string, values?: PostgresValue[]): Promise<PostgresAnswer>;
}

/** A notice of a channel, as the package `pg` gives it. */
interface PostgresNotice {
  readonly channel?: string | undefined;
  readonly payload?: string | undefined;
}

/** A connection acquired from a pool. */
export interface PostgresClient extends PostgresQueries {
  /** Returns it to the pool; with an error it is discarded. */
  release(error?: Error | boolean): void;
  /** Calls `listener` with each notice that it listens to, and when it is lost. */
  on(event: 'notification' | 'error', listener: (notice: PostgresNotice) => void): unknown;
}

/** A pool of connections, such as a `Pool` of the package `pg`. */
export interface PostgresPool extends PostgresQueries {
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
}

/** Creates a pool, which connects at its first use. @throws `journal.package-missing` */
export const openPool = async (connectionString: string): Promise<PostgresPool> => {
  const { default: postgres } = await import('pg').catch((cause: unknown) => {
    throw new TroupeError(
      'journal.package-missing',
      'Cannot open PostgreSQL as the package pg is not installed or does not start: run `npm install pg`',
      { cause },
    );
  });
  const pool = new postgres.Pool({ connectionString });
  // A broken idle connection is replaced; without a listener its error would end the process.
  pool.on('error', () => {});
  return pool;
};

/** Connections whose loss is heard. */
const heard = new WeakSet<PostgresClient>();

/** Acquires a connection whose loss is a failure of its next statement: without a listener it would end the process. */
const connectTo = async (pool: PostgresPool): Promise<PostgresClient> => {
  const client = await pool.connect();
  if (!heard.has(client)) {
    heard.add(client);
    client.on('error', () => {});
  }
  return client;
};

/** Runs `work` in a transaction on one connection. */
export const inTransaction = async <T>(
  pool: PostgresPool,
  work: (client: PostgresQueries) => Promise<T>,
): Promise<T> => {
  const client = await connectTo(pool);
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

/** Patterns of PostgreSQL codes, with the error code and advice for each. */
const errors: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [/^(40001|40P01|55P03|53300|57P03)$/, 'journal.busy', 'it is busy: try again'],
  [/^(53100|53200|53400)$/, 'journal.full', 'there is no room: make some'],
  [/^(25006|42501)$/, 'journal.read-only', 'it may not be written to: check what its user is granted'],
  [/^XX00[12]$/, 'journal.corrupt', 'it is damaged: restore it from a copy'],
  [/^(08|57P|ECONN|ENOTFOUND|ENOENT|EPIPE|ETIMEDOUT|28|3D)/, 'journal.failed', 'it cannot be reached'],
];

/** Messages of the driver about a lost connection, which have no code. */
const LOST = /connection terminated|not queryable/i;

/** Converts an error of PostgreSQL or its driver; a troupe error is returned unchanged. */
export const postgresError = (thrown: unknown, store: string): TroupeError => {
  if (thrown instanceof TroupeError) return thrown;
  const own: unknown = thrown instanceof Error || isJsonObject(thrown) ? Reflect.get(thrown, 'code') : '';
  const state = typeof own === 'string' ? own : LOST.test(messageOf(thrown)) ? 'ECONNRESET' : '';
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
