import type { SpanKind } from '../folds/work-spans.ts';
import type { Extent, Lane } from './lanes.ts';

/** Height of a lane, in px. */
export const LANE = 30;
const GAP = 4;

/** The lanes as they are in sight. */
export interface Sight {
  readonly lanes: readonly Lane[];
  readonly extent: Extent;
  /** The time up to which work goes on. */
  readonly now: number;
  /** The time at the place shown: what came after it is pale. */
  readonly here: number;
  readonly ticks: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly top: number;
  readonly selected: string | undefined;
  /** The place of the entry with which the chosen work began. */
  readonly chosen: number | undefined;
}

const colourFor: Readonly<Record<SpanKind, string>> = {
  team: '--strong-line',
  agent: '--strong-line',
  model: '--model',
  tool: '--tool',
  wait: '--faint',
  person: '--glow',
};

/** Converts a time to a horizontal position. */
export const placeIn = ({ from, to }: Extent, width: number, at: number): number =>
  ((at - from) / (to - from)) * width;

/** The vertical position of a row of a lane in it, and its height. */
export const rowIn = (rows: number, row: number): readonly [top: number, height: number] => {
  const height = (LANE - 2 * GAP) / rows;
  return [GAP + row * height, Math.max(2, height - (rows > 1 ? 1 : 0))];
};

/** Draws the lanes that are in sight: bars too short to be seen by themselves are drawn once. */
export const drawLanes = (canvas: HTMLCanvasElement, sight: Sight): void => {
  const { lanes, extent, now, here, ticks, width, height, top, selected, chosen } = sight;
  const scale = devicePixelRatio;
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name);
  const kinds = new Map(Object.entries(colourFor).map(([kind, name]) => [kind, colour(name)]));
  const [bad, ink, line] = [colour('--bad'), colour('--ink'), colour('--line')];
  const x = (at: number): number => placeIn(extent, width, at);
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.fillStyle = line;
  for (const tick of ticks) pen.fillRect(Math.round(x(tick)), 0, 1, height);
  const last = Math.min(lanes.length, Math.ceil((top + height) / LANE));
  for (let index = Math.max(0, Math.floor(top / LANE)); index < last; index += 1) {
    const lane = lanes[index];
    if (lane === undefined) continue;
    const y = index * LANE - top;
    if (lane.own.actor === selected) {
      pen.fillStyle = colour('--accent-wash');
      pen.fillRect(0, y, width, LANE);
    }
    // Its own life, as a line.
    pen.fillStyle = kinds.get(lane.own.kind) ?? ink;
    const [begins, ends] = [Math.max(0, x(lane.own.from)), Math.min(width, x(lane.own.to ?? now))];
    if (ends >= begins) pen.fillRect(begins, y + LANE / 2 - 1, Math.max(1, ends - begins), 2);
    /** By row and kind, up to where it is drawn. */
    const drawn = new Map<string, number>();
    for (const { span, row } of lane.bars) {
      const [from, to] = [x(span.from), x(span.to ?? now)];
      if (to < 0 || from > width) continue;
      const key = `${row} ${span.kind} ${span.hasFailed}`;
      const isChosen = span.n === chosen;
      if (!isChosen && to < (drawn.get(key) ?? -1)) continue;
      const left = Math.max(-2, from);
      const wide = Math.max(1.5, Math.min(width + 2, to) - left);
      drawn.set(key, left + wide);
      const [rowTop, rowHeight] = rowIn(lane.rows, row);
      pen.fillStyle = kinds.get(span.kind) ?? ink;
      pen.fillRect(left, y + rowTop, wide, rowHeight);
      if (span.hasFailed) {
        // Also told by more than its colour.
        pen.fillStyle = bad;
        pen.fillRect(
          left,
          y + rowTop + rowHeight - Math.min(4, rowHeight / 2),
          wide,
          Math.min(4, rowHeight / 2),
        );
      }
      if (isChosen) {
        pen.strokeStyle = ink;
        pen.lineWidth = 2;
        pen.strokeRect(left, y + rowTop, wide, rowHeight);
      } else if (wide > 40 && rowHeight >= 14) {
        pen.fillStyle = colour('--sheet');
        pen.font = `11px ${style.getPropertyValue('--sans')}`;
        pen.textBaseline = 'middle';
        pen.fillText(fitText(pen, span.name, wide - 8), Math.max(0, left) + 4, y + rowTop + rowHeight / 2);
      }
    }
  }
  const place = x(here);
  pen.globalAlpha = 0.6;
  pen.fillStyle = colour('--ground');
  if (place < width) pen.fillRect(Math.max(0, place), 0, width, height);
  pen.globalAlpha = 1;
  pen.fillStyle = colour('--glow');
  pen.fillRect(Math.round(place) - 1, 0, 2, height);
};

const fitText = (pen: CanvasRenderingContext2D, text: string, width: number): string => {
  const most = Math.floor(width / 5.5);
  const cut = text.length > most ? `${text.slice(0, Math.max(0, most - 1))}…` : text;
  return pen.measureText(cut).width > width ? '' : cut;
};
