import type { Candidate, Decision } from '../../contracts/agents/decision.ts';

/** A candidate in a search tree, with its path and score. */
export interface SearchNode {
  readonly candidate: Candidate;
  /** Equal for equal decisions. */
  readonly key: string;
  /** From the root to this one, inclusive. */
  readonly path: readonly Candidate[];
  /** Without the novelty bonus. */
  readonly score: number;
  /** Index among its siblings. */
  readonly position: number;
}

/** Number of times that decisions were taken, by key. */
export type Visits = ReadonlyMap<string, number>;

/** A pure policy that prunes and orders the nodes of a search. */
export interface SearchPolicy {
  readonly name: string;
  /** Number of children kept per node, best first. */
  readonly keep: number;
  /** Number of waiting nodes; beyond it the worst are dropped. */
  readonly frontier: number;
  /** Nodes with a lower score are pruned. */
  readonly minScore: number;
  /** The current value of a node. */
  value(node: SearchNode, visits: number): number;
}

/** Options of the policies. */
export interface SearchPolicyOptions {
  readonly keep?: number | undefined;
  readonly frontier?: number | undefined;
  readonly minScore?: number | undefined;
  /** Bonus for a decision that was never taken; it shrinks with each visit. */
  readonly novelty?: number | undefined;
}

/** The highest score wins; the first of equals. */
export const greedy = ({
  keep = 1,
  frontier = 64,
  minScore = 0,
}: SearchPolicyOptions = {}): SearchPolicy => ({
  name: 'greedy',
  keep,
  frontier,
  minScore,
  value: ({ score }) => score,
});

/** Rarely taken decisions gain `novelty / (1 + visits)`: of equals, the less visited wins. */
export const dynamicTree = ({
  keep = 3,
  frontier = 64,
  minScore = 0,
  novelty = 0.25,
}: SearchPolicyOptions = {}): SearchPolicy => ({
  name: 'dynamic-tree',
  keep,
  frontier,
  minScore,
  value: ({ score }, visits) => score + novelty / (1 + visits),
});

/** A canonical text of a decision, independent of key order. */
export const keyOf = (decision: Decision): string =>
  JSON.stringify(decision, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : value,
  );

/** The best node; the earlier of equals. */
export const best = (
  nodes: readonly SearchNode[],
  policy: SearchPolicy,
  visits: Visits,
): SearchNode | undefined => rankNodes(nodes, policy, visits)[0];

/** The nodes, best first. */
export const rankNodes = (
  nodes: readonly SearchNode[],
  policy: SearchPolicy,
  visits: Visits,
): readonly SearchNode[] => {
  const worth = (node: SearchNode): number => policy.value(node, visits.get(node.key) ?? 0);
  return nodes.toSorted((a, b) => worth(b) - worth(a));
};
