import { errorData, TroupeError } from '../contracts/errors/error.ts';
import { OUTSIDE } from '../contracts/content/held-blobs.ts';
import type { BlobHolder, Lease, RunEntry, RunQuery, StoredStatus } from '../contracts/journals/journal.ts';
import { listWith } from '../contracts/errors/listed.ts';
import type { Listed, UnreadableEntry } from '../contracts/errors/listed.ts';
import type { RunStatus } from '../contracts/runs/run-status.ts';
import { storedText, textOf } from './stored-text.ts';

/** Bytes, as different drivers return them. */
type Bytes = Uint8Array | ArrayBuffer;

/** A value in a column. */
export type Column = string | number | null;
/** A row of a result: texts may be returned as bytes. */
export type TableRow = Readonly<Record<string, Column | Bytes>>;

/** The columns of an entry, in the order of {@link entryValues}. */
export const entryColumns = 'run, agent, status, title, created_at, updated_at, due_at, thread, forked_from';

/** The column values of an entry. */
export const entryValues = (entry: RunEntry): readonly Column[] => [
  storedText(entry.runId),
  storedText(entry.agent),
  entry.status,
  storedText(entry.title),
  entry.createdAt,
  entry.updatedAt,
  entry.dueAt ?? null,
  maybe(storedText, entry.thread),
  maybe(storedText, entry.forkedFrom),
];

/** The values of the columns `room` and `name` of a hold: a run is a name in the room ''. */
export const holderValues = (holder: BlobHolder): readonly [string, string] => {
  if (holder === 'outside') return [OUTSIDE, ''];
  return 'runId' in holder
    ? ['', storedText(holder.runId)]
    : [storedText(holder.room), storedText(holder.name)];
};

/** The entry of a row. @throws `journal.corrupt` */
export const entryOf = (row: TableRow): RunEntry => ({
  runId: textAt(row, 'run'),
  agent: textAt(row, 'agent'),
  status: statusAt(row),
  title: textAt(row, 'title'),
  createdAt: numberAt(row, 'created_at'),
  updatedAt: numberAt(row, 'updated_at'),
  ...(row['due_at'] === null ? {} : { dueAt: numberAt(row, 'due_at') }),
  ...(row['thread'] === null ? {} : { thread: textAt(row, 'thread') }),
  ...(row['forked_from'] === null ? {} : { forkedFrom: textAt(row, 'forked_from') }),
});

/** The entries of rows; unreadable ones are omitted and listed separately. */
export const entriesOf = (rows: readonly TableRow[]): Listed<RunEntry> => {
  const entries: RunEntry[] = [];
  const unreadable: UnreadableEntry[] = [];
  for (const row of rows)
    try {
      entries.push(entryOf(row));
    } catch (thrown) {
      unreadable.push({ id: idOf(row), error: errorData(thrown, 'journal.corrupt') });
    }
  return listWith(entries, unreadable);
};

const idOf = (row: TableRow): string => {
  try {
    return textAt(row, 'run');
  } catch {
    return '?';
  }
};

/** The state needed to write to a run. */
export interface RunState {
  readonly id: number;
  readonly rows: number;
  /** Empty if it cannot be read. */
  readonly status: string;
  readonly holder: string | null;
  readonly fence: number;
  readonly expiresAt: number;
}

/** The columns of {@link stateOf}. */
export const stateColumns = 'id, rows, status, holder, fence, expires_at';

/** The state of a run's row. @throws `journal.corrupt` */
export const stateOf = (row: TableRow): RunState => ({
  id: numberAt(row, 'id'),
  rows: numberAt(row, 'rows'),
  status: readableStatus(row),
  holder: row['holder'] === null ? null : textAt(row, 'holder'),
  fence: numberAt(row, 'fence'),
  expiresAt: numberAt(row, 'expires_at'),
});

const readableStatus = (row: TableRow): string => {
  try {
    return textAt(row, 'status');
  } catch {
    return '';
  }
};

/** The columns of {@link leasesIn}. */
export const leaseColumns = 'run, holder, fence, expires_at';

