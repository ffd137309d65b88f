import type { Act } from './act.ts';
import { leftBy, reachOf } from './reach.ts';
import type { TableArrow, TableState } from './table-state.ts';

/** The active states. */
export interface Active {
  readonly states: readonly TableState[];
}

/** The effects of one step between two configurations: computed once, performed any number of times. */
export interface Plan<Next extends Active> {
  /** In order: exits, the arrows' actions, entries, and the consequences of final states. */
  readonly acts: readonly Act[];
  /** XState's own objects of the arrows that are taken. */
  readonly arrows: readonly object[];
  readonly next: Next;
  /** True if the step assigns or changes the active states, so that the snapshot differs. */
  readonly changes: boolean;
  readonly ends: boolean;
}

/** Computes the step that takes `arrows`; `at` creates the configuration after it. */
export const planStep = <Next extends Active>(
  before: Next,
  arrows: readonly TableArrow[],
  at: (states: readonly TableState[]) => Next,
  begins = false,
): Plan<Next> => {
  const taken = withoutConflicts(arrows, before.states);
  const active = new Set(before.states);
  const acts: Act[] = [];
  if (!begins) {
    const left = new Set(taken.flatMap((arrow) => leftBy(arrow, before.states)));
    for (const state of [...left].sort(lastFirst)) {
      acts.push(...state.exit);
      active.delete(state);
    }
  }
  for (const arrow of taken) acts.push(...arrow.acts);
  const ends = enter(taken, active, acts, begins);
  const states = [...active];
  if (ends) {
    states.sort(lastFirst);
    for (const state of states) acts.push(...state.exit);
  }
  const isSame = before.states.length === active.size && before.states.every((state) => active.has(state));
  const next = isSame ? before : at(states);
  const written = taken.flatMap((arrow) => arrow.written ?? []);
  return { acts, arrows: written, next, changes: !isSame || ends || acts.some(isAssign), ends };
};

const isAssign = ({ kind }: Act): boolean => kind === 'assign' || kind === 'assignKeys';

const firstFirst = (one: TableState, other: TableState): number => one.order - other.order;
const lastFirst = (one: TableState, other: TableState): number => other.order - one.order;

/** Of arrows that leave the same states only one is taken: the innermost, and the first of equals. */
const withoutConflicts = (
  arrows: readonly TableArrow[],
  active: readonly TableState[],
): readonly TableArrow[] => {
  if (arrows.length < 2) return arrows;
  const taken = new Set<TableArrow>();
  for (const arrow of arrows) {
    const left = new Set(leftBy(arrow, active));
    const rivals = [...taken].filter((other) => leftBy(other, active).some((state) => left.has(state)));
    const outer = rivals.findIndex(({ source }) => !arrow.source.isWithin(source));
    if (outer >= 0) continue;
    for (const rival of rivals) taken.delete(rival);
    taken.add(arrow);
  }
  return [...taken];
};

/** Enters the targets of `arrows`; true if the machine is done by that. */
const enter = (
  arrows: readonly TableArrow[],
  active: Set<TableState>,
  acts: Act[],
  begins: boolean,
): boolean => {
  const reaches = arrows.map(reachOf);
  const entering = new Set(reaches.flatMap((reach) => [...reach.entering]));
  const isByDefault = (state: TableState): boolean =>
    reaches.some(({ byDefault }) => byDefault.has(state)) || (begins && state.parent === undefined);
  const completed = new Set<TableState>();
  let ends = false;
  for (const state of [...entering].sort(firstFirst)) {
    active.add(state);
    acts.push(...state.entry, ...(isByDefault(state) ? state.initially : []));
    if (state.type === 'final' && complete(state, active, completed, acts)) ends = true;
  }
  return ends;
};

/** Adds the consequences of a final state; true if the machine is done. */
const complete = (
  state: TableState,
  active: ReadonlySet<TableState>,
  completed: Set<TableState>,
  acts: Act[],
): boolean => {
  const { parent } = state;
  let above = parent?.type === 'parallel' ? parent : parent?.parent;
  let last = above ?? state;
  if (parent?.type === 'compound') acts.push({ kind: 'done', of: parent.id, output: state.output });
  while (above?.type === 'parallel' && !completed.has(above) && isOver(above, active)) {
    completed.add(above);
    acts.push({ kind: 'done', of: above.id, output: undefined });
    last = above;
    above = above.parent;
  }
  if (above !== undefined) return false;
  acts.push({ kind: 'end', of: last.id, output: last.parent === undefined ? undefined : last.output });
  return true;
};

/** Checks whether a state is done: one of its final states is active, or all regions of a parallel state are done. */
const isOver = (state: TableState, active: ReadonlySet<TableState>): boolean => {
  if (state.type === 'compound')
    return state.children.some((child) => child.type === 'final' && active.has(child));
  if (state.type === 'parallel') return state.children.every((child) => isOver(child, active));
  return state.type === 'final';
};
