import { withoutUndefined } from '../../base/json/without-undefined.ts';
import type { TreeLimit, TreeLimits } from '../../contracts/runs/tree-limits.ts';
import { SmallSet } from '../../base/collections/small-set.ts';
import type { Actor } from '../actors/actor.ts';

/** Default limits: room for most teams, while a spawn bomb is over within a second. */
const DEFAULTS: Readonly<Record<TreeLimit, number>> = {
  maxDepth: 20,
  maxChildren: 10_000,
  maxAgents: 1_000,
};

/** The limit that an engagement would exceed, and the reason to report. */
export interface Refusal {
  readonly limit: TreeLimit;
  readonly reason: string;
}

/**
 * The size of a run's tree: the number of agents engaged so far, and whether another one may be.
 *
 * I1 Each address counts once, also if it comes from a journal.
 */
export class TreeSize {
  readonly #limits: Readonly<Record<TreeLimit, number>>;
  readonly #seen = new SmallSet<string>();

  constructor(given: TreeLimits | undefined) {
    this.#limits = given === undefined ? DEFAULTS : { ...DEFAULTS, ...without(given) };
  }

  /** Counts an engaged agent. */
  count(path: string): void {
    this.#seen.add(path);
  }

  /** The reason why `parent` may not engage `name`; undefined if it may. */
  refusal(parent: Actor, name: string): Refusal | undefined {
    const { maxDepth, maxChildren, maxAgents } = this.#limits;
    const { principal } = parent;
    if (this.#seen.size >= maxAgents)
      return refusalFor(
        'maxAgents',
        name,
        `the run has engaged its maximum of ${maxAgents} agents; the option limits.maxAgents raises it`,
      );
    const depth = principal.path.split('/').length;
    if (depth > maxDepth)
      return refusalFor('maxDepth', name, `agents may be ${maxDepth} deep: this would be ${depth}`);
    const children = Math.min(maxChildren, principal.definition.limits?.maxChildren ?? Infinity);
    if (atWork(principal) >= children)
      return refusalFor(
        'maxChildren',
        name,
        `'${principal.agent}' has its maximum of ${children} agents at work`,
      );
    return belowLimits(principal, name);
  }
}

/** The depth limits of the definitions above. */
const belowLimits = (parent: Actor, name: string): Refusal | undefined => {
  let depth = 1;
  for (let above: Actor | undefined = parent; above !== undefined; above = above.parent) {
    const maxDepth = above.definition.limits?.maxDepth ?? Infinity;
    if (depth > maxDepth)
      return refusalFor('maxDepth', name, `'${above.agent}' lets agents be ${maxDepth} deep below it`);
    depth += 1;
  }
  return undefined;
};

/** The active agents below an actor: those of its calls count, calls themselves do not. A team makes no calls. */
const atWork = ({ children, definition }: Actor): number => {
  if (definition.agent === undefined) return children.size;
  let count = 0;
  for (const child of children) count += child.isCall ? child.children.size : 1;
  return count;
};

const refusalFor = (limit: TreeLimit, name: string, reason: string): Refusal => ({
  limit,
  reason: `Cannot engage '${name}' as ${reason}`,
});

const without = ({ maxDepth, maxChildren, maxAgents }: TreeLimits): Partial<Record<TreeLimit, number>> =>
  withoutUndefined({ maxDepth, maxChildren, maxAgents });
