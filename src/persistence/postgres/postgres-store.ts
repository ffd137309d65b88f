import { randomId } from '../../base/random-id.ts';
import { BLOB_ROOM } from '../../contracts/content/blob-store.ts';
import type { ContentOptions } from '../../contracts/content/content-options.ts';
import { OUTSIDE } from '../../contracts/content/held-blobs.ts';
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
} from '../../contracts/journals/journal.ts';
import type { KeyValueFiles } from '../../contracts/conversations/memory.ts';
import { assertFollows, assertFree, assertHolds, assertReads, journalErrors } from '../journal-errors.ts';
import { postgresFiles } from './postgres-files.ts';
import type { ChannelListener } from './postgres-listener.ts';
import { channelOf, PostgresListener } from './postgres-listener.ts';
import type { PostgresAnswer, PostgresPool, PostgresQueries, PostgresValue } from './postgres-pool.ts';
import { inTransaction, openPool, postgresError } from './postgres-pool.ts';
import type { Tables } from './postgres-schema.ts';
import { preparePostgres, tablesIn } from './postgres-schema.ts';
import { RELEASED_ROOM, releaseBlobs, releasedText } from '../release-blobs.ts';
import { processIdentity } from '../process-holder.ts';
import type { RunState } from '../run-table.ts';
import {
  dueRunsOf,
  entryColumns,
  entriesOf,
  entryOf,
  entryValues,
  holderValues,
  leaseColumns,
  leasesIn,
  numberAt,
  runsOf,
  stateColumns,
  stateOf,
  textAt,
} from '../run-table.ts';
import { storedText, textOf } from '../stored-text.ts';

/** Options of {@link postgresStore}. */
export type PostgresStoreOptions = PostgresPlace & {
  /** Schema of the tables, created if missing. Default `troupe`. */
  readonly schema?: string | undefined;
};

/** A connection string, or an existing pool, which is not closed with the store, and of which no connection is kept to hear of runs (`watch`, `subscribe`). */
export type PostgresPlace =
  | { readonly connectionString: string; readonly pool?: undefined }
  | { readonly pool: PostgresPool; readonly connectionString?: undefined };

/**
 * Creates a store in PostgreSQL, for any number of processes on any number of machines. It is asynchronous.
 *
 * Its tables are created at the first use. Needs the package `pg`, unless it is given a `pool`.
 *
 * @throws Its operations reject with `journal.package-missing`, `journal.busy`, `journal.full`, `journal.read-only`,
 * `journal.corrupt`, `journal.version` and `journal.failed` (also where nobody answers), beside those of {@link JournalStore}.
 *
 * @example
 * const store = postgresStore({ connectionString: 'postgresql://ada@localhost/runs' });
 * for (const run of await store.list({ status: ['waiting'] })) console.log(run.runId, run.title);
 * await store.close();
 */
export const postgresStore = (options: PostgresStoreOptions): JournalStore => new PostgresStore(options);

/** The largest row number. */
const LAST = 2 ** 31 - 1;

class PostgresStore implements JournalStore {
  readonly name: string;
  readonly identity = processIdentity();
  readonly #place: PostgresPlace;
  readonly #tables: Tables;
  readonly #channel: string;
  readonly #listener = new PostgresListener(() => this.#using(async (pool) => pool));
  /** Absent with a given pool: a connection that is kept may be its only one. */
  declare readonly watch?: NonNullable<JournalStore['watch']>;
  declare readonly subscribe?: NonNullable<JournalStore['subscribe']>;
  declare readonly publish?: NonNullable<JournalStore['publish']>;
  #open: Promise<PostgresPool> | undefined;
  #isClosed = false;

  constructor({ schema = 'troupe', ...place }: PostgresStoreOptions) {
    this.name = `postgres:${placeOf(place)}/${schema}`;
    this.#place = place;
    this.#tables = tablesIn(schema);
    this.#channel = channelOf(schema);
    if (place.pool !== undefined) return;
    this.watch = (notify) => this.#listen(this.#channel, { next: notify, missed: notify });
    this.subscribe = (topic, next) => this.#listen(channelOf(schema, topic), { next });
    this.publish = async (topic, text) => {
      await this.#query('select pg_notify($1, $2)', [channelOf(schema, topic), text]);
    };
  }

