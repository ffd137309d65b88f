import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { brief, oneLine, plain } from '../../drawing/plain-text.ts';
import { forkPlace } from '../change/change.ts';
import { countOf, moneyOf, spanOf } from '../figures.ts';
import { currentRun } from '../page-state.ts';
import type { RunRow } from '../session.ts';
import { processName } from '../session.ts';
import { runsQuery, wantedWords } from '../state/home.ts';
import { ChooseRun } from '../compare/choose-run.tsx';
import { chooseToCompare, runKeyOf } from '../compare/chosen-runs.ts';
import { hashOf, keyText, openingRoute } from '../state/route.ts';
import { dayOf } from './day-of.ts';
import type { RunColumn } from './runs-query.ts';
import {
  columnHeads,
  INTERRUPTED,
  isNamed,
  PROCESS_ENDED,
  QUEUED,
  rowStatus,
  turnOrder,
  WAITS,
} from './runs-query.ts';
import { saidFound } from './said-feed.ts';

interface Column {
  readonly name: RunColumn;
  /** As a track of a grid. */
  readonly width: string;
  readonly cell: (row: RunRow) => ComponentChildren;
}

const number = (value: number | undefined, words: (value: number) => string): string =>
  value === undefined ? '–' : words(value);

const addressOf = (row: RunRow): string => hashOf({ ...openingRoute, ...runKeyOf(row) });

/** A file may be of a run that is here, too. */
const keyOf = (row: Pick<RunRow, 'run' | 'source'>): string => keyText(runKeyOf(row));

const columns: readonly Column[] = [
  { name: 'status', width: '168px', cell: (row) => <Status row={row} /> },
  { name: 'agent', width: 'minmax(80px, 0.6fr)', cell: ({ agent }) => <bdi>{oneLine(agent, 60)}</bdi> },
  {
    name: 'title',
    width: 'minmax(120px, 2fr)',
    cell: (row) => (
      <>
        {/* The whole row is reached by the keyboard. */}
        <a href={addressOf(row)} tabIndex={-1} title={plain(row.run)}>
          <bdi>
            {row.title === undefined || row.title === '' ? oneLine(row.run, 80) : brief(row.title, 160)}
          </bdi>
        </a>
        {row.fork !== undefined && (
          <span class="forked">
            fork of <bdi>{oneLine(row.fork.runId, 40)}</bdi>
            {forkPlace(row.fork)}
          </span>
        )}
        {row.process !== undefined && (
          <span class="forked" title={row.process.isOver ? 'Its process has ended' : 'Its process'}>
            <bdi>{processName(row.process)}</bdi>
          </span>
        )}
        <Said row={row} />
      </>
    ),
  },
  { name: 'begun', width: '128px', cell: ({ startedAt = 0 }) => (startedAt > 0 ? dayOf(startedAt) : '–') },
  { name: 'duration', width: '92px', cell: ({ durationMs }) => number(durationMs, spanOf) },
  { name: 'tokens', width: '82px', cell: ({ tokens }) => number(tokens, countOf) },
  { name: 'cost', width: '76px', cell: ({ costUsd }) => number(costUsd, moneyOf) },
  { name: 'errors', width: '62px', cell: ({ errors }) => number(errors, countOf) },
  { name: 'requests', width: '54px', cell: ({ requests }) => number(requests, countOf) },
];

/** Columns for which a window of the second width has no room. */
const spacious: ReadonlySet<RunColumn> = new Set(['duration', 'tokens']);

type Width = 'narrow' | 'medium' | 'wide';

const widthOf = (px: number): Width => (px < 700 ? 'narrow' : px < 1080 ? 'medium' : 'wide');

const shownColumns = (hidden: readonly RunColumn[], width: Width): readonly Column[] =>
  columns.filter(({ name }) => !hidden.includes(name) && !(width === 'medium' && spacious.has(name)));

/** An excerpt with the words that are looked for, unless they stand in the row. */
const Said = ({ row }: { readonly row: RunRow }) => {
  const said = saidFound.value.runs.get(row.run);
  if (said === undefined || row.source === 'file' || isNamed(row, wantedWords.value)) return null;
  return (
    <q class="said">
      <bdi>{oneLine(said.who, 40)}</bdi>: <bdi>{oneLine(said.text, 240)}</bdi>
    </q>
  );
};

const tones = [
  'completed',
  'failed',
  'paused',
  'waiting',
  'stopped',
  'aborted',
  QUEUED,
  INTERRUPTED,
  PROCESS_ENDED,
];

const Status = ({ row }: { readonly row: RunRow }) => {
  const status = rowStatus(row);
  const tone = status === WAITS ? 'waits' : (tones.find((each) => each === status) ?? '');
  return (
    <span class={`pill ${row.isLive ? 'live' : 'over'} ${tone}`}>
      {oneLine(status, 24)}
      {status === INTERRUPTED && ' · resume it'}
      {status === QUEUED && ` for ${spanOf(Math.max(0, Date.now() - (row.startedAt ?? Date.now())))}`}
    </span>
  );
};

/** The track of the boxes that choose runs to compare. */
const CHOICE = '24px';
const WIDE = 36;
/** The height of a row of three lines, for windows in which the columns do not fit. */
const NARROW = 88;
const AROUND = 6;

