import type { StateValue } from 'xstate';
import type { Given, Guard } from './act.ts';
import type { Plan } from './plan.ts';
import { planStep } from './plan.ts';
import type { TableArrow, TableState } from './table-state.ts';

/** A precomputed step. */
export type Step = Plan<Configuration>;

/**
 * The active states of a machine, in the order in which they were entered.
 *
 * The order matters: XState visits regions, and writes the keys of a snapshot's value, in it.
 */
export class Configuration {
  readonly states: readonly TableState[];
  readonly #all: Configurations;
  readonly #leaves: readonly TableState[];
  readonly #ways = new Map<string, readonly Way[]>();
  #waysAtOnce: readonly Way[] | undefined;
  #value: StateValue | undefined;

  constructor(states: readonly TableState[], all: Configurations) {
    this.states = states;
    this.#all = all;
    this.#leaves = states.filter(({ isLeaf }) => isLeaf);
  }

  /** The only active leaf, with which at most one arrow is taken at a time; undefined if there are several. */
  get leaf(): TableState | undefined {
    return this.#leaves.length === 1 ? this.#leaves[0] : undefined;
  }

  get value(): StateValue {
    return (this.#value ??= this.#valueWithin(this.#root));
  }

  /** The step for an event: the innermost enabled arrows, one per region. */
  answer(given: Given): Step | undefined {
    const { type } = given.event;
    let ways = this.#ways.get(type);
    if (ways === undefined) {
      if (this.leaf === undefined) return this.#planFor(this.#select(this.#root, given));
      ways = this.#upFromLeaf((state) => state.answersTo(type));
      this.#ways.set(type, ways);
    }
    for (const way of ways) if (mayAnswer(way.arrow, given)) return way.plan;
    return undefined;
  }

  /** The eventless step. */
  goOn(given: Given): Step | undefined {
    if (this.#waysAtOnce === undefined) {
      if (this.leaf === undefined) return this.#planFor(this.#goingOnInRegions(given));
      this.#waysAtOnce = this.#upFromLeaf(({ always }) => always);
    }
    for (const way of this.#waysAtOnce) if (mayGoOn(way.arrow, given)) return way.plan;
    return undefined;
  }

  #upFromLeaf(arrowsOf: (state: TableState) => readonly TableArrow[]): readonly Way[] {
    const { leaf } = this;
    if (leaf === undefined) return [];
    return [leaf, ...leaf.ancestors()]
      .flatMap(arrowsOf)
      .map((arrow) => new Way(arrow, () => this.#all.plan(this, [arrow])));
  }

  #planFor(arrows: readonly TableArrow[]): Step | undefined {
    return arrows.length === 0 ? undefined : this.#all.plan(this, arrows);
  }

  get #root(): TableState {
    const root = this.states.find(({ parent }) => parent === undefined);
    if (root === undefined) throw new Error('Cannot move as no state is active');
    return root;
  }

  #childrenOf(state: TableState): readonly TableState[] {
    return this.states.filter(({ parent }) => parent === state);
  }

  #select(state: TableState, given: Given): readonly TableArrow[] {
    const inner = this.#childrenOf(state).flatMap((child) => this.#select(child, given));
    if (inner.length > 0) return inner;
    const own = state.answersTo(given.event.type).find((arrow) => mayAnswer(arrow, given));
    return own === undefined ? [] : [own];
  }

  #goingOnInRegions(given: Given): readonly TableArrow[] {
    const taken = new Set<TableArrow>();
    // Ancestors of several regions are evaluated once.
    const asked = new Map<TableState, TableArrow | undefined>();
    for (const leaf of this.#leaves) {
      for (let state: TableState | undefined = leaf; state !== undefined; state = state.parent) {
        if (!asked.has(state))
          asked.set(
            state,
            state.always.find((arrow) => mayGoOn(arrow, given)),
          );
        const arrow = asked.get(state);
        if (arrow === undefined) continue;
        taken.add(arrow);
        break;
      }
    }
    return [...taken];
  }

  #valueWithin(state: TableState): StateValue {
    const children = this.#childrenOf(state);
    const [only] = children;
    if (state.type === 'compound' && only?.isLeaf === true) return only.key;
    return Object.fromEntries(children.map((child) => [child.key, this.#valueWithin(child)]));
  }
}

/** The configurations of one machine. Those with a single leaf are cached; combinations of regions are too many. */
export class Configurations {
  readonly #byLeaf = new Map<TableState, Configuration>();

  plan(before: Configuration, arrows: readonly TableArrow[], begins = false): Step {
    return planStep(before, arrows, (states) => this.of(states), begins);
  }

  of(states: readonly TableState[]): Configuration {
    const made = new Configuration(states, this);
    const { leaf } = made;
    if (leaf === undefined) return made;
    const known = this.#byLeaf.get(leaf);
    if (known === undefined) this.#byLeaf.set(leaf, made);
    return known ?? made;
  }
}

/** An arrow in a configuration; its step is computed when it is first taken. */
class Way {
  readonly arrow: TableArrow;
  readonly #make: () => Step;
  #plan: Step | undefined;

  constructor(arrow: TableArrow, make: () => Step) {
    this.arrow = arrow;
    this.#make = make;
  }

  get plan(): Step {
    return (this.#plan ??= this.#make());
  }
}

const mayGoOn = ({ guard }: TableArrow, given: Given): boolean =>
  guard === undefined || Boolean(guard.holds(given, guard.params));

/** A guard that throws at an event is reported with its place. */
const mayAnswer = (arrow: TableArrow, given: Given): boolean => {
  const { guard } = arrow;
  if (guard === undefined) return true;
  try {
    return Boolean(guard.holds(given, guard.params));
  } catch (thrown) {
    throw badGuard(guard, arrow, given.event, thrown as Error);
  }
};

/** The same text as XState throws, without a cause, so that a run ends with the same error. */
const badGuard = (
  { name }: Guard,
  { source }: TableArrow,
  { type }: Given['event'],
  thrown: Error,
): Error => {
  const guard = name === undefined ? '' : `'${name}' `;
  return new Error(
    `Unable to evaluate guard ${guard}in transition for event '${type}' in state node '${source.id}':\n${thrown.message}`,
  );
};
