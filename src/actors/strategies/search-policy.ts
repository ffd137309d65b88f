import type { Candidate, Decision } from '../../contracts/decision.ts';

/** A candidate in a tree: where it hangs, and what it is worth. */
export interface SearchNode {
  readonly candidate: Candidate;
  /** The same for the same decision. */
  readonly key: string;
  /** From the root to this one, itself included. */
  readonly path: readonly Candidate[];
  /** Without novelty. */
  readonly score: number;
  /** Which of its siblings. */
  readonly position: number;
}

/** The number of times that a decision was taken, by its key. */
export type Visits = ReadonlyMap<string, number>;

/** What a search keeps, and what it takes next. Pure. */
export interface SearchPolicy {
  readonly name: string;
  /** Candidates of one node that are kept, best first. */
  readonly keep: number;
  /** Nodes that wait for their turn; beyond it the worst are dropped. */
  readonly frontier: number;
  /** Worth less than this is pruned. */
  readonly minScore: number;
  /** What a node is worth now. */
  value(node: SearchNode, visits: number): number;
}

/** Knobs of the policies. */
export interface SearchPolicyOptions {
  readonly keep?: number | undefined;
  readonly frontier?: number | undefined;
  readonly minScore?: number | undefined;
  /** What a decision gains that was never taken; it gains less with each time. */
  readonly novelty?: number | undefined;
}

/** The highest score wins; of equals, the first. */
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

/** What was seldom taken gains `novelty / (1 + visits)`: of equals, the less visited wins. */
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

/** One text for decisions that do the same, whatever the order of keys. */
export const keyOf = (decision: Decision): string =>
  JSON.stringify(decision, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : value,
  );

/** The best of some nodes; of equals the earlier. */
export const best = (
  nodes: readonly SearchNode[],
  policy: SearchPolicy,
  visits: Visits,
): SearchNode | undefined => ranked(nodes, policy, visits)[0];

/** Nodes, best first. */
export const ranked = (
  nodes: readonly SearchNode[],
  policy: SearchPolicy,
  visits: Visits,
): readonly SearchNode[] => {
  const worth = (node: SearchNode): number => policy.value(node, visits.get(node.key) ?? 0);
  return nodes.toSorted((a, b) => worth(b) - worth(a));
};
