import { TroupeError } from '../../contracts/error.ts';
import type { Candidate } from '../../contracts/decision.ts';
import { scoreOf } from '../../contracts/decision.ts';
import type { SearchNode, SearchPolicy, Visits } from './search-policy.ts';
import { best, keyOf, ranked } from './search-policy.ts';

/** What a search is made of. */
export interface SearchPlan {
  readonly policy: SearchPolicy;
  /** What could be done after a path of candidates; nothing is a dead end. */
  readonly expand: (path: readonly Candidate[]) => readonly Candidate[] | Promise<readonly Candidate[]>;
  /** What each is worth, from 0 to 1, in order. Default: its own score. */
  readonly score?:
    | ((
        candidates: readonly Candidate[],
        path: readonly Candidate[],
      ) => readonly number[] | Promise<readonly number[]>)
    | undefined;
  /** The depth to which it looks. Default 1: what to do next, and no further. */
  readonly maxDepth?: number | undefined;
  /** Expansions in all. Default 32. */
  readonly maxExpansions?: number | undefined;
  /** A path that needs nothing more. */
  readonly isGoal?: ((path: readonly Candidate[]) => boolean) | undefined;
  /** Decisions taken before, by key. */
  readonly visits?: Visits | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One thing that a search did. */
export type SearchMove =
  | { readonly type: 'expanded'; readonly depth: number; readonly scores: readonly number[] }
  | { readonly type: 'pruned'; readonly depth: number; readonly count: number }
  | { readonly type: 'selected'; readonly depth: number; readonly key: string; readonly score: number }
  | { readonly type: 'backtracked'; readonly depth: number };

/** What a search found: the path, empty where every way is a dead end, and how it came there. */
export interface SearchResult {
  readonly path: readonly Candidate[];
  readonly moves: readonly SearchMove[];
  /** What there was to choose from at the root, what was pruned too, each with its score. */
  readonly roots: readonly Candidate[];
  /** Which of them the path begins with; -1 for an empty path. */
  readonly chosen: number;
}

/**
 * Expands, scores, prunes, selects; at a dead end it backtracks to the best node that still waits.
 *
 * It ends at a goal, at its depth, or out of expansions: then the best path so far counts.
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
    const kept = keptOf(nodes, policy, visits, moves);
    const next = best(kept.length > 0 ? kept : frontier, policy, visits);
    if (kept.length === 0) {
      moves.push({ type: 'backtracked', depth: path.length });
      // A path that led nowhere is not the best so far.
      if (deepest === node) deepest = undefined;
    }
    if (next === undefined) break;
    const others = [...frontier, ...kept].filter((each) => each !== next);
    frontier = ranked(others, policy, visits).slice(0, policy.frontier);
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

const keptOf = (
  nodes: readonly SearchNode[],
  policy: SearchPolicy,
  visits: Visits,
  moves: SearchMove[],
): readonly SearchNode[] => {
  const worthy = nodes.filter((node) => node.score >= policy.minScore);
  const kept = ranked(worthy, policy, visits).slice(0, policy.keep);
  if (kept.length < nodes.length)
    moves.push({ type: 'pruned', depth: nodes[0]?.path.length ?? 0, count: nodes.length - kept.length });
  return kept;
};
