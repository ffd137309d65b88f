import { useMemo, useState } from 'preact/hooks';
import type { Entry } from '../../recording/entry.ts';
import { brief, oneLine } from '../../drawing/plain-text.ts';
import { eventSummary } from '../event-summary.ts';
import { clockOf, countOf, several } from '../figures.ts';
import { markerOf } from '../markers.ts';
import { filter, goTo, recorded, shown } from '../page-state.ts';
import { countBelow } from '../timeline.ts';
import { valueText } from '../transcript.ts';
import { Text } from './text.tsx';
import { VirtualList } from '../list/virtual-list.tsx';

type Published = Extract<Entry, { kind: 'published' }>;

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
    () => publishedRows(timeline.between(timeline.first, length), run, sought.toLowerCase(), onlyErrors),
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

const publishedRows = (
  entries: Iterable<Entry>,
  run: string | undefined,
  sought: string,
  onlyErrors: boolean,
): readonly Published[] => {
  const rows: Published[] = [];
  for (const entry of entries) {
    if (entry.kind !== 'published' || (run !== undefined && entry.event.runId !== run)) continue;
    if (onlyErrors && markerOf(entry)?.kind !== 'error') continue;
    if (sought !== '' && !JSON.stringify(entry.event).toLowerCase().includes(sought)) continue;
    rows.push(entry);
    if (rows.length >= MOST) break;
  }
  return rows;
};

interface RowProps {
  readonly row: Published;
  readonly isChosen: boolean;
  readonly onChoose: (n: number) => void;
}

const Row = ({ row, isChosen, onChoose }: RowProps) => {
  const { n, at, event } = row;
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
      <span class="type">{event.type}</span>
      <bdi class="path">{oneLine(event.path, 60)}</bdi>
      <bdi class="words">{brief(eventSummary(event), 100)}</bdi>
    </div>
  );
};
