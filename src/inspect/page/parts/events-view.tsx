import { useMemo, useState } from 'preact/hooks';
import type { Entry } from '../../recording/entry.ts';
import { brief, oneLine } from '../../drawing/plain-text.ts';
import { eventSummary } from '../event-summary.ts';
import { clockOf, countOf, several } from '../figures.ts';
import { markerOf } from '../markers.ts';
import { filter, goTo, recorded, shown } from '../page-state.ts';
import { resumedWords } from '../folds/resumptions.ts';
import type { Timeline } from '../timeline.ts';
import { countBelow } from '../timeline.ts';
import { valueText } from '../transcript.ts';
import { Text } from './text.tsx';
import { VirtualList } from '../list/virtual-list.tsx';

/** The listed entries: events, and where another process had resumed a run. */
type Listed = Extract<Entry, { kind: 'published' | 'resumed' }>;

const ROW = 24;
/** The most rows that are listed. */
const MOST = 20_000;

/** The events of the run, by text or only failures, each with its data. */
export const EventsView = () => {
  const [sought, setSought] = useState('');
  const [onlyErrors, setOnlyErrors] = useState(false);
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const { timeline } = recorded.value;
  const { length } = shown.value;
  const { run } = filter.value;
  const rows = useMemo(
    () => listedRows(timeline, { length, run, sought: sought.toLowerCase(), onlyErrors }),
    [timeline, length, run, sought, onlyErrors],
  );
  const here = countBelow(
    rows.map(({ n }) => n),
    length,
  );
  const entry = chosen === undefined ? undefined : timeline.entry(chosen);
  return (
    <div class="events">
      <div class="strip">
        <input
          type="search"
          aria-label="Filter events"
          placeholder="Filter"
          value={sought}
          onInput={({ currentTarget }) => {
            setSought(currentTarget.value);
          }}
        />
        <label>
          <input
            type="checkbox"
            checked={onlyErrors}
            onChange={({ currentTarget }) => {
              setOnlyErrors(currentTarget.checked);
            }}
          />
          only errors
        </label>
        <span class="count">{several(rows.length, 'event')}</span>
      </div>
      <VirtualList
        count={rows.length}
        rowHeight={ROW}
        role="list"
        label="Events"
        inSight={here - 1}
        render={(index) => {
          const row = rows[index];
          return row && <Row key={row.n} row={row} isChosen={row.n === chosen} onChoose={setChosen} />;
        }}
      />
      {entry?.kind === 'published' && (
        <pre class="whole scroll" tabIndex={0}>
          <Text value={valueText(entry.event)} most={4_000} />
        </pre>
      )}
    </div>
  );
};

interface Wanted {
  readonly length: number;
  readonly run: string | undefined;
  readonly sought: string;
  readonly onlyErrors: boolean;
}

const listedRows = (timeline: Timeline, { length, run, sought, onlyErrors }: Wanted): readonly Listed[] => {
  const rows: Listed[] = [];
  for (const entry of timeline.between(timeline.first, length)) {
    if (entry.kind !== 'published' && entry.kind !== 'resumed') continue;
    if (run !== undefined && timeline.runOf(entry) !== run) continue;
    if (onlyErrors && markerOf(entry)?.kind !== 'error') continue;
    if (sought !== '' && !textOf(entry).toLowerCase().includes(sought)) continue;
    rows.push(entry);
    if (rows.length >= MOST) break;
  }
  return rows;
};

const textOf = (entry: Listed): string =>
  entry.kind === 'published' ? JSON.stringify(entry.event) : `resumed ${resumedWords(entry)}`;

/** The type of a row, the address that it is about, and its words. */
const partsOf = (row: Listed): readonly [type: string, path: string, words: unknown] =>
  row.kind === 'published'
    ? [row.event.type, row.event.path, eventSummary(row.event)]
    : ['resumed', row.actor.slice(row.actor.lastIndexOf('/') + 1), resumedWords(row)];

interface RowProps {
  readonly row: Listed;
  readonly isChosen: boolean;
  readonly onChoose: (n: number) => void;
}

const Row = ({ row, isChosen, onChoose }: RowProps) => {
  const { n, at } = row;
  const [type, path, words] = partsOf(row);
  const isError = markerOf(row)?.kind === 'error';
  return (
    <div
      class={`line ${isError ? 'error' : ''} ${isChosen ? 'chosen' : ''}`}
      role="listitem"
      style={{ height: `${ROW}px` }}
      onClick={() => {
        onChoose(n);
      }}
    >
      <button
        type="button"
        class="when"
        title={`Go to entry ${countOf(n)}`}
        onClick={() => {
          goTo(n + 1);
        }}
      >
        {clockOf(at)}
      </button>
      <span class="type">{type}</span>
      <bdi class="path">{oneLine(path, 60)}</bdi>
      <bdi class="words">{brief(words, 100)}</bdi>
    </div>
  );
};
