import type { AnyStateMachine } from 'xstate';
import { TroupeError } from '../contracts/errors/error.ts';
import type { Arrow, ChartState } from './diagrams/chart.ts';
import {
  ancestorsOf,
  arrowsFrom,
  chartOf,
  maxIterationsOf,
  nameOf,
  startOf,
  statesWithin,
} from './diagrams/chart.ts';

/**
 * Lists what prevents troupe from running a machine, one line each; empty if nothing does.
 *
 * Such a machine expresses work as named outputs and has no children or timers, so that running, storing and replaying it mean the same. A
 * machine of your own that embeds an agent has no such limits: do not check it.
 *
 * @example
 * checkMachine(agentMachine) // => []
 */
export const checkMachine = (machine: AnyStateMachine): readonly string[] => {
  const chart = chartOf(machine);
  const states = statesWithin(chart);
  return [
    ...nameless(machine),
    ...checkBound(machine),
    ...sameId(states),
    ...states.flatMap((state) => [...checkDescription(state), ...holdsChildren(state), ...setsTimers(state)]),
    ...states.flatMap((state) => usesOf(state).flatMap((use) => checkNames(machine, use))),
    ...states.flatMap(arrowsFrom).flatMap(arrowProblems),
    ...Object.entries(machine.implementations.actions).flatMap(forbiddenAction),
    ...checkDeclarations('actors', machine.implementations.actors),
    ...checkDeclarations('delays', machine.implementations.delays),
    ...unreachable(chart),
  ];
};

/**
 * Throws unless {@link checkMachine} finds nothing; the error names all problems.
 *
 * @example
 * assertMachine(debateMachine)
 *
 * @throws {TroupeError} `machine.invalid`
 */
export const assertMachine = (machine: AnyStateMachine): void => {
  const problems = checkMachine(machine);
  if (problems.length === 0) return;
  const message = `Cannot run machine '${machine.id}' as it breaks the rules of the house: ${problems.join('; ')}`;
  throw new TroupeError('machine.invalid', message, { details: [...problems] });
};

/** A reference to an action or a guard. */
interface Use {
  readonly place: string;
  readonly kind: 'action' | 'guard';
  readonly reference: unknown;
}

const nameless = (machine: AnyStateMachine): readonly string[] =>
  typeof machine.config.id === 'string' && machine.config.id !== '' ? [] : ['the machine has no id'];

/** XState repeats an `always` loop for ever without this limit. */
const checkBound = (machine: AnyStateMachine): readonly string[] =>
  Number.isFinite(maxIterationsOf(machine)) ? [] : ['the machine sets no options.maxIterations'];

/** XState silently keeps only the last state of an id. */
const sameId = (states: readonly ChartState[]): readonly string[] => {
  const ids = states.map(({ id }) => id);
  const repeated = new Set(ids.filter((id, index) => ids.indexOf(id) < index));
  return [...repeated].map((id) => `several states have the id '${id}'`);
};

const checkDescription = ({ id, description }: ChartState): readonly string[] =>
  description === undefined || description.trim() === '' ? [`state '${id}' has no description`] : [];

const holdsChildren = ({ id, invoke }: ChartState): readonly string[] =>
  invoke.length === 0 ? [] : [`state '${id}' invokes an actor: engage it as an output instead`];

const setsTimers = ({ id, after }: ChartState): readonly string[] =>
  after.length === 0 ? [] : [`state '${id}' uses after: ask for a wait with a due time instead`];

const usesOf = (state: ChartState): readonly Use[] => {
  const place = `state '${state.id}'`;
  const action =
    (where: string) =>
    (reference: unknown): Use => ({ place: where, kind: 'action', reference });
  return [
    ...[...state.entry, ...state.exit].map(action(place)),
    ...(state.type === 'compound' ? state.initial.actions.map(action(place)) : []),
    ...arrowsFrom(state).flatMap((arrow): Use[] => [
      ...arrow.actions.map(action(`arrow '${arrow.key}'`)),
      ...(arrow.guard === undefined
        ? []
        : [{ place: `arrow '${arrow.key}'`, kind: 'guard' as const, reference: arrow.guard }]),
    ]),
  ];
};

