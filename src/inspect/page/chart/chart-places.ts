import type { ArrowPath, ChartDrawing, StateBox } from '../../drawing/chart-drawing.ts';
import type { Point, Rectangle } from '../../drawing/flow-layout.ts';
import type { Breakpoint } from '../../recording/breakpoint.ts';
import type { StateShape } from '../../recording/entry.ts';

/** A place in a chart at which a run can be held: a state is entered, or an arrow is taken. */
export interface ChartPlace {
  readonly kind: 'state' | 'arrow';
  readonly id: string;
}

/** The places at a point of a drawing: the arrow there, or else the innermost state with its reactions. */
export const placesAt = (
  { boxes, arrows }: ChartDrawing,
  point: Point,
  reach: number,
): readonly ChartPlace[] => {
  const arrow =
    arrows.find(({ label, lines }) => lines.length > 0 && isWithin(point, label)) ??
    arrows.find(({ points }) => distanceTo(points, point) <= reach);
  const state = boxes.findLast((box) => isWithin(point, box));
  // A state is larger than an arrow that ends at it.
  const isOnState = state !== undefined && state.type !== 'compound' && state.type !== 'parallel';
  if (arrow !== undefined && !isOnState) return arrow.ids.map((id) => ({ kind: 'arrow', id }));
  return state === undefined ? [] : placesOfBox(state);
};

const placesOfBox = ({ id, type, reactions }: StateBox): readonly ChartPlace[] => [
  ...(type === 'anywhere' ? [] : [{ kind: 'state' as const, id }]),
  ...reactions.flatMap(({ ids }) => ids.map((id): ChartPlace => ({ kind: 'arrow', id }))),
];

const isWithin = ({ x, y }: Point, box: Rectangle): boolean =>
  x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;

const distanceTo = (points: readonly Point[], point: Point): number =>
  Math.min(
    ...points.slice(1).map((end, index) => {
      const start = points[index] ?? end;
      const [dx, dy] = [end.x - start.x, end.y - start.y];
      const along = ((point.x - start.x) * dx + (point.y - start.y) * dy) / (dx * dx + dy * dy || 1);
      const part = Math.min(1, Math.max(0, along));
      return Math.hypot(point.x - start.x - part * dx, point.y - start.y - part * dy);
    }),
  );

/** All places of a kind in a chart, or the events and guards that its arrows have. */
export const placesIn = (
  chart: StateShape,
  kind: 'state' | 'arrow' | 'event' | 'guard',
): readonly string[] => {
  const found = new Set<string>();
  const look = (state: StateShape): void => {
    if (kind === 'state') found.add(state.id);
    for (const { id, event, guard } of state.arrows) {
      if (kind === 'arrow') found.add(id);
      if (kind === 'event' && event !== '') found.add(event);
      if (kind === 'guard' && guard !== undefined) found.add(guard);
    }
    state.states.forEach(look);
  };
  look(chart);
  return [...found];
};

/** A place in words: the last part of the state's id, and what leads on from there. */
export const placeText = ({ id }: ChartPlace): string => {
  const colon = id.indexOf(': ');
  const state = colon < 0 ? id : id.slice(0, colon);
  return `${state.slice(state.lastIndexOf('.') + 1)}${colon < 0 ? '' : id.slice(colon)}`;
};

/** Checks whether a run is held at a place by a breakpoint, whatever actor it is about. */
export const isAtPlace = ({ kind, value }: Breakpoint, place: ChartPlace): boolean => {
  if (kind === 'state')
    return place.kind === 'state' && (place.id === value || place.id.endsWith(`.${value}`));
  if (place.kind !== 'arrow') return false;
  return kind === 'arrow' ? place.id === value : kind === 'guard' && place.id.endsWith(`[${value}]`);
};

/** The point at which an arrow is marked: before its text, or else halfway. */
export const markOfArrow = ({ lines, label, points }: ArrowPath): Point => {
  if (lines.length > 0) return { x: label.x, y: label.y + label.height / 2 };
  const middle = Math.floor((points.length - 1) / 2);
  const [start, end] = [points[middle], points[middle + 1]];
  if (start === undefined || end === undefined) return label;
  return { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 };
};
