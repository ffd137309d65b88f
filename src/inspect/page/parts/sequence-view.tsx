import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { clockOf, countOf, several } from '../figures.ts';
import { filter, goTo, pointedAt, recorded, selected, shown } from '../page-state.ts';
import { oneLine } from '../../drawing/plain-text.ts';
import type { Lane, SequenceRow } from '../../recording/sequence.ts';
import { lanesOf, rowsAbout, rowsOfRun } from '../../recording/sequence.ts';
import { countBelow } from '../timeline.ts';
import { Icon } from './icon.tsx';

const LANE = 140;
/** Width reserved for times. */
const GUTTER = 96;
const ROW = 34;
const AROUND = 4;

/** The sequence diagram of messages and calls. */
export const SequenceView = () => {
  const [isWhole, setWhole] = useState(true);
  const { sequence } = recorded.value;
  const { length } = shown.value;
  const chosen = selected.value;
  const { run } = filter.value;
  const { rows, lanes } = useMemo(() => {
    const past = sequence.rows.slice(0, countOfRows(sequence.rows, length));
    const ofRun = run === undefined ? past : rowsOfRun(past, sequence.lanes, run);
    const about = isWhole || chosen === undefined ? ofRun : rowsAbout(ofRun, chosen);
    return { rows: about, lanes: lanesOf(about, sequence.lanes) };
  }, [sequence, sequence.rows.length, sequence.rows.at(-1)?.label, length, isWhole, chosen, run]);
  return (
    <div class="sequence">
      <div class="strip">
        <div class="segments" role="group" aria-label="What is shown">
          <button
            type="button"
            aria-pressed={isWhole}
            onClick={() => {
              setWhole(true);
            }}
          >
            Everybody
          </button>
          <button
            type="button"
            aria-pressed={!isWhole}
            onClick={() => {
              setWhole(false);
            }}
          >
            Selected actor
          </button>
        </div>
        <span class="count">
          {several(rows.length, 'message')} between {countOf(lanes.length)}
        </span>
      </div>
      {rows.length === 0 ? (
        <p class="empty">No messages yet.</p>
      ) : (
        // Remounted for other content, so that it scrolls to its own end.
        <Lanes key={`${run ?? ''} ${isWhole ? '' : (chosen ?? '')}`} rows={rows} lanes={lanes} />
      )}
    </div>
  );
};

const countOfRows = (rows: readonly SequenceRow[], length: number): number => {
  if ((rows.at(-1)?.n ?? 0) < length) return rows.length;
  return countBelow(
    rows.map(({ n }) => n),
    length,
  );
};

