import { signal } from '@preact/signals';
import type { ChartPart } from '../../drawing/chart-fold.ts';

/** The parts of charts that the reader wants to see always. */
export const wantedParts = signal<ReadonlySet<ChartPart>>(new Set());

export const turnPart = (part: ChartPart): void => {
  const wanted = new Set(wantedParts.peek());
  if (!wanted.delete(part)) wanted.add(part);
  wantedParts.value = wanted;
};
