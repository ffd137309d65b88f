import type { ActorView } from '../../recording/tableau.ts';
import type { StateShape } from '../../recording/entry.ts';
import type { ChartDrawing } from '../../drawing/chart-drawing.ts';
import { chartDrawing } from '../../drawing/chart-drawing.ts';
import type { ChartPart, ChartPosition, FoldedChart } from '../../drawing/chart-fold.ts';
import { foldChart } from '../../drawing/chart-fold.ts';
import { chartInWords } from '../../drawing/event-words.ts';

/** Drawings of a chart, by what is left of it. */
const drawings = new WeakMap<StateShape, Map<string, ChartDrawing>>();

const MOST_KEPT = 40;

/** A chart as it is shown: its drawing, and what of it is folded. */
export interface ShownChart extends Pick<FoldedChart, 'parts' | 'opened'> {
  readonly drawing: ChartDrawing;
}

/** Returns the chart of an actor as it is shown, each of its foldings laid out once. Only agents and teams have much to fold. */
export const shownChart = (
  shape: StateShape,
  wanted: ReadonlySet<ChartPart>,
  { role, ...position }: ChartPosition & Pick<ActorView, 'role'>,
): ShownChart => {
  if (role !== 'agent' && role !== 'team')
    return { drawing: drawingOf(shape, shape), parts: new Set(), opened: new Set() };
  const { shape: folded, parts, opened } = foldChart(shape, wanted, position);
  return { drawing: drawingOf(shape, folded), parts, opened };
};

const drawingOf = (whole: StateShape, folded: StateShape): ChartDrawing => {
  const known = drawings.get(whole) ?? new Map<string, ChartDrawing>();
  drawings.set(whole, known);
  const key = idsIn(folded).join(' ');
  const drawing = known.get(key) ?? chartDrawing(chartInWords(folded));
  if (known.size >= MOST_KEPT) known.clear();
  known.set(key, drawing);
  return drawing;
};

const idsIn = (state: StateShape): readonly string[] => [
  state.id,
  ...state.arrows.map(({ id }) => id),
  ...state.states.flatMap(idsIn),
];

/** Lays out a chart when the page is idle, so that selecting an actor of it is fast. */
export const drawInTime = (shape: StateShape): void => {
  const draw = (): void => {
    drawingOf(shape, foldChart(shape, new Set()).shape);
  };
  if ('requestIdleCallback' in globalThis) requestIdleCallback(draw);
  else setTimeout(draw, 200);
};
