import type { AnyStateMachine } from 'xstate';
import type { ChartState } from '../../machines/diagrams/chart.ts';
import { arrowsFrom, chartOf, childrenOf, nameOf } from '../../machines/diagrams/chart.ts';
import type { ArrowShape, StateShape } from './entry.ts';

/** A machine's chart as data, `always` arrows included. */
export const chartShape = (machine: AnyStateMachine): StateShape => shapeOf(chartOf(machine));

const shapeOf = (state: ChartState): StateShape => ({
  id: state.id,
  key: state.key,
  type: state.type,
  ...(state.description === undefined ? {} : { description: state.description }),
  initial: state.type === 'compound' ? state.initial.target.map(({ id }) => id) : [],
  states: childrenOf(state).map(shapeOf),
  arrows: arrowsFrom(state).map(({ key, event, guard, targets, actions }): ArrowShape => ({
    id: key,
    event,
    ...(guard === undefined ? {} : { guard: nameOf(guard) ?? 'inline' }),
    targets: targets.map(({ id }) => id),
    actions: actions.map((action) => nameOf(action) ?? 'inline'),
  })),
});

/** Finds arrows by XState's own objects of them, which inspection events hold. */
export const arrowIds = (machine: AnyStateMachine): ReadonlyMap<object, string> => {
  const ids = new Map<object, string>();
  const add = (state: ChartState): void => {
    const own = [...[...state.transitions.values()].flat(), ...(state.always ?? [])];
    // Both are in the order in which they were written.
    arrowsFrom(state).forEach(({ key }, index) => {
      const transition = own[index];
      if (transition !== undefined) ids.set(transition, key);
    });
    childrenOf(state).forEach(add);
  };
  add(chartOf(machine));
  return ids;
};
