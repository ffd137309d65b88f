import type { ArrowShape, StateShape } from '../recording/entry.ts';

/** The parts of a chart that are folded away until wanted. */
export type ChartPart = 'lifeCycle' | 'recovery';

/** A chart without some of its parts. */
export interface FoldedChart {
  readonly shape: StateShape;
  /** The parts that the whole chart has. */
  readonly parts: ReadonlySet<ChartPart>;
  /** The parts of which something was left because the actor is in it, or went that way. */
  readonly opened: ReadonlySet<ChartPart>;
}

const isLifeCycleEvent = (event: string): boolean => event === 'abort' || /^expired(?:\.|$)/.test(event);

const recoveryGuards: ReadonlySet<string> = new Set(['mayRecover', 'isEscalated']);

const isRecovery = ({ event, guard = '', targets }: ArrowShape): boolean =>
  event.startsWith('failed.') ||
  event === 'answered.recover' ||
  recoveryGuards.has(guard) ||
  (guard === 'isTroubled' && targets.length === 0);

/** An actor's place in its chart: what it is in, and came by, is never folded away. */
export interface ChartPosition {
  readonly states: readonly string[];
  /** The arrows of its last move. */
  readonly arrows: readonly string[];
  /** The arrows that it took so far. */
  readonly taken: { has(arrow: string): boolean };
}

const nowhere: ChartPosition = { states: [], arrows: [], taken: new Set() };

/**
 * Folds a chart: leaves away its life cycle (its preparation and ends, aborts, expired time, and what it hears in any state) and its
 * recovery from failures, unless they are wanted. The parts of a life cycle where the actor is are left, and the recoveries that it needed.
 */
export const foldChart = (
  root: StateShape,
  wanted: ReadonlySet<ChartPart>,
  at: ChartPosition = nowhere,
): FoldedChart => {
  const parts = new Set<ChartPart>();
  const opened = new Set<ChartPart>();
  const isShown = (part: ChartPart, isKept: boolean): boolean => {
    parts.add(part);
    if (!wanted.has(part) && isKept) opened.add(part);
    return wanted.has(part) || isKept;
  };
  const just = new Set(at.arrows);
  const near = new Set(
    arrowsIn(root).flatMap(([from, arrow]) => (just.has(arrow.id) ? [from, ...arrow.targets] : [])),
  );
  const isIn = (id: string): boolean => at.states.some((state) => state === id || state.startsWith(`${id}.`));
  const hidden = new Set(
    lifeCycleOf(root)
      .filter(({ id }) => !isShown('lifeCycle', isIn(id) || near.has(id)))
      .map(({ id }) => id),
  );
  const isArrowShown = (from: StateShape, arrow: ArrowShape): boolean => {
    const isJust = just.has(arrow.id);
    if (isRecovery(arrow) && !isShown('recovery', isJust || at.taken.has(arrow.id))) return false;
    const isOfAny = from === root && arrow.targets.length === 0;
    if ((isOfAny || isLifeCycleEvent(arrow.event)) && !isShown('lifeCycle', isJust)) return false;
    return !arrow.targets.some((id) => hidden.has(id));
  };
  const fold = (state: StateShape): StateShape => ({
    ...state,
    initial: state.initial.flatMap((id) => firstShown(root, id, hidden)),
    states: state.states.filter(({ id }) => !hidden.has(id)).map(fold),
    arrows: state.arrows.filter((arrow) => isArrowShown(state, arrow)),
  });
  const shape = fold(root);
  // A chart that is nothing but its life cycle is shown whole.
  return shape.states.length === 0 ? { shape: root, parts: new Set(), opened } : { shape, parts, opened };
};

/** The states of a chart's life cycle: its preparation and ends, and of regions side by side, as a workflow has, all but the first. */
const lifeCycleOf = (root: StateShape): readonly StateShape[] => {
  const inRegions = ({ type, states }: StateShape): readonly StateShape[] =>
    states.flatMap((state) => [
      ...(type === 'parallel' ? state.states.filter(({ id }) => !state.initial.includes(id)) : []),
      ...inRegions(state),
    ]);
  return [
    ...root.states.filter(({ key, type }) => type === 'final' || key === 'preparing'),
    ...inRegions(root),
  ];
};

const arrowsIn = (state: StateShape): readonly (readonly [from: string, arrow: ArrowShape])[] => [
  ...state.arrows.map((arrow) => [state.id, arrow] as const),
  ...state.states.flatMap(arrowsIn),
];

/** The state in which a chart begins for a reader who does not see the one in which it does: where that always leads. */
const firstShown = (root: StateShape, id: string, hidden: ReadonlySet<string>): readonly string[] => {
  if (!hidden.has(id)) return [id];
  const next = root.states
    .find((each) => each.id === id)
    ?.arrows.findLast(({ targets }) => targets.length > 0);
  return next?.targets.filter((each) => !hidden.has(each)) ?? [];
};
