import type { Json, JsonObject } from '../../base/json/json.ts';
import type { ArrowShape, StateShape } from '../recording/entry.ts';

/** Dialect of a machine's configuration: XState 5, or 4 (`cond` for a guard). */
export type Dialect = 'v5' | 'v4';

/** A chart as the config of a machine, as inspectors read it. */
export const machineConfig = (shape: StateShape, dialect: Dialect): JsonObject => stateConfig(shape, dialect);

const stateConfig = (state: StateShape, dialect: Dialect): JsonObject => {
  const { id, type, description, states, arrows } = state;
  const [initial] = state.initial;
  const start = states.find((child) => child.id === initial);
  return {
    id,
    ...(type === 'parallel' || type === 'final' || type === 'history' ? { type } : {}),
    ...(description === undefined ? {} : { description }),
    ...(start === undefined ? {} : { initial: start.key }),
    ...(states.length === 0
      ? {}
      : { states: Object.fromEntries(states.map((child) => [child.key, stateConfig(child, dialect)])) }),
    ...waysOut(arrows, dialect),
  };
};

const waysOut = (arrows: readonly ArrowShape[], dialect: Dialect): JsonObject => {
  const on = new Map<string, Json[]>();
  for (const arrow of arrows) on.set(arrow.event, [...(on.get(arrow.event) ?? []), wayOf(arrow, dialect)]);
  const always = on.get('');
  on.delete('');
  return {
    ...(on.size === 0 ? {} : { on: Object.fromEntries(on) }),
    ...(always === undefined ? {} : { always }),
  };
};

const wayOf = ({ guard, targets, actions }: ArrowShape, dialect: Dialect): JsonObject => ({
  ...(targets.length === 0 ? {} : { target: targets.map((id) => `#${id}`) }),
  ...(guard === undefined ? {} : dialect === 'v5' ? { guard } : { cond: { type: guard } }),
  ...(actions.length === 0 ? {} : { actions: [...actions] }),
});

/** Active states as the value of a snapshot: `{ running: 'DECIDE' }`. */
export const stateValue = (shape: StateShape, active: readonly string[]): Json => {
  const inner = shape.states.filter((child) => holds(child, active));
  const [only] = inner;
  if (only === undefined) return {};
  if (inner.length === 1 && shape.type !== 'parallel' && only.states.length === 0) return only.key;
  return Object.fromEntries(inner.map((child) => [child.key, stateValue(child, active)]));
};

const holds = (state: StateShape, active: readonly string[]): boolean =>
  active.includes(state.id) || state.states.some((child) => holds(child, active));
