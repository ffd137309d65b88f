import { TroupeError } from '../../contracts/errors/error.ts';
import type { Candidate } from '../../contracts/agents/decision.ts';
import { scoreOf } from '../../contracts/agents/decision.ts';
import type { SearchNode, SearchPolicy, Visits } from './search-policy.ts';
import { best, keyOf, rankNodes } from './search-policy.ts';

/** Options of {@link searchTree}. */
export interface SearchPlan {
  readonly policy: SearchPolicy;
  /** Candidates after a path; an empty list is a dead end. */
  readonly expand: (path: readonly Candidate[]) => readonly Candidate[] | Promise<readonly Candidate[]>;
  /** Scores of the candidates, from 0 to 1, in order. Default: their own. */
  readonly score?:
    | ((
        candidates: readonly Candidate[],
        path: readonly Candidate[],
      ) => readonly number[] | Promise<readonly number[]>)
    | undefined;
  /** Depth of the search. Default 1: only the next decision. */
  readonly maxDepth?: number | undefined;
  /** Total number of expansions. Default 32. */
  readonly maxExpansions?: number | undefined;
  /** Checks whether a path is complete. */
  readonly isGoal?: ((path: readonly Candidate[]) => boolean) | undefined;
  /** Decisions taken before, by key. */
  readonly visits?: Visits | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One action of a search. */
export type SearchMove =
  | { readonly type: 'expanded'; readonly depth: number; readonly scores: readonly number[] }
  | { readonly type: 'pruned'; readonly depth: number; readonly count: number }
  | { readonly type: 'selected'; readonly depth: number; readonly key: string; readonly score: number }
  | { readonly type: 'backtracked'; readonly depth: number };

/** The result of a search: the path, empty if every path is a dead end, and its history. */
export interface SearchResult {
  readonly path: readonly Candidate[];
  readonly moves: readonly SearchMove[];
  /** The candidates at the root with their scores, including pruned ones. */
  readonly roots: readonly Candidate[];
  /** Index among the roots of the path's first candidate; -1 for an empty path. */
  readonly chosen: number;
}

/**
 * Expands, scores, prunes and selects; at a dead end it backtracks to the best waiting node.
 *
 * It ends at a goal, at its depth limit, or out of expansions: then the best path so far counts.
 *
 * @example
 * const { path } = await searchTree({ policy: greedy(), expand: () => [{ decision: answer('a') }] });
 *
 * @throws {TroupeError} `decision.invalid` if a score is missing or no number.
 */
export const searchTree = async (plan: SearchPlan): Promise<SearchResult> => {
  const { policy, maxDepth = 1, maxExpansions = 32, isGoal } = plan;
  const visits = new Map(plan.visits);
  const moves: SearchMove[] = [];
  let roots: readonly SearchNode[] = [];
  const found = (path: readonly Candidate[]): SearchResult => ({
    path,
    moves,
    roots: roots.map(({ candidate, score }) => ({ ...candidate, score })),
    chosen: roots.findIndex(({ candidate }) => candidate === path[0]),
  });
  let frontier: readonly SearchNode[] = [];
  let node: SearchNode | undefined;
  let deepest: SearchNode | undefined;
  for (let expansions = 0; expansions < maxExpansions; expansions += 1) {
    plan.signal?.throwIfAborted();
    const path = node?.path ?? [];
    const nodes = await childrenOf(path, plan, moves);
    if (node === undefined) roots = nodes;
    const kept = nodesToKeep(nodes, policy, visits, moves);
    const next = best(kept.length > 0 ? kept : frontier, policy, visits);
    if (kept.length === 0) {
      moves.push({ type: 'backtracked', depth: path.length });
      // A path to a dead end is not the best so far.
      if (deepest === node) deepest = undefined;
    }
    if (next === undefined) break;
    const others = [...frontier, ...kept].filter((each) => each !== next);
    frontier = rankNodes(others, policy, visits).slice(0, policy.frontier);
    visits.set(next.key, (visits.get(next.key) ?? 0) + 1);
    moves.push({ type: 'selected', depth: next.path.length, key: next.key, score: next.score });
    if (deepest === undefined || next.path.length >= deepest.path.length) deepest = next;
    node = next;
    if (next.path.length >= maxDepth || isGoal?.(next.path) === true) return found(next.path);
  }
  return found(deepest?.path ?? []);
};

const childrenOf = async (
  path: readonly Candidate[],
  { expand, score }: SearchPlan,
  moves: SearchMove[],
): Promise<readonly SearchNode[]> => {
  const candidates = await expand(path);
  const scores =
    score === undefined || candidates.length === 0 ? candidates.map(scoreOf) : await score(candidates, path);
  const depth = path.length + 1;
  const nodes = candidates.map((candidate, position): SearchNode => {
    const worth = scores[position];
    if (worth === undefined || Number.isNaN(worth))
      throw new TroupeError(
        'decision.invalid',
        `Cannot search as candidate ${position + 1} of ${candidates.length} has no score: ${String(worth)}`,
      );
    return { candidate, key: keyOf(candidate.decision), path: [...path, candidate], score: worth, position };
  });
  if (nodes.length > 0) moves.push({ type: 'expanded', depth, scores });
  return nodes;
};

const nodesToKeep = (
  nodes: readonly SearchNode[],
  policy: SearchPolicy,
  visits: Visits,
  moves: SearchMove[],
): readonly SearchNode[] => {
  const worthy = nodes.filter((node) => node.score >= policy.minScore);
  const kept = rankNodes(worthy, policy, visits).slice(0, policy.keep);
  if (kept.length < nodes.length)
    moves.push({ type: 'pruned', depth: nodes[0]?.path.length ?? 0, count: nodes.length - kept.length });
  return kept;
};
