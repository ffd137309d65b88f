import type { AnyStateMachine } from 'xstate';
import type { ChartState } from '../../machines/diagrams/chart.ts';
import { chartOf } from '../../machines/diagrams/chart.ts';

const known = new WeakMap<ChartState, Map<string, readonly string[]>>();
/** A machine's table gives the same object for the same states. */
const knownByObject = new WeakMap<object, readonly string[]>();

/** The ids of the innermost states that a snapshot's `value` names. A chart has few values: each is worked out once. */
export const activeStates = (machine: AnyStateMachine, value: unknown): readonly string[] => {
  if (typeof value !== 'object' || value === null) return statesNamed(chartOf(machine), value);
  let states = knownByObject.get(value);
  if (states === undefined) knownByObject.set(value, (states = statesNamed(chartOf(machine), value)));
  return states;
};

const statesNamed = (chart: ChartState, value: unknown): readonly string[] => {
  let ofChart = known.get(chart);
  if (ofChart === undefined) known.set(chart, (ofChart = new Map()));
  const name = typeof value === 'string' ? value : JSON.stringify(value);
  let states = ofChart.get(name);
  if (states === undefined) ofChart.set(name, (states = leavesOf(chart, value)));
  return states;
};

const leavesOf = (state: ChartState, value: unknown): readonly string[] => {
  if (typeof value === 'string') {
    const child = state.states[value];
    return child === undefined ? [state.id] : leavesOf(child, {});
  }
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (inner.length === 0) return [state.id];
  return inner.flatMap(([key, below]) => {
    const child = state.states[key];
    return child === undefined ? [] : leavesOf(child, below);
  });
};