const Lanes = ({
  rows,
  lanes,
}: {
  readonly rows: readonly SequenceRow[];
  readonly lanes: readonly Lane[];
}) => {
  const places = useMemo(() => new Map(lanes.map(({ id }, index) => [id, index])), [lanes]);
  const x = (id: string): number => GUTTER + (places.get(id) ?? 0) * LANE + LANE / 2;
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState({ top: 0, left: 0, width: 700, height: 500 });
  const isAtEnd = useRef(true);
  const look = (): void => {
    const element = box.current;
    if (element === null) return;
    const { scrollTop: top, scrollLeft: left, clientWidth: width, clientHeight: height } = element;
    isAtEnd.current = top + height >= element.scrollHeight - ROW;
    setAt({ top, left, width, height });
  };
  useLayoutEffect(() => {
    const element = box.current;
    const row = rows.at(-1);
    if (element === null || row === undefined) return;
    // Opens at the last row, scrolled to its lanes.
    const left = Math.min(x(row.from), x(row.to)) - LANE / 2 - GUTTER;
    const right = Math.max(x(row.from), x(row.to)) + LANE / 2;
    // If both do not fit, the left one is visible.
    element.scrollLeft =
      right <= element.clientWidth ? 0 : Math.max(0, Math.min(left, right - element.clientWidth));
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    // Follows new rows, unless somebody has scrolled back.
    if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    look();
  }, [rows.length]);
  const first = Math.max(0, Math.floor(at.top / ROW) - AROUND);
  const last = Math.min(rows.length, Math.ceil((at.top + at.height) / ROW) + AROUND);
  const laneFrom = Math.max(0, Math.floor((at.left - GUTTER) / LANE) - 1);
  const laneTo = Math.min(lanes.length, Math.ceil((at.left + at.width) / LANE) + 1);
  const inSight = lanes.slice(laneFrom, laneTo);
  const width = GUTTER + lanes.length * LANE;
  return (
    <div ref={box} class="scroll lanes" role="region" aria-label="Messages" tabIndex={0} onScroll={look}>
      <div class="lane-heads" style={{ width: `${width}px` }}>
        {inSight.map((lane, index) => (
          <div
            key={lane.id}
            class={`lane-head ${lane.actor === selected.value ? 'selected' : ''}`}
            style={{ left: `${GUTTER + (laneFrom + index) * LANE}px`, width: `${LANE}px` }}
          >
            <span class={`role ${lane.role}`}>
              <Icon name={lane.role} size={14} />
            </span>
            <bdi title={oneLine(lane.id, 300)}>{oneLine(lane.name, 40)}</bdi>
          </div>
        ))}
      </div>
      <svg width={width} height={rows.length * ROW + 20} class="rows">
        {inSight.map(({ id }) => (
          <line
            key={id}
            class="lane"
            x1={x(id)}
            x2={x(id)}
            y1={first * ROW}
            y2={Math.min(last * ROW + 20, rows.length * ROW + 20)}
          />
        ))}
        {rows.slice(first, last).map((row, index) => (
          <RowDrawing
            key={row.n}
            row={row}
            y={(first + index) * ROW + 24}
            from={x(row.from)}
            to={x(row.to)}
            sight={[at.left + GUTTER, at.left + at.width]}
          />
        ))}
        <rect class="gutter" x={at.left} y={0} width={GUTTER} height={rows.length * ROW + 20} />
        {rows.slice(first, last).map((row, index) => (
          <text key={row.n} class="when" x={at.left + 8} y={(first + index) * ROW + 28}>
            {clockOf(row.at)}
          </text>
        ))}
      </svg>
    </div>
  );
};

interface RowProps {
  readonly row: SequenceRow;
  readonly y: number;
  readonly from: number;
  readonly to: number;
  /** The visible part of the width: labels stay in it, wherever their line starts. */
  readonly sight: readonly [from: number, to: number];
}

const RowDrawing = ({ row, y, from, to, sight }: RowProps) => {
  const [left, right] = [Math.max(Math.min(from, to), sight[0]), Math.min(Math.max(from, to), sight[1])];
  if (left > right) return null;
  const side = to >= from ? -1 : 1;
  const isSelf = from === to;
  const line = isSelf ? `M${from} ${y - 6}h26v10h-20` : `M${from} ${y}H${to + side * 2}`;
  const tip = isSelf ? from + 4 : to;
  const head = isSelf ? `M${tip} ${y + 4}l7 -3.500v7Z` : `M${tip} ${y}l${side * 7} -3.500v7Z`;
  const room = isSelf ? 22 : Math.max(3, Math.floor((right - left) / 5.6) - 2);
  return (
    <g
      class={`said ${row.kind}`}
      onClick={() => {
        goTo(row.n + 1);
        pointedAt.value = undefined;
      }}
    >
      <title>{`${clockOf(row.at)} ${row.kind}: ${row.text ?? row.label}`}</title>
      <path class="way" d={line} />
      <path class="head" d={head} />
      <text x={isSelf ? from + 34 : (left + right) / 2} y={y - 6} text-anchor={isSelf ? 'start' : 'middle'}>
        {oneLine(row.label, room)}
      </text>
    </g>
  );
};
