import type { ReportKind, WorkProof, WorkRow } from '../../recording/report/work-report.ts';
import { orderText, readOrder } from '../list/table-order.ts';

/** The columns of figures, in their order, with their heads. */
export const figureHeads = {
  name: 'Name',
  count: 'Count',
  p50: 'p50',
  p95: 'p95',
  tokens: 'Tokens',
  cost: 'Cost',
  failed: 'Errors',
  retries: 'Retries',
} as const;

/** A column of figures. */
export type FigureColumn = keyof typeof figureHeads;

// The keys of the object itself.
export const figureColumns = Object.keys(figureHeads) as readonly FigureColumn[];

/** The kinds of work, as their heads say them. */
export const kindHeads: Readonly<Record<ReportKind, string>> = {
  agent: 'Agents',
  tool: 'Tools',
  model: 'Models',
  tenant: 'Tenants',
};

/** The figures that are shown, and their order. */
export interface MonitorQuery {
  readonly by: ReportKind;
  readonly sort: FigureColumn;
  readonly isDescending: boolean;
}

/** The slowest agents first. */
export const openingMonitor: MonitorQuery = { by: 'agent', sort: 'p95', isDescending: true };

/** The questions that the figures answer, by the column that answers them. */
export const questions = [
  ['p95', 'What is slow'],
  ['cost', 'What is dear'],
  ['failed', 'What fails'],
] as const satisfies readonly (readonly [FigureColumn, string])[];

/** The rows of a kind, in their order. */
export const figureRows = (
  rows: readonly WorkRow[],
  { by, sort, isDescending }: MonitorQuery,
): readonly WorkRow[] => {
  const turn = isDescending ? -1 : 1;
  return rows
    .filter(({ kind }) => kind === by)
    .toSorted((one, other) => turn * compare(one, other, sort) || one.name.localeCompare(other.name));
};

const compare = (one: WorkRow, other: WorkRow, sort: FigureColumn): number =>
  sort === 'name' ? one.name.localeCompare(other.name) : figureOf(one, sort) - figureOf(other, sort);

const figureOf = (row: WorkRow, column: Exclude<FigureColumn, 'name'>): number =>
  column === 'cost' ? row.costUsd : row[column];

/** The runs that stand behind the figure that a table is ordered by; by default the slowest. */
export const proofsOf = (row: WorkRow, { sort }: MonitorQuery): readonly WorkProof[] => {
  if (sort === 'cost' || sort === 'tokens') return row.dearest;
  return sort === 'failed' || sort === 'retries' ? row.failing : row.slowest;
};

/** The query with another order: the same column again turns it round. */
export const turnFigures = (query: MonitorQuery, sort: FigureColumn): MonitorQuery => ({
  ...query,
  sort,
  isDescending: query.sort === sort ? !query.isDescending : sort !== 'name',
});

const isColumn = (name: string): name is FigureColumn => Object.hasOwn(figureHeads, name);
const isKind = (name: string): name is ReportKind => Object.hasOwn(kindHeads, name);

/** A query as the fields of an address. */
export const monitorText = ({
  by,
  sort,
  isDescending,
}: MonitorQuery): readonly (readonly [string, string | undefined])[] => {
  return [
    ['by', by === openingMonitor.by ? undefined : by],
    ['sort', orderText({ sort, isDescending }, openingMonitor)],
  ];
};

/** Reads what {@link monitorText} has written; what is nothing is left out. */
export const monitorOf = (said: URLSearchParams): MonitorQuery => {
  const by = said.get('by') ?? '';
  return { ...openingMonitor, ...(isKind(by) ? { by } : {}), ...readOrder(said.get('sort'), isColumn) };
};
