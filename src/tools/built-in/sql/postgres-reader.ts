import type { Json } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { timeLimit } from '../../../base/promises/time-limit.ts';
import type { Retryable } from '../../../contracts/errors/error-data.ts';
import { messageOf, TroupeError } from '../../../contracts/errors/error.ts';
import { classifyToolError } from '../../calls/classify-tool-error.ts';
import { trimEndOf } from '../../../base/text/trim-end.ts';
import { rowValues } from './row-values.ts';
import type { SqlDatabase, SqlQuery, SqlRows } from './sql-database.ts';
import { deniedQuery, lateQuery, longRow } from './sql-errors.ts';

/** A connection, of the package `pg`. */
interface Connection {
  connect(): Promise<unknown>;
  query(query: {
    readonly text: string;
    readonly values: unknown[];
    readonly queryMode: 'extended';
  }): Promise<{
    readonly rows: readonly unknown[];
    readonly fields: readonly { readonly name: string }[];
  }>;
  end(): Promise<void>;
}

/** Rows asked for at once: each of them may be as long as all may be. */
const BATCH = 20;
/** Past its time by this, in ms, a query is not in PostgreSQL's hands any more, and its connection is closed. */
const GRACE_MS = 1_000;

const TABLES = `select format('%I.%I', n.nspname, c.relname), quote_ident(a.attname), format_type(a.atttypid, a.atttypmod)
  from pg_catalog.pg_class as c
  join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
  join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_t%'
    and has_schema_privilege(n.oid, 'usage') and has_column_privilege(c.oid, a.attnum, 'select')
  order by 1, a.attnum`;

/** Roles whose functions act outside of a transaction, on files and programs of the server. */
const POWERS = `select session_user::text as role, array_to_string(array(
    select 'a superuser' where (select rolsuper from pg_catalog.pg_roles where rolname = session_user)
    union all
    select 'a member of ' || r from unnest(array['pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program']) as r
    where pg_has_role(session_user, r, 'member')
  ), ', ') as powers`;

/**
 * A database of PostgreSQL that is read, each query on a connection of its own, which ends with it and all that it left in the session.
 *
 * @param address A connection string. Its password is in no error.
 */
export const postgresReader = (address: string): SqlDatabase => {
  const name = nameOf(address);
  return {
    name,
    dialect: 'PostgreSQL',
    tables: TABLES,
    query: async (query) => {
      const connection = await connectionTo(address, query.timeoutMs);
      const late = timeLimit(query.timeoutMs + GRACE_MS);
      const signal = AbortSignal.any([query.signal, late]);
      const close = (): void => {
        // What executes is ended by its own time-out.
        void connection.end().catch(() => undefined);
      };
      signal.addEventListener('abort', close, { once: true });
      try {
        query.signal.throwIfAborted();
        return await readRows(connection, query, name);
      } catch (thrown) {
        throw late.aborted ? lateQuery(name, query.timeoutMs) : errorOf(thrown, name, query.timeoutMs);
      } finally {
        signal.removeEventListener('abort', close);
        close();
      }
    },
  };
};

/** The host and the database, without the user and the password. */
const nameOf = (address: string): string => {
  if (!URL.canParse(address)) return 'PostgreSQL';
  const { host, pathname } = new URL(address);
  return `PostgreSQL at ${host}${pathname}`;
};

const connectionTo = async (address: string, timeoutMs: number): Promise<Connection> => {
  const { default: postgres } = await import('pg').catch((cause: unknown) => {
    throw new TroupeError(
      'tool.package-missing',
      'Cannot query PostgreSQL as the package pg is not installed or does not start: run `npm install pg`',
      { cause, retryable: 'no' },
    );
  });
  const connection = new postgres.Client({
    connectionString: address,
    connectionTimeoutMillis: timeoutMs,
    // Values are read as PostgreSQL writes them.
    types: { getTypeParser: () => String },
  });
  // A connection that breaks fails its query; without a listener it would end the process.
  connection.on('error', () => undefined);
  return connection;
};

