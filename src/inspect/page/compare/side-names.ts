import type { Sides } from '../../../runtime/journal/replay/compared-runs.ts';

/** The names of both sides, as one cannot say left and right where one is below the other. */
export const sideNames: Sides<string> = { left: 'A', right: 'B' };
