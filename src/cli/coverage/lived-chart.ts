import type { CoveredChart } from './covered-chart.ts';
import { statesIn } from './covered-chart.ts';

/** The chart as runs lived it, as Mermaid text: only the states that were entered and the arrows that were taken, with how often. */
export const livedChart = ({ shape, states, arrows }: CoveredChart): string => {
  const all = statesIn(shape);
  const names = new Map(all.map(({ id }, index) => [id, `s${index}`]));
  const lived = all.filter(({ id, states: inner }) => inner.length === 0 && (states.get(id) ?? 0) > 0);
  const lines = all.flatMap((state) =>
    state.arrows.flatMap(({ id, event, guard, targets }) => {
      const times = arrows.get(id) ?? 0;
      if (times === 0) return [];
      const label = [event === '' ? [] : [event], guard === undefined ? [] : [`[${guard}]`], `×${times}`]
        .flat()
        .join(' ');
      // A reaction within a state leads nowhere.
      const ends = targets.length === 0 ? [state.id] : targets;
      return ends.map(
        (end) => `  ${names.get(state.id) ?? ''} --> ${names.get(end) ?? ''} : ${label.replaceAll(':', ' ')}`,
      );
    }),
  );
  const ends = new Set(lines.flatMap((line) => line.match(/\bs\d+\b/g) ?? []));
  const boxes = all
    .filter(({ id }) => ends.has(names.get(id) ?? '') || lived.some((state) => state.id === id))
    .map(
      ({ id }) => `  state "${id.replaceAll('"', "'")} (${states.get(id) ?? 0})" as ${names.get(id) ?? ''}`,
    );
  return ['stateDiagram-v2', ...boxes, ...lines].join('\n');
};
