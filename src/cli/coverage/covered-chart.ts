import { chartCoverage } from '../../inspect/coverage/chart-coverage.ts';
import type { BeyondReach } from './beyond-reach.ts';
import { beyondReach, definitionsIn } from './beyond-reach.ts';
import type { Definition } from '../../runtime/define/definition.ts';
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
  /** The parts that it cannot come to, and has not come to: left out of the above. */
  readonly beyond: BeyondReach;
}

/** The charts that the actors of recordings lived, by their names: that of the root first, also if nobody lived it. */
export const coveredCharts = (
  recordings: readonly Recording[],
  root: { readonly name: string; readonly shape: StateShape; readonly definition: Definition },
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
  const definitions = definitionsIn(root.definition);
  return [...shapes].map(([name, shape]) =>
    coveredChart({ name, shape, definition: definitions.get(name) }, recordings),
  );
};

const coveredChart = (
  {
    name,
    shape,
    definition,
  }: { readonly name: string; readonly shape: StateShape; readonly definition: Definition | undefined },
  recordings: readonly Recording[],
): CoveredChart => {
  const { actors, taken, visits } = chartCoverage(recordings, { name });
  const { ids, lacking } = beyondReach(definition, shape);
  const states = new Map<string, number>();
  const arrows = new Map<string, number>();
  const guards = new Map<string, number>();
  const left = new Set<string>();
  const count = (counts: Map<string, number>, id: string, times: number): boolean => {
    // What has happened can happen, whatever was said of it.
    const isLeft = times === 0 && ids.has(id);
    if (isLeft) left.add(id);
    else counts.set(id, times);
    return !isLeft;
  };
  for (const state of statesIn(shape)) {
    count(states, state.id, visits.get(state.id) ?? 0);
    for (const { id, guard } of state.arrows) {
      const times = taken.get(id) ?? 0;
      if (count(arrows, id, times) && guard !== undefined)
        guards.set(guard, (guards.get(guard) ?? 0) + times);
    }
  }
  return { name, shape, actors, states, arrows, guards, beyond: { ids: left, lacking } };
};

/** A state with all that are in it. */
export const statesIn = (shape: StateShape): readonly StateShape[] => [
  shape,
  ...shape.states.flatMap(statesIn),
];

/** The ids that were never counted, in the order of the chart. */
export const neverIn = (counts: ReadonlyMap<string, number>): readonly string[] =>
  [...counts].flatMap(([id, times]) => (times === 0 ? [id] : []));
