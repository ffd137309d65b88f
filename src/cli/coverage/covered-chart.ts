import { chartCoverage } from '../../inspect/coverage/chart-coverage.ts';
import type { Entry, StateShape } from '../../inspect/recording/entry.ts';
import type { Recording } from '../../inspect/recording/recording.ts';

/** The chart of an agent or a team, as runs lived it. */
export interface CoveredChart {
  readonly name: string;
  readonly shape: StateShape;
  /** Number of actors that lived it. */
  readonly actors: number;
  /** Number of times, by id. */
  readonly states: ReadonlyMap<string, number>;
  readonly arrows: ReadonlyMap<string, number>;
  /** Number of times that each guard held, where its arrow was taken. */
  readonly guards: ReadonlyMap<string, number>;
}

/** The charts that the actors of recordings lived, by their names: that of the root first, also if nobody lived it. */
export const coveredCharts = (
  recordings: readonly Recording[],
  root: { readonly name: string; readonly shape: StateShape },
): readonly CoveredChart[] => {
  const shapes = new Map([[root.name, root.shape]]);
  for (const recording of recordings) {
    const charts = new Map<string, StateShape>();
    for (const line of recording.from()) {
      // The recording wrote them.
      const entry = JSON.parse(line) as Entry;
      if (entry.kind === 'chart') charts.set(entry.chart, entry.shape);
      else if (entry.kind === 'actor' && (entry.role === 'agent' || entry.role === 'team')) {
        const shape = charts.get(entry.chart ?? '');
        if (shape !== undefined && !shapes.has(entry.name)) shapes.set(entry.name, shape);
      }
    }
  }
  return [...shapes].map(([name, shape]) => coveredChart(name, shape, recordings));
};

const coveredChart = (name: string, shape: StateShape, recordings: readonly Recording[]): CoveredChart => {
  const { actors, taken, visits } = chartCoverage(recordings, { name });
  const states = new Map<string, number>();
  const arrows = new Map<string, number>();
  const guards = new Map<string, number>();
  for (const state of statesIn(shape)) {
    states.set(state.id, visits.get(state.id) ?? 0);
    for (const { id, guard } of state.arrows) {
      const times = taken.get(id) ?? 0;
      arrows.set(id, times);
      if (guard !== undefined) guards.set(guard, (guards.get(guard) ?? 0) + times);
    }
  }
  return { name, shape, actors, states, arrows, guards };
};

/** A state with all that are in it. */
export const statesIn = (shape: StateShape): readonly StateShape[] => [
  shape,
  ...shape.states.flatMap(statesIn),
];

/** The ids that were never counted, in the order of the chart. */
export const neverIn = (counts: ReadonlyMap<string, number>): readonly string[] =>
  [...counts].flatMap(([id, times]) => (times === 0 ? [id] : []));
