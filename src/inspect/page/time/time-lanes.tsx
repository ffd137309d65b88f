import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { oneLine, plain } from '../../drawing/plain-text.ts';
import { countOf, spanOf } from '../figures.ts';
import { select, selected } from '../page-state.ts';
import { Icon } from '../parts/icon.tsx';
import { theme } from '../theme.ts';
import { drawLanes, LANE, placeIn, rowIn } from './draw-lanes.ts';
import { goToSpan, goToTime } from './go-to.ts';
import type { Extent, Lane } from './lanes.ts';
import { ticksOf } from './lanes.ts';

/** Width of the names. */
const NAMES = 150;

interface LanesProps {
  readonly lanes: readonly Lane[];
  readonly extent: Extent;
  readonly whole: Extent;
  readonly now: number;
  readonly here: number;
  readonly chosen: number | undefined;
  readonly onZoom: (factor: number, around: number) => void;
  readonly onShift: (part: number) => void;
}

const AROUND = 4;
/** Width of a time on the axis. */
const LABEL = 50;

/** The lanes: a picture of what is in the list, beside the names of the agents. */
export const TimeLanes = ({ lanes, extent, whole, now, here, chosen, onZoom, onShift }: LanesProps) => {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 600, height: 300, top: 0 });
  const look = (): void => {
    const element = box.current;
    if (element === null) return;
    const { clientWidth, clientHeight, scrollTop } = element;
    setSize({ width: Math.max(60, clientWidth - NAMES), height: clientHeight, top: scrollTop });
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  const { width, height, top } = size;
  const ticks = ticksOf(extent, whole.from, Math.max(2, Math.floor(width / 90)));
  const scheme = theme.value;
  useLayoutEffect(() => {
    if (canvas.current === null) return;
    const sight = { lanes, extent, now, here, ticks, width, height, top, selected: selected.value, chosen };
    drawLanes(canvas.current, sight);
  }, [lanes, extent.from, extent.to, now, here, width, height, top, selected.value, chosen, scheme]);
  const timeAt = ({ clientX, currentTarget }: MouseEvent & { readonly currentTarget: Element }): number =>
    extent.from +
    ((clientX - currentTarget.getBoundingClientRect().left) / width) * (extent.to - extent.from);
  const first = Math.max(0, Math.floor(top / LANE) - AROUND);
  const last = Math.min(lanes.length, Math.ceil((top + height) / LANE) + AROUND);
  const drags = useRef(false);
  return (
    <>
      <div
        class="axis"
        aria-hidden="true"
        style={{ marginInlineStart: `${NAMES}px` }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drags.current = true;
          goToTime(timeAt(event));
        }}
        onPointerMove={(event) => {
          if (drags.current) goToTime(timeAt(event));
        }}
        onPointerUp={() => {
          drags.current = false;
        }}
      >
        {ticks
          .filter((tick) => placeIn(extent, width, tick) < width - LABEL)
          .map((tick) => (
            <span key={tick} style={{ left: `${placeIn(extent, width, tick).toFixed(1)}px` }}>
              {tick === whole.from ? '0' : spanOf(tick - whole.from)}
            </span>
          ))}
      </div>
      <div ref={box} class="time-lanes scroll" onScroll={look}>
        <div class="tall" style={{ height: `${lanes.length * LANE}px` }}>
          <canvas
            ref={canvas}
            aria-hidden="true"
            style={{ width: `${width}px`, height: `${height}px`, marginLeft: `${NAMES}px` }}
            onWheel={(event) => {
              event.preventDefault();
              if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
                onShift((event.deltaX === 0 ? event.deltaY : event.deltaX) / width);
              else onZoom(Math.exp(event.deltaY / 400), timeAt(event));
            }}
            onClick={(event) => {
              const y = event.clientY - event.currentTarget.getBoundingClientRect().top + top;
              const lane = lanes[Math.floor(y / LANE)];
              const time = timeAt(event);
              const near = (2 * (extent.to - extent.from)) / width;
              const bar = lane?.bars.findLast(({ span, row }) => {
                const [from, tall] = rowIn(lane.rows, row);
                const inRow = (y % LANE) - from;
                return (
                  inRow >= 0 && inRow <= tall && span.from <= time + near && (span.to ?? now) >= time - near
                );
              });
              if (bar !== undefined) goToSpan(bar.span);
              else goToTime(time);
            }}
          />
          <div class="lane-names" style={{ width: `${NAMES}px` }} role="list" aria-label="Agents">
            {lanes.slice(first, last).map((lane, index) => (
              <LaneName key={lane.own.actor} lane={lane} top={(first + index) * LANE} now={now} />
            ))}
          </div>
        </div>
      </div>
    </>
  );
};

const LaneName = ({
  lane,
  top,
  now,
}: {
  readonly lane: Lane;
  readonly top: number;
  readonly now: number;
}) => {
  const { own, depth, folded } = lane;
  const isSelected = selected.value === own.actor;
  return (
    <div role="listitem" style={{ top: `${top}px`, height: `${LANE}px` }}>
      <button
        type="button"
        class={`lane-name ${isSelected ? 'selected' : ''}`}
        aria-pressed={isSelected}
        title={`${plain(own.name)}: ${spanOf((own.to ?? now) - own.from)}`}
        style={{ paddingInlineStart: `${10 + Math.min(depth, 4) * 10}px` }}
        onClick={() => {
          select(own.actor);
        }}
      >
        <span class={`role ${own.kind}`}>
          <Icon name={own.kind === 'team' ? 'team' : 'agent'} size={12} />
        </span>
        <bdi>{oneLine(own.name, 30)}</bdi>
        {folded > 0 && <span class="count">+{countOf(folded)}</span>}
      </button>
    </div>
  );
};