/** The leases of rows, without those that cannot be read. */
export const leasesIn = (rows: readonly TableRow[]): readonly Lease[] =>
  rows.flatMap((row) => {
    try {
      const [runId, holder] = [textAt(row, 'run'), textAt(row, 'holder')];
      return [{ runId, holder, fence: numberAt(row, 'fence'), expiresAt: numberAt(row, 'expires_at') }];
    } catch {
      return [];
    }
  });

/** Part of a statement, with its parameters. */
export interface Clause {
  readonly sql: string;
  readonly values: readonly Column[];
}

/**
 * The clause that selects the runs of a query, newest first. `place` returns the placeholder of the nth parameter, counted from 1.
 *
 * For pruning, only runs that have ended and have no lease.
 */
export const runsOf = (
  table: string,
  { status, thread, dueBy, idleSince, limit }: RunQuery,
  place: (n: number) => string,
  isToPrune = false,
): Clause => {
  const values: Column[] = [];
  const put = (value: Column): string => place(values.push(value));
  const conditions = [
    ...(status === undefined
      ? []
      : [status.length === 0 ? '1 = 0' : `status in (${status.map(put).join(', ')})`]),
    ...(thread === undefined ? [] : [`thread = ${put(storedText(thread))}`]),
    ...(dueBy === undefined ? [] : [`due_at <= ${put(dueBy)}`]),
    ...(idleSince === undefined ? [] : [`updated_at <= ${put(idleSince)}`]),
    ...(isToPrune ? [`status not in ('running', 'waiting', 'arriving')`, freeAt(idleSince, put)] : []),
  ];
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const most = limit === undefined || limit === Infinity ? '' : `limit ${put(limit)}`;
  return { sql: `from ${table} ${where} order by runs.created_at desc, runs.id desc ${most}`, values };
};

/**
 * The clause that selects the unfinished runs that wait for a process, oldest first. `place` returns the placeholder of the nth parameter.
 */
export const dueRunsOf = (
  { runs, letters }: { readonly runs: string; readonly letters: string },
  now: number,
  limit: number,
  place: (n: number) => string,
): Clause => ({
  sql: `from ${runs} as runs where status in ('running', 'waiting') and (holder is null or expires_at <= ${place(1)})
    and (status = 'running' or due_at <= ${place(2)} or exists (select 1 from ${letters} as letters where letters.run = runs.id and letters.text is not null))
    order by runs.created_at, runs.id limit ${place(3)}`,
  values: [now, now, limit],
});

const freeAt = (idleSince: number | undefined, put: (value: Column) => string): string =>
  idleSince === undefined ? 'holder is null' : `(holder is null or expires_at <= ${put(idleSince)})`;

/** The text in a column. @throws `journal.corrupt` */
export const textAt = (row: TableRow, column: string): string => {
  const value = row[column];
  if (typeof value === 'string') return textOf(value);
  const text = isBytes(value) ? decodeText(value) : undefined;
  return text === undefined ? refuseColumn(column, 'text', value) : textOf(text);
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const isBytes = (value: unknown): value is Bytes =>
  value instanceof Uint8Array || value instanceof ArrayBuffer;

const decodeText = (bytes: Bytes): string | undefined => {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
};

/** The number in a column. @throws `journal.corrupt` */
export const numberAt = (row: TableRow, column: string): number => {
  const value = row[column];
  return typeof value === 'number' ? value : refuseColumn(column, 'number', value);
};

const statuses: Readonly<Record<Exclude<StoredStatus, RunStatus> | RunStatus, true>> = {
  running: true,
  waiting: true,
  arriving: true,
  moved: true,
  completed: true,
  stopped: true,
  aborted: true,
  failed: true,
};

const isStatus = (value: string): value is StoredStatus => Object.hasOwn(statuses, value);

const statusAt = (row: TableRow): StoredStatus => {
  const status = textAt(row, 'status');
  return isStatus(status) ? status : refuseColumn('status', 'status', status);
};

const refuseColumn = (column: string, wanted: string, found: unknown): never => {
  throw new TroupeError(
    'journal.corrupt',
    `Cannot read the store as there is no ${wanted} in its column '${column}': found ${isBytes(found) ? `${found.byteLength} bytes` : JSON.stringify(found ?? null)}`,
  );
};

const maybe = (store: (text: string) => string, text: string | undefined): string | null =>
  text === undefined ? null : store(text);
