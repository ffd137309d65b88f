import { oneLine } from '../../drawing/plain-text.ts';
import type { SessionRun } from '../session.ts';
import { runName } from '../session.ts';

/** A run that waits for a person. */
export interface WaitingRun {
  readonly run: SessionRun;
  /** Number of its open requests. */
  readonly count: number;
}

/** The title of the window: what waits comes first, as a tab shows a few letters only. */
export const titleOf = (waiting: readonly WaitingRun[], shown: SessionRun | undefined): string => {
  const count = waiting.reduce((sum, each) => sum + each.count, 0);
  const names = [...new Set(waiting.map(({ run }) => run.agent))];
  if (count > 0) return `(${count}) waits · ${oneLine(names.join(', '), 60)}`;
  return shown === undefined ? 'troupe: inspector' : `${runName(shown)} · troupe`;
};

/** The runs that wait for more than before. */
export const newlyWaiting = (
  before: ReadonlyMap<string, number>,
  now: readonly WaitingRun[],
): readonly WaitingRun[] => now.filter(({ run, count }) => count > (before.get(run.run) ?? 0));
