import { oneLine, plain } from '../../drawing/plain-text.ts';
import type { WorkProof, WorkRow } from '../../recording/report/work-report.ts';
import { countOf, moneyOf, several, spanOf } from '../figures.ts';
import type { MiddleView } from '../page-state.ts';
import { monitorQuery } from '../state/home.ts';
import { hashOf, openingRoute } from '../state/route.ts';
import type { FigureColumn, MonitorQuery } from './monitor-query.ts';
import { figureColumns, figureHeads, proofsOf, turnFigures } from './monitor-query.ts';

/** Figures by name, in an order that a click on a head turns. */
export const FigureTable = ({ rows }: { readonly rows: readonly WorkRow[] }) => {
  const query = monitorQuery.value;
  return (
    <table class="figures">
      <thead>
        <tr>
          {figureColumns.map((column) => (
            <Head key={column} column={column} query={query} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            {figureColumns.map((column) =>
              column === 'name' ? (
                <th key={column} scope="row" data-column="name">
                  <bdi>{oneLine(row.name, 80)}</bdi>
                  <Proofs row={row} query={query} />
                </th>
              ) : (
                <td key={column} data-column={column} class={isBad(row, column) ? 'bad' : ''}>
                  {cellOf(row, column)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const Head = ({ column, query }: { readonly column: FigureColumn; readonly query: MonitorQuery }) => {
  const isSorted = query.sort === column;
  return (
    <th
      scope="col"
      data-column={column}
      aria-sort={isSorted ? (query.isDescending ? 'descending' : 'ascending') : 'none'}
    >
      <button
        type="button"
        onClick={() => {
          monitorQuery.value = turnFigures(monitorQuery.peek(), column);
        }}
      >
        {figureHeads[column]}
        {isSorted && <span aria-hidden="true">{query.isDescending ? ' ↓' : ' ↑'}</span>}
      </button>
    </th>
  );
};

const isBad = ({ failed }: WorkRow, column: FigureColumn): boolean => column === 'failed' && failed > 0;

const cellOf = (row: WorkRow, column: Exclude<FigureColumn, 'name'>): string => {
  switch (column) {
    case 'count':
      return countOf(row.count);
    case 'p50':
    case 'p95':
      return row.count === 0 ? '–' : spanOf(row[column]);
    case 'tokens':
      return row.kind === 'tool' ? '–' : countOf(row.tokens);
    case 'cost':
      return costOf(row);
    case 'failed':
    case 'retries':
      return row[column] === 0 ? '0' : `${countOf(row[column])} · ${partOf(row[column], row.count)}`;
  }
};

/** A cost that is known in part says so. */
const costOf = ({ kind, costUsd, unpriced }: WorkRow): string => {
  if (kind === 'tool' || (costUsd === 0 && unpriced > 0)) return '–';
  return unpriced > 0 ? `≥ ${moneyOf(costUsd)}` : moneyOf(costUsd);
};

const partOf = (count: number, all: number): string => {
  const percent = all === 0 ? 100 : (100 * count) / all;
  return percent < 1 ? '<1 %' : `${Math.round(percent)} %`;
};

/** Links into the runs that stand behind the figure of the order. */
const Proofs = ({ row, query }: { readonly row: WorkRow; readonly query: MonitorQuery }) => {
  const proofs = proofsOf(row, query);
  if (proofs.length === 0) return null;
  const { view, words } = proofKind(query.sort);
  return (
    <span class="proofs">
      {proofs.map((proof) => (
        <a
          key={proof.run}
          href={hashOf({ ...openingRoute, run: proof.run, view, event: proof.seq })}
          title={plain(proof.run)}
        >
          {words(proof)} in <bdi>{oneLine(proof.run, 24)}</bdi>
        </a>
      ))}
    </span>
  );
};

interface ProofKind {
  readonly view: MiddleView;
  readonly words: (proof: WorkProof) => string;
}

const proofKind = (sort: FigureColumn): ProofKind => {
  if (sort === 'cost' || sort === 'tokens') return { view: 'cost', words: ({ value }) => moneyOf(value) };
  if (sort === 'failed' || sort === 'retries')
    return { view: 'errors', words: ({ value }) => several(value, 'error') };
  return { view: 'time', words: ({ value }) => spanOf(value) };
};
