import type { StateShape } from '../recording/entry.ts';
import type { ChartDrawing } from '../drawing/chart-drawing.ts';
import { chartDrawing } from '../drawing/chart-drawing.ts';

const drawings = new WeakMap<StateShape, ChartDrawing>();

/** Returns the drawing of a chart, laid out once. */
export const drawingOf = (shape: StateShape): ChartDrawing => {
  const known = drawings.get(shape);
  if (known !== undefined) return known;
  const drawing = chartDrawing(shape);
  drawings.set(shape, drawing);
  return drawing;
};

/** Lays out a chart when the page is idle, so that selecting an actor of it is fast. */
export const drawInTime = (shape: StateShape): void => {
  const draw = (): void => {
    drawingOf(shape);
  };
  if ('requestIdleCallback' in globalThis) requestIdleCallback(draw);
  else setTimeout(draw, 200);
};
