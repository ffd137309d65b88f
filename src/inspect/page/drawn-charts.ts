import type { StateShape } from '../recording/entry.ts';
import type { ChartDrawing } from '../drawing/chart-drawing.ts';
import { chartDrawing } from '../drawing/chart-drawing.ts';

const drawings = new WeakMap<StateShape, ChartDrawing>();

/** A chart as it is drawn: laid out once. */
export const drawingOf = (shape: StateShape): ChartDrawing => {
  const known = drawings.get(shape);
  if (known !== undefined) return known;
  const drawing = chartDrawing(shape);
  drawings.set(shape, drawing);
  return drawing;
};

/** Lays out a chart when there is nothing else to do, so that whoever selects an actor of it need not wait. */
export const drawInTime = (shape: StateShape): void => {
  const draw = (): void => {
    drawingOf(shape);
  };
  if ('requestIdleCallback' in globalThis) requestIdleCallback(draw);
  else setTimeout(draw, 200);
};