/** Unnamed implementations can neither be drawn nor be carried out by another interpreter. */
const checkNames = ({ implementations }: AnyStateMachine, use: Use): readonly string[] => {
  const { place, kind, reference } = use;
  const name = nameOf(reference);
  if (typeof reference === 'function' || name === undefined) return [`${place} has an inline ${kind}`];
  const known: Readonly<Record<string, unknown>> =
    kind === 'action' ? implementations.actions : implementations.guards;
  if (!Object.hasOwn(known, name)) return [`${place} names the ${kind} '${name}', which nobody defines`];
  const hasInlineParams =
    typeof reference === 'object' &&
    reference !== null &&
    'params' in reference &&
    typeof reference.params === 'function';
  return hasInlineParams ? [`${place} computes the params of ${kind} '${name}' by an inline function`] : [];
};

/** A bare `'*'` swallows a child's error; inspectors do not see a state that re-enters itself. */
const arrowProblems = ({ key, event, reenters }: Arrow): readonly string[] => [
  ...(event === '*' ? [`arrow '${key}' answers to every event: name the events, or use 'failed.*'`] : []),
  ...(event === 'on' || event === 'always'
    ? [
        `arrow '${key}' answers to an event called '${event}': spread awaiting(…) into the state, not into its \`on\``,
      ]
    : []),
  ...(event.startsWith('xstate.after.') ? [`arrow '${key}' is a timer`] : []),
  ...(reenters ? [`arrow '${key}' re-enters its state`] : []),
];

/** XState's own actions that bypass the outputs; all others are the machine's own functions. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  'xstate.spawnChild': 'spawns a child: engage it as an output instead',
  'xstate.stopChild': 'stops a child: dismiss it as an output instead',
  'xstate.sendTo': 'sends to another actor: post it as an output instead',
  'xstate.cancel': 'cancels a delayed event: withdraw the ask instead',
  'xstate.enqueueActions': 'enqueues actions out of sight: list them by name instead',
};

const forbiddenAction = ([name, action]: readonly [string, unknown]): readonly string[] => {
  const type = typeof action === 'function' && 'type' in action ? String(action.type) : '';
  const reason = FORBIDDEN[type];
  if (reason !== undefined) return [`action '${name}' ${reason}`];
  const hasDelay =
    typeof action === 'function' &&
    type === 'xstate.raise' &&
    'delay' in action &&
    action.delay !== undefined;
  return hasDelay ? [`action '${name}' raises with a delay: ask for a wait instead`] : [];
};

const checkDeclarations = (
  what: 'actors' | 'delays',
  found: Readonly<Record<string, unknown>>,
): readonly string[] =>
  Object.keys(found).map((name) => `the machine declares '${name}' in ${what}: it can use none`);

/** Every state has to be reachable from the start, and an end from every state. Guards are ignored. */
const unreachable = (chart: ChartState): readonly string[] => {
  const after = leadsTo(startOf(chart));
  const reached = [...after.keys()];
  const active = new Set(reached.flatMap((leaf) => [leaf, ...ancestorsOf(leaf)]));
  const problems = statesWithin(chart)
    .filter((state) => state.type !== 'history' && !active.has(state))
    .map(({ id }) => `state '${id}' cannot be reached`);
  const isEnd = (state: ChartState): boolean => state.type === 'final' && state.parent === chart;
  if (!reached.some(isEnd)) return [...problems, 'no final state can be reached'];
  const ending = comingFrom(after, reached.filter(isEnd));
  const stuck = reached.filter((leaf) => !ending.has(leaf));
  return [...problems, ...stuck.map(({ id }) => `state '${id}' has no way to an end`)];
};

type LeadsTo = ReadonlyMap<ChartState, ReadonlySet<ChartState>>;

/** The innermost states reachable from `start`, each with those that one arrow leads to. */
const leadsTo = (start: readonly ChartState[]): LeadsTo => {
  const after = new Map<ChartState, ReadonlySet<ChartState>>();
  const seen = new Set(start);
  for (const leaf of seen) {
    const arrows = [leaf, ...ancestorsOf(leaf)].flatMap(arrowsFrom);
    const next = new Set(arrows.flatMap(({ targets }) => targets.flatMap(startOf)));
    after.set(leaf, next);
    for (const state of next) seen.add(state);
  }
  return after;
};

/** The states from which one of `ends` is reachable, backwards from them. */
const comingFrom = (after: LeadsTo, ends: readonly ChartState[]): ReadonlySet<ChartState> => {
  const before = new Map<ChartState, ChartState[]>();
  for (const [leaf, targets] of after) {
    for (const target of targets) {
      const sources = before.get(target);
      if (sources === undefined) before.set(target, [leaf]);
      else sources.push(leaf);
    }
  }
  const found = new Set(ends);
  for (const state of found) for (const source of before.get(state) ?? []) found.add(source);
  return found;
};
