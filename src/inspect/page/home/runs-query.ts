import type { RunRow } from '../session.ts';
import { processName } from '../session.ts';
import { orderText, readOrder } from '../list/table-order.ts';

/** The columns of the table of runs, in their order, with their heads. */
export const columnHeads = {
  status: 'Status',
  agent: 'Agent',
  title: 'Title',
  begun: 'Begun',
  duration: 'Duration',
  tokens: 'Tokens',
  cost: 'Cost',
  errors: 'Errors',
  requests: 'Open',
} as const;

/** A column of the table of runs. */
export type RunColumn = keyof typeof columnHeads;

// The keys of the object itself.
export const columnNames = Object.keys(columnHeads) as readonly RunColumn[];

/** A column that can be left out: by the title a run is opened. */
export type SpareColumn = Exclude<RunColumn, 'title'>;

export const spareColumns = columnNames.filter((name): name is SpareColumn => name !== 'title');

/** The runs that are wanted, and their order. */
export interface RunsQuery {
  /** Words that are all in the agent, title, id or status, or were said at once. */
  readonly find: string;
  /** Undefined: of any status. */
  readonly status: string | undefined;
  readonly sort: RunColumn;
  readonly isDescending: boolean;
  /** Columns that are left out, in their order. */
  readonly hidden: readonly SpareColumn[];
}

/** The opening order of the table: who waits for a person, then who is at work, then the newest. */
export const openingQuery: RunsQuery = {
  find: '',
  status: undefined,
  sort: 'status',
  isDescending: false,
  hidden: [],
};

export const WAITS = 'waits for you';
/** The status of a run whose process is gone before its end. */
export const INTERRUPTED = 'interrupted';
/** The status of a run that was entered, and that no process has executed yet. */
export const QUEUED = 'queued';
/** The status of a run that was shown as it went on, until its process ended. */
export const PROCESS_ENDED = 'process ended';

/** A run's status for people: one that cannot go on without them says so. What an interrupted run waits for can be answered once it is resumed. */
export const rowStatus = ({ requests = 0, status, isLive }: RunRow): string =>
  requests > 0 && status !== INTERRUPTED ? WAITS : (status ?? (isLive ? 'running' : 'over'));

/** Statuses in the order in which they want attention. */
const attention = [
  WAITS,
  'paused',
  'running',
  'waiting',
  QUEUED,
  INTERRUPTED,
  PROCESS_ENDED,
  'failed',
  'stopped',
  'aborted',
  'completed',
];

const rankOf = (row: RunRow): number => {
  const rank = attention.indexOf(rowStatus(row));
  // Runs that are over are shown by their age, however they ended.
  return rank < 0 || rank >= attention.indexOf('failed') ? attention.length : rank;
};

/** The statuses of runs with their counts, in the order of attention. */
export const statusesOf = (rows: readonly RunRow[]): readonly (readonly [string, number])[] => {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(rowStatus(row), (counts.get(rowStatus(row)) ?? 0) + 1);
  const rank = (status: string): number =>
    (attention.indexOf(status) + attention.length + 1) % (attention.length + 1);
  return [...counts].toSorted(([one], [other]) => rank(one) - rank(other));
};

/** The words that are looked for, as they are compared. */
export const wordsIn = (find: string): readonly string[] => find.toLowerCase().split(/\s+/);

/** Checks whether all words that are looked for are in the agent, title, id, status or process of a run. */
export const isNamed = (row: RunRow, words: readonly string[]): boolean => {
  const process = row.process === undefined ? '' : processName(row.process);
  const text = `${row.agent}\n${row.title ?? ''}\n${row.run}\n${rowStatus(row)}\n${process}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

/** The rows that are wanted, in their order; in those of `said`, the words were said. */
export const wantedRows = (
  rows: readonly RunRow[],
  query: RunsQuery,
  said: ReadonlyMap<string, unknown> = new Map(),
): readonly RunRow[] => {
  const words = wordsIn(query.find);
  const isWanted = (row: RunRow): boolean => {
    if (query.status !== undefined && rowStatus(row) !== query.status) return false;
    return (row.source !== 'file' && said.has(row.run)) || isNamed(row, words);
  };
  return rows.filter(isWanted).toSorted(orderOf(query));
};

const orderOf = ({ sort, isDescending }: RunsQuery) => {
  const turn = isDescending ? -1 : 1;
  return (one: RunRow, other: RunRow): number => {
    const [first, second] = [valueOf(one, sort), valueOf(other, sort)];
    // What is not known is last, in either direction.
    if (first === undefined || second === undefined)
      return Number(first === undefined) - Number(second === undefined) || newestFirst(one, other);
    const order = typeof first === 'string' ? first.localeCompare(String(second)) : first - Number(second);
    return turn * order || newestFirst(one, other);
  };
};

const newestFirst = (one: RunRow, other: RunRow): number =>
  (other.startedAt ?? 0) - (one.startedAt ?? 0) || (one.run < other.run ? -1 : 1);

const valueOf = (row: RunRow, column: RunColumn): string | number | undefined => {
  switch (column) {
    case 'status':
      return rankOf(row);
    case 'agent':
      return row.agent;
    case 'title':
      return row.title ?? '';
    case 'begun':
      return row.startedAt;
    case 'duration':
      return row.durationMs;
    case 'tokens':
      return row.tokens;
    case 'cost':
      return row.costUsd;
    case 'errors':
      return row.errors;
    case 'requests':
      return row.requests;
  }
};

/** Columns in which one looks for much: their first order is descending. */
const numbers: ReadonlySet<RunColumn> = new Set([
  'begun',
  'duration',
  'tokens',
  'cost',
  'errors',
  'requests',
]);

/** The query with another order: the same column again turns it round. */
export const turnOrder = (query: RunsQuery, sort: RunColumn): RunsQuery => ({
  ...query,
  sort,
  isDescending: query.sort === sort ? !query.isDescending : numbers.has(sort),
});

/** The query with a column shown that was left out, or the other way round. */
export const turnColumn = (query: RunsQuery, column: SpareColumn): RunsQuery => ({
  ...query,
  hidden: spareColumns.filter((name) => query.hidden.includes(name) !== (name === column)),
});

const isColumn = (name: string): name is RunColumn => Object.hasOwn(columnHeads, name);

/** A query as the fields of an address. */
export const queryText = ({
  find,
  status,
  sort,
  isDescending,
  hidden,
}: RunsQuery): readonly (readonly [string, string | undefined])[] => {
  return [
    ['find', find === '' ? undefined : find],
    ['status', status],
    ['sort', orderText({ sort, isDescending }, openingQuery)],
    ['hide', hidden.length === 0 ? undefined : hidden.join(',')],
  ];
};

/** Reads what {@link queryText} has written; what is nothing is left out. */
export const queryOf = (said: URLSearchParams): RunsQuery => {
  const order = readOrder(said.get('sort'), isColumn);
  const status = said.get('status') ?? undefined;
  const left = (said.get('hide') ?? '').split(',');
  const hidden = spareColumns.filter((name) => left.includes(name));
  return { ...openingQuery, find: said.get('find') ?? '', status, ...order, hidden };
};

/** Checks whether two queries show the same. */
export const isSameQuery = (one: RunsQuery, other: RunsQuery): boolean =>
  JSON.stringify(queryText(one)) === JSON.stringify(queryText(other));