  async create(entry: RunEntry, { holder, ttlMs, now }: LeaseWish): Promise<Lease> {
    const lease = { runId: entry.runId, holder, fence: 1, expiresAt: now + ttlMs };
    const { rowCount } = await this.#query(
      `insert into ${this.#tables.runs} (${entryColumns}, holder, fence, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict (run) do nothing`,
      [...entryValues(entry), storedText(holder), lease.fence, lease.expiresAt],
    );
    if (rowCount === 0) throw journalErrors.exists(entry.runId);
    return lease;
  }

  acquire(runId: string, wish: LeaseWish): Promise<Lease> {
    return this.#write(runId, async (client, run) => {
      assertFree(runId, run, wish);
      const { holder, ttlMs, now } = wish;
      const lease = { runId, holder, fence: run.fence + 1, expiresAt: now + ttlMs };
      await client.query(
        `update ${this.#tables.runs} set holder = $1, fence = $2, expires_at = $3 where id = $4`,
        [storedText(holder), lease.fence, lease.expiresAt, run.id],
      );
      return lease;
    });
  }

  renew(lease: Lease, { ttlMs, now }: LeaseWish): Promise<Lease> {
    return this.#write(lease.runId, async (client, run) => {
      assertHolds(run, lease);
      const expiresAt = now + ttlMs;
      await client.query(`update ${this.#tables.runs} set expires_at = $1 where id = $2`, [
        expiresAt,
        run.id,
      ]);
      return { ...lease, expiresAt };
    });
  }

  async release({ runId, holder, fence }: Lease): Promise<void> {
    await this.#query(
      `with freed as (update ${this.#tables.runs} set holder = null where run = $1 and holder = $2 and fence = $3 returning status)
       select pg_notify($4, '') from freed where status = 'running'`,
      [storedText(runId), storedText(holder), fence, this.#channel],
    );
  }

  async leases(): Promise<readonly Lease[]> {
    const sql = `select ${leaseColumns} from ${this.#tables.runs} where holder is not null`;
    return leasesIn((await this.#query(sql, [])).rows);
  }

  commit(lease: Lease, { rows, change, taken = [] }: JournalCommit): Promise<void> {
    return this.#write(lease.runId, async (client, run) => {
      assertHolds(run, lease);
      assertFollows(lease.runId, run.rows, rows);
      if (rows.length > 0)
        await client.query(
          `insert into ${this.#tables.rows} (run, n, text) select $1, * from unnest($2::integer[], $3::text[])`,
          [run.id, rows.map(({ n }) => n), rows.map(({ text }) => storedText(text))],
        );
      // Their ids stay, so that they cannot be posted again.
      if (taken.length > 0)
        await client.query(
          `update ${this.#tables.letters} set text = null where run = $1 and id = any($2::text[])`,
          [run.id, taken.map(storedText)],
        );
      await client.query(
        `update ${this.#tables.runs} set rows = $1, status = $2, updated_at = $3, due_at = $4 where id = $5`,
        [run.rows + rows.length, change.status, change.updatedAt, change.dueAt ?? null, run.id],
      );
    });
  }

  async read(runId: string, from = 0, limit = Infinity): Promise<readonly JournalRow[]> {
    // One statement, so that it sees a consistent state during concurrent writes.
    const { rows } = await this.#query(
      `select runs.rows, rows.n, rows.text from ${this.#tables.runs} as runs
       left join ${this.#tables.rows} as rows on rows.run = runs.id and rows.n >= $2 and rows.n < $3
       where runs.run = $1 order by rows.n`,
      [storedText(runId), from, Math.min(from + limit, LAST)],
    );
    if (rows[0] === undefined) throw journalErrors.unknown(runId, this.name);
    const end = Math.min(numberAt(rows[0], 'rows'), from + limit);
    const found = rows
      .filter((row) => row['n'] !== null)
      .map((row) => ({ n: numberAt(row, 'n'), text: textAt(row, 'text') }));
    const wrong = found.findIndex(({ n }, index) => n !== from + index);
    const missing = from + (wrong < 0 ? found.length : wrong);
    if (missing < end) throw journalErrors.missing(runId, missing);
    return found;
  }

  async entry(runId: string): Promise<RunEntry | undefined> {
    const { rows } = await this.#query(`select ${entryColumns} from ${this.#tables.runs} where run = $1`, [
      storedText(runId),
    ]);
    return rows[0] === undefined ? undefined : entryOf(rows[0]);
  }

  async list(query: RunQuery = {}): Promise<RunList> {
    const { sql, values } = runsOf(this.#tables.runs, query, placeOfValue);
    return entriesOf((await this.#query(`select ${entryColumns} ${sql}`, values)).rows);
  }

  async due(now: number, limit: number): Promise<RunList> {
    const { sql, values } = dueRunsOf(this.#tables, now, limit, placeOfValue);
    return entriesOf((await this.#query(`select ${entryColumns} ${sql}`, values)).rows);
  }

  post({ runId, id, at, text }: Letter): Promise<void> {
    return this.#write(runId, async (client, run) => {
      assertReads(runId, run.status);
      await client.query(
        `insert into ${this.#tables.letters} (run, id, at, text) values ($1, $2, $3, $4) on conflict do nothing`,
        [run.id, storedText(id), at, storedText(text)],
      );
      await client.query(`select pg_notify($1, '')`, [this.#channel]);
    });
  }

  #listen(channel: string, listener: ChannelListener): Promise<() => Promise<void>> {
    return this.#using(() => this.#listener.listen(channel, listener));
  }

  async letters(runId: string): Promise<readonly Letter[]> {
    const { rows } = await this.#query(
      `select letters.id, letters.at, letters.text from ${this.#tables.letters} as letters
       join ${this.#tables.runs} as runs on runs.id = letters.run
       where runs.run = $1 and letters.text is not null order by letters.number`,
      [storedText(runId)],
    );
    return rows.map((row) => ({
      id: textAt(row, 'id'),
      runId,
      at: numberAt(row, 'at'),
      text: textAt(row, 'text'),
    }));
  }

  hold(holder: BlobHolder, hashes: readonly string[], place = ''): Promise<readonly BlobHold[]> {
    const { holds, files, runs } = this.#tables;
    const [room, name] = holderValues(holder);
    return this.#using((pool) =>
      inTransaction(pool, async (client) => {
        if (room === '') {
          const { rows } = await client.query(`select id from ${runs} where run = $1`, [name]);
          if (rows[0] === undefined) throw journalErrors.unknown(textOf(name), this.name);
        }
        await client.query(
          `insert into ${holds} (place, hash, room, name, token)
           select $1, hash, $2, $3, token from unnest($4::text[], $5::text[]) as given (hash, token) on conflict do nothing`,
          [storedText(place), room, name, hashes, hashes.map(() => randomId())],
        );
        // Locked, so that bytes which are just being removed are found gone, and others are not removed before these holds are seen.
        await client.query(
          `select name from ${files} where room = $1 and name = any($2::text[]) order by name for share`,
          [BLOB_ROOM, hashes],
        );
        const { rows } = await client.query(
          `select hash, token, (exists (select 1 from ${files} as files where files.room = $5 and files.name = holds.hash))::int as stored
           from ${holds} as holds where place = $1 and room = $2 and name = $3 and hash = any($4::text[])`,
          [storedText(place), room, name, hashes, BLOB_ROOM],
        );
        return rows.map((row) => ({
          hash: textAt(row, 'hash'),
          token: textAt(row, 'token'),
          isStored: numberAt(row, 'stored') === 1,
        }));
      }),
    );
  }

  async prune(query: RunQuery, { blobs }: Pick<ContentOptions, 'blobs'> = {}): Promise<number> {
    const { sql, values } = runsOf(this.#tables.runs, query, placeOfValue, true);
    const { runs, holds, files } = this.#tables;
    const count = await this.#using((pool) =>
      inTransaction(pool, async (client) => {
        const { rows: gone } = await client.query(
          `delete from ${runs} where id in (select id ${sql} for update) returning run`,
          [...values],
        );
        const { rows: ended } = await client.query(
          `delete from ${holds} as holds where (room = '' and name = any($1::text[]))
           or (room > '' and room <> $2 and not exists (select 1 from ${files} as files where files.room = holds.room and files.name = holds.name))
           returning place, hash, token`,
          [gone.map((row) => storedText(textAt(row, 'run'))), OUTSIDE],
        );
        await this.#removeBlobs(
          client,
          ended.filter(({ place }) => place === '').map((row) => textAt(row, 'hash')),
        );
        const elsewhere = ended.filter(({ place }) => place !== '');
        await client.query(
          `insert into ${files} (room, name, text) select $1, * from unnest($2::text[], $3::text[])`,
          [
            RELEASED_ROOM,
            elsewhere.map((row) => textAt(row, 'token')),
            elsewhere.map((row) =>
              storedText(releasedText({ hash: textAt(row, 'hash'), place: textAt(row, 'place') })),
            ),
          ],
        );
        return gone.length;
      }),
    );
    if (blobs !== undefined) await releaseBlobs(this, blobs);
    return count;
  }

  /** Removes bytes that no holder has. */
  async #removeBlobs(client: PostgresQueries, hashes: readonly string[]): Promise<void> {
    if (hashes.length === 0) return;
    const { holds, files } = this.#tables;
    const values = [BLOB_ROOM, hashes];
    await client.query(
      `select name from ${files} where room = $1 and name = any($2::text[]) order by name for update`,
      values,
    );
    // Another statement: it sees the holds of those that it waited for.
    await client.query(
      `delete from ${files} as files where room = $1 and name = any($2::text[])
       and not exists (select 1 from ${holds} as holds where holds.place = '' and holds.hash = files.name)`,
      values,
    );
  }

  files(room: string): KeyValueFiles {
    return postgresFiles(this.#tables.files, storedText(room), (sql, values) => this.#query(sql, values));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listener.end();
    const open = this.#open;
    this.#open = undefined;
    if (this.#place.pool === undefined) await (await open?.catch(() => undefined))?.end();
  }

  /** Runs `work` in a transaction, with the run locked. */
  #write<T>(runId: string, work: (client: PostgresQueries, run: RunState) => Promise<T>): Promise<T> {
    return this.#using((pool) =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query(
          `select ${stateColumns} from ${this.#tables.runs} where run = $1 for update`,
          [storedText(runId)],
        );
        if (rows[0] === undefined) throw journalErrors.unknown(runId, this.name);
        return work(client, stateOf(rows[0]));
      }),
    );
  }

  #query(sql: string, values: readonly PostgresValue[]): Promise<PostgresAnswer> {
    return this.#using((pool) => pool.query(sql, [...values]));
  }

  async #using<T>(work: (pool: PostgresPool) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw journalErrors.closed(this.name);
    try {
      const open = (this.#open ??= this.#connect());
      const pool = await open.catch((error: unknown) => {
        // A failed connection may succeed the next time.
        if (this.#open === open) this.#open = undefined;
        throw error;
      });
      return await work(pool);
    } catch (error) {
      throw postgresError(error, this.name);
    }
  }

  async #connect(): Promise<PostgresPool> {
    const { pool, connectionString } = this.#place;
    const used = pool ?? (await openPool(connectionString));
    try {
      await preparePostgres(used, this.#tables, this.name);
      return used;
    } catch (error) {
      if (pool === undefined) await used.end();
      throw error;
    }
  }
}

const placeOfValue = (n: number): string => `$${n}`;

/** The address of a database, without the password. */
const placeOf = ({ connectionString }: PostgresPlace): string => {
  if (connectionString === undefined) return 'pool';
  try {
    const { host, pathname } = new URL(connectionString);
    return `${host}${pathname}`;
  } catch {
    return 'database';
  }
};
