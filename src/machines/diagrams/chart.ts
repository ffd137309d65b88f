import type { AnyStateMachine } from 'xstate';

/**
 * A state as diagrams, checks and explorers see it: XState's own node, without the `any` of its types.
 *
 * Read from `machine.root`, as `machine.definition` omits the `always` arrows.
 */
export interface ChartState {
  readonly id: string;
  readonly key: string;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  readonly description?: string | undefined;
  readonly parent?: ChartState | undefined;
  readonly states: Readonly<Record<string, ChartState>>;
  readonly entry: readonly unknown[];
  readonly exit: readonly unknown[];
  readonly initial: { readonly target: readonly ChartState[]; readonly actions: readonly unknown[] };
  readonly invoke: readonly { readonly id: string }[];
  readonly after: readonly unknown[];
  readonly transitions: ReadonlyMap<string, readonly ChartTransition[]>;
  readonly always?: readonly ChartTransition[] | undefined;
}

interface ChartTransition {
  readonly target: readonly ChartState[] | undefined;
  readonly guard?: unknown;
  readonly actions: readonly unknown[];
  readonly reenter: boolean;
}

/** A transition out of a state, or a reaction within it. */
export interface Arrow {
  /** Unique in its chart: `agent.running.DECIDE: answered.decide #2 [wantsToAct]`. */
  readonly key: string;
  readonly source: ChartState;
  /** Event type; `''` for an eventless transition (`always`). */
  readonly event: string;
  /** Position among the arrows of the same state and event: the first whose guard holds is taken. */
  readonly index: number;
  readonly guard: unknown;
  /** Empty for a reaction. */
  readonly targets: readonly ChartState[];
  readonly actions: readonly unknown[];
  readonly reenters: boolean;
}

/** The root state of a machine. */
export const chartOf = (machine: AnyStateMachine): ChartState => machine.root;

/**
 * Largest number of microsteps per event; Infinity if the machine sets none.
 *
 * Read from its configuration, as XState knows the option only since 5.31.
 */
export const maxIterationsOf = (machine: AnyStateMachine): number => {
  const { options } = machine.config;
  return options?.maxIterations ?? Infinity;
};

/** The direct substates, in order. */
export const childrenOf = (state: ChartState): readonly ChartState[] => Object.values(state.states);

/** A state and all states within it, outermost first, in order. */
export const statesWithin = (state: ChartState): readonly ChartState[] => [
  state,
  ...childrenOf(state).flatMap(statesWithin),
];

/** The states that contain `state`, innermost first. */
export const ancestorsOf = (state: ChartState): readonly ChartState[] =>
  state.parent === undefined ? [] : [state.parent, ...ancestorsOf(state.parent)];

/** The arrows that leave `state` itself, in order, `always` last; made once, as explorers ask at each move. */
export const arrowsFrom = (state: ChartState): readonly Arrow[] => {
  const known = arrowsByState.get(state);
  if (known !== undefined) return known;
  const arrows = [
    ...[...state.transitions].flatMap(([event, transitions]) =>
      transitions.map((each, index) => toArrow(state, event, each, index)),
    ),
    ...(state.always ?? []).map((each, index) => toArrow(state, '', each, index)),
  ];
  arrowsByState.set(state, arrows);
  return arrows;
};

const arrowsByState = new WeakMap<ChartState, readonly Arrow[]>();

/** The name of an action or a guard; `undefined` for an inline function. */
export const nameOf = (reference: unknown): string | undefined => {
  if (typeof reference === 'string') return reference;
  if (typeof reference !== 'object' || reference === null || !('type' in reference)) return undefined;
  return typeof reference.type === 'string' ? reference.type : undefined;
};

/** The innermost states that become active when `state` is entered. */
export const startOf = (state: ChartState): readonly ChartState[] => {
  if (state.type === 'parallel') return childrenOf(state).flatMap(startOf);
  return state.type === 'compound' ? state.initial.target.flatMap(startOf) : [state];
};

const toArrow = (source: ChartState, event: string, each: ChartTransition, index: number): Arrow => {
  const guard = each.guard === undefined ? '' : ` [${nameOf(each.guard) ?? 'inline'}]`;
  return {
    key: `${source.id}: ${event === '' ? 'always' : event} #${index}${guard}`,
    source,
    event,
    index,
    guard: each.guard,
    targets: each.target ?? [],
    actions: each.actions,
    reenters: each.reenter,
  };
};
