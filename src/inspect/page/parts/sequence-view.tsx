import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { countOf, several } from '../figures.ts';
import { goTo, pointedAt, recorded, selected, shown } from '../page-state.ts';
import { oneLine } from '../../drawing/plain-text.ts';
import type { Lane, SequenceRow } from '../sequence.ts';
import { lanesOf, rowsAbout } from '../sequence.ts';
import { countBelow } from '../timeline.ts';
import { Icon } from './icon.tsx';

const LANE = 140;
const ROW = 34;
const AROUND = 4;

/** Who says what to whom. */
export const SequenceView = () => {
  const [isWhole, setWhole] = useState(true);
  const { sequence } = recorded.value;
  const { length } = shown.value;
  const chosen = selected.value;
  const { rows, lanes } = useMemo(() => {
    const past = sequence.rows.slice(0, countOfRows(sequence.rows, length));
    const about = isWhole || chosen === undefined ? past : rowsAbout(past, chosen);
    return { rows: about, lanes: lanesOf(about, sequence.lanes) };
  }, [sequence, sequence.rows.length, length, isWhole, chosen]);
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
        <p class="empty">Nobody has said anything yet.</p>
      ) : (
        <Lanes rows={rows} lanes={lanes} />
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
    if (element === null) return;
    // What is new is seen, unless somebody looks at what is old.
    if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    look();
  }, [rows.length]);
  const places = useMemo(() => new Map(lanes.map(({ id }, index) => [id, index])), [lanes]);
  const x = (id: string): number => (places.get(id) ?? 0) * LANE + LANE / 2;
  const first = Math.max(0, Math.floor(at.top / ROW) - AROUND);
  const last = Math.min(rows.length, Math.ceil((at.top + at.height) / ROW) + AROUND);
  const laneFrom = Math.max(0, Math.floor(at.left / LANE) - 1);
  const laneTo = Math.min(lanes.length, Math.ceil((at.left + at.width) / LANE) + 1);
  const inSight = lanes.slice(laneFrom, laneTo);
  const width = Math.max(lanes.length * LANE, 1);
  return (
    <div ref={box} class="scroll lanes" role="region" aria-label="Messages" tabIndex={0} onScroll={look}>
      <div class="lane-heads" style={{ width: `${width}px` }}>
        {inSight.map((lane, index) => (
          <div
            key={lane.id}
            class={`lane-head ${lane.actor === selected.value ? 'selected' : ''}`}
            style={{ left: `${(laneFrom + index) * LANE}px`, width: `${LANE}px` }}
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
            sight={[at.left, at.left + at.width]}
          />
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
  /** What of the width is in sight: texts are there, wherever their line begins. */
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
      <title>{`${row.kind}: ${row.label}`}</title>
      <path class="way" d={line} />
      <path class="head" d={head} />
      <text x={isSelf ? from + 34 : (left + right) / 2} y={y - 6} text-anchor={isSelf ? 'start' : 'middle'}>
        {oneLine(row.label, room)}
      </text>
    </g>
  );
};
