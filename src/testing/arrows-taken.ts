import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import type { Arrow, ChartState } from '../machines/diagrams/chart.ts';
import { ancestorsOf, arrowsFrom, chartOf, childrenOf, nameOf } from '../machines/diagrams/chart.ts';

/** Returns the active states of a snapshot, outermost first. */
export const activeStates = (snapshot: AnyMachineSnapshot): readonly ChartState[] =>
  statesAt(chartOf(machineOf(snapshot)), snapshot.value);

/**
 * Returns the keys of the arrows taken through `snapshots`, each one microstep after the other.
 *
 * XState does not report the arrows that it took, so the choice is repeated: for the first pair by `event` if `isMove`
 * is true, and for every other pair by `always`.
 */
export const arrowsTaken = (
  snapshots: readonly AnyMachineSnapshot[],
  event: EventObject,
  isMove = false,
): readonly string[] =>
  snapshots
    .slice(0, -1)
    .flatMap((snapshot, index) => chooseArrows(snapshot, event, isMove && index === 0))
    .map(({ key }) => key);

/** Selects for each innermost state the first arrow whose guard holds, its own before its ancestors'. */
const chooseArrows = (
  snapshot: AnyMachineSnapshot,
  event: EventObject,
  isByEvent: boolean,
): readonly Arrow[] => {
  const leaves = activeStates(snapshot).filter(({ type }) => type === 'atomic' || type === 'final');
  const arrows = leaves.flatMap((leaf) => {
    const candidates = [leaf, ...ancestorsOf(leaf)].flatMap((state) =>
      isByEvent ? byPrecision(arrowsFrom(state), event.type) : arrowsFrom(state).filter(isAlways),
    );
    const first = candidates.find((arrow) => holds(arrow, snapshot, event));
    return first === undefined ? [] : [first];
  });
  return [...new Map(arrows.map((arrow) => [arrow.key, arrow])).values()];
};

const isAlways = ({ event }: Arrow): boolean => event === '';

/** An exact event first, then wildcards, the longer the earlier. */
const byPrecision = (arrows: readonly Arrow[], type: string): readonly Arrow[] =>
  arrows
    .filter(({ event }) => event !== '' && matches(event, type))
    .toSorted(
      (a, b) => Number(b.event === type) - Number(a.event === type) || b.event.length - a.event.length,
    );

const matches = (pattern: string, type: string): boolean =>
  pattern === type ||
  pattern === '*' ||
  (pattern.endsWith('.*') && `${type}.`.startsWith(pattern.slice(0, -1)));

const holds = ({ guard }: Arrow, snapshot: AnyMachineSnapshot, event: EventObject): boolean => {
  if (guard === undefined) return true;
  const test: unknown =
    typeof guard === 'function' ? guard : machineOf(snapshot).implementations.guards[nameOf(guard) ?? ''];
  if (typeof test !== 'function') return false;
  const args = { context: snapshot.context as unknown, event };
  const params = typeof guard === 'object' && guard !== null && 'params' in guard ? guard.params : undefined;
  return 'check' in test && typeof test.check === 'function'
    ? Boolean(test.check(snapshot, args, test))
    : Boolean(test(args, params));
};

const machineOf = (snapshot: AnyMachineSnapshot): AnyStateMachine => snapshot.machine;

/** Returns a state and the states within it that are active at `value`, outermost first. */
export const statesAt = (state: ChartState, value: unknown): readonly ChartState[] => [
  state,
  ...childrenOf(state).flatMap((child) => {
    if (state.type === 'parallel') return statesAt(child, valueAt(value, child.key));
    if (value === child.key) return [child];
    const inner = valueAt(value, child.key);
    return inner === undefined ? [] : statesAt(child, inner);
  }),
];

const valueAt = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