const readRows = async (connection: Connection, query: SqlQuery, name: string): Promise<SqlRows> => {
  const endsAt = performance.now() + query.timeoutMs;
  const execute = (text: string, values: readonly unknown[] = []) =>
    // The extended protocol takes one statement, whatever the text makes of its place; the simple one, which has no values, takes many.
    connection.query({ text, values: [...values], queryMode: 'extended' });
  /** Each statement has the time that is left; a query may have changed the setting. */
  const bounded = async (text: string, values: readonly unknown[] = []) => {
    const leftMs = Math.ceil(endsAt - performance.now());
    if (leftMs <= 0) throw lateQuery(name, query.timeoutMs);
    await execute(`select set_config('statement_timeout', $1, true)`, [String(leftMs)]);
    return execute(text, values);
  };
  await connection.connect();
  // The first query sets the snapshot: from then on nothing makes the transaction one that writes.
  await execute('begin isolation level repeatable read read only');
  assertHarmless(await bounded(POWERS), name);
  // As a subquery it is one statement that reads: the grammar knows no other there.
  const inner = `(\n${trimEndOf(query.sql, '; \t\r\n')}\n)`;
  await bounded(`declare named no scroll cursor for select * from ${inner} as t`, query.parameters);
  const columns = (await execute('fetch 0 from named')).fields.map((field) => field.name);
  if (columns.length === 0) throw deniedQuery(name, 'it gives no columns');
  const aliases = columns.map((_, index) => `c${index}`).join(', ');
  await bounded(
    `declare read no scroll cursor for select left(row_to_json(t)::text, ${query.maxBytes + 1}) as row from ${inner} as t(${aliases})`,
    query.parameters,
  );
  const rows: (readonly Json[])[] = [];
  let bytes = 0;
  for (;;) {
    const batch = (await bounded(`fetch ${BATCH} from read`)).rows;
    for (const each of batch) {
      const text = textAt(each, 'row');
      const isWhole = text.length <= query.maxBytes;
      const values = isWhole ? rowValues(text) : [];
      bytes += isWhole ? new TextEncoder().encode(JSON.stringify(values)).length : Infinity;
      if (bytes > query.maxBytes && rows.length === 0) throw longRow(name, query.maxBytes);
      if (bytes > query.maxBytes || rows.length === query.maxRows) return { columns, rows, isCut: true };
      rows.push(values);
    }
    if (batch.length < BATCH) return { columns, rows, isCut: false };
  }
};

const assertHarmless = ({ rows: [row] }: { readonly rows: readonly unknown[] }, name: string): void => {
  const powers = textAt(row, 'powers');
  if (powers !== '')
    throw deniedQuery(
      name,
      `its user '${textAt(row, 'role')}' is ${powers}, whose functions reach files and programs of the server from a query: give a user that is granted SELECT alone`,
    );
};

const textAt = (row: unknown, column: string): string => {
  const value = isJsonObject(row) ? row[column] : undefined;
  return typeof value === 'string' ? value : '';
};

const errorOf = (thrown: unknown, name: string, timeoutMs: number): TroupeError => {
  if (thrown instanceof TroupeError) return thrown;
  const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
  if (code === '57014') return lateQuery(name, timeoutMs);
  // A transaction that only reads, and what a user is not granted.
  if (code === '25006' || code === '42501') return deniedQuery(name, messageOf(thrown));
  return new TroupeError('tool.failed', `Cannot query ${name}: ${messageOf(thrown)}`, {
    retryable: retryableOf(thrown, code),
  });
};

/** The prospect of a retry: PostgreSQL refuses again what it refuses, unless it says that it passes. */
const retryableOf = (thrown: unknown, code: unknown): Retryable => {
  const retryable = classifyToolError(thrown);
  const isState = typeof code === 'string' && /^[\dA-Z]{5}$/.test(code);
  return isState && retryable === 'maybe' ? 'no' : retryable;
};