interface Size {
  readonly height: number;
  readonly width: Width;
}

/** A table of runs: only the rows in sight are there. It is a single stop of the tab key; arrows choose, Enter opens, space marks a run to be compared. */
export const RunsTable = ({ rows }: { readonly rows: readonly RunRow[] }) => {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [{ height, width }, setSize] = useState<Size>({ height: 600, width: 'wide' });
  const rowHeight = width === 'narrow' ? NARROW : WIDE;
  const [chosen, setChosen] = useState(() => {
    const current = currentRun.peek();
    return current === undefined ? undefined : keyOf(current);
  });
  const at = Math.max(
    0,
    rows.findIndex((row) => keyOf(row) === chosen),
  );
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = (): void => {
      setSize({ height: element.clientHeight, width: widthOf(element.clientWidth) });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => {
      observer.disconnect();
    };
  }, []);
  const query = runsQuery.value;
  const isOpening = useRef(true);
  useLayoutEffect(() => {
    // Who comes back sees the row that they left by; another order begins at its beginning.
    if (isOpening.current && chosen !== undefined) choose(at);
    else if (!isOpening.current) box.current?.scrollTo({ top: 0 });
    isOpening.current = false;
  }, [query]);
  const choose = (index: number): void => {
    const element = box.current;
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (element === null || row === undefined) return;
    setChosen(keyOf(row));
    // The head stands above the rows.
    const head = element.firstElementChild?.clientHeight ?? 0;
    const from = rows.indexOf(row) * rowHeight;
    if (from < element.scrollTop) element.scrollTop = from;
    else if (from + rowHeight > element.scrollTop + element.clientHeight - head)
      element.scrollTop = from + rowHeight - element.clientHeight + head;
  };
  const shown = shownColumns(query.hidden, width);
  const page = Math.max(1, Math.floor(height / rowHeight) - 2);
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: rows.length - 1,
  };
  const first = Math.max(0, Math.min(Math.floor(top / rowHeight), rows.length) - AROUND);
  const last = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + AROUND);
  return (
    <div
      ref={box}
      class={`scroll runs-table ${width}`}
      style={{ '--columns': [CHOICE, ...shown.map((each) => each.width)].join(' ') }}
      role="grid"
      aria-label="Runs"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={at >= first && at < last ? `run-${at}` : undefined}
      tabIndex={0}
      onScroll={({ currentTarget }) => {
        setTop(currentTarget.scrollTop);
      }}
      onKeyDown={(event) => {
        const row = rows[at];
        if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
        const next = steps[event.key];
        if (event.key === 'Enter' && row !== undefined) location.hash = addressOf(row);
        else if (event.key === ' ' && row !== undefined) chooseToCompare(runKeyOf(row));
        else if (next !== undefined) choose(next);
        else return;
        event.preventDefault();
      }}
    >
      <Head columns={shown} />
      <div style={{ height: `${rows.length * rowHeight}px` }} role="presentation">
        <div style={{ transform: `translateY(${first * rowHeight}px)` }} role="rowgroup">
          {rows.slice(first, last).map((row, index) => (
            <Row
              key={keyOf(row)}
              row={row}
              index={first + index}
              isChosen={first + index === at}
              columns={shown}
            />
          ))}
        </div>
      </div>
    </div>
  );
};

const Head = ({ columns: shown }: { readonly columns: readonly Column[] }) => {
  const { sort, isDescending } = runsQuery.value;
  return (
    <div class="runs-head" role="rowgroup">
      <div class="run-row" role="row" aria-rowindex={1}>
        <span role="columnheader" data-column="choose">
          <span class="unseen">Compare</span>
        </span>
        {shown.map(({ name }) => (
          <span
            key={name}
            role="columnheader"
            data-column={name}
            aria-sort={sort === name ? (isDescending ? 'descending' : 'ascending') : 'none'}
          >
            <button
              type="button"
              onClick={() => {
                runsQuery.value = turnOrder(runsQuery.peek(), name);
              }}
            >
              {columnHeads[name]}
              {sort === name && <span aria-hidden="true">{isDescending ? ' ↓' : ' ↑'}</span>}
            </button>
          </span>
        ))}
      </div>
    </div>
  );
};

interface RowProps {
  readonly row: RunRow;
  readonly index: number;
  readonly isChosen: boolean;
  readonly columns: readonly Column[];
}

const Row = ({ row, index, isChosen, columns: shown }: RowProps) => (
  <div
    id={`run-${index}`}
    class={`run-row ${isChosen ? 'chosen' : ''} ${(row.errors ?? 0) > 0 ? 'erring' : ''}`}
    role="row"
    aria-rowindex={index + 2}
    aria-selected={isChosen}
    onClick={(event) => {
      // A click on the link is the browser's, as one that opens another tab; one beside the box is meant for it.
      if (event.target instanceof Element && event.target.closest('a, label') !== null) return;
      location.hash = addressOf(row);
    }}
  >
    <span role="gridcell" data-column="choose">
      <ChooseRun row={row} />
    </span>
    {shown.map(({ name, cell }) => (
      <span key={name} role="gridcell" data-column={name}>
        {cell(row)}
      </span>
    ))}
  </div>
);
