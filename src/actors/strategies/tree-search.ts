import type { AgentView } from '../../contracts/agents/agent-view.ts';
import type { Candidate } from '../../contracts/agents/decision.ts';
import { branch } from '../../contracts/agents/decision.ts';
import type { Strategy } from '../../contracts/agents/strategy.ts';
import type { SearchPolicy, Visits } from './search-policy.ts';
import { dynamicTree, keyOf } from './search-policy.ts';
import type { SearchPlan, SearchResult } from './search-tree.ts';
import { searchTree } from './search-tree.ts';

/** Options of {@link treeSearch}. */
export interface TreeSearchOptions extends Pick<SearchPlan, 'maxDepth' | 'maxExpansions' | 'isGoal'> {
  /** Candidates after a path; an empty list is a dead end. */
  readonly expand: (
    view: AgentView,
    path: readonly Candidate[],
  ) => readonly Candidate[] | Promise<readonly Candidate[]>;
  /** Scores of the candidates, from 0 to 1, in order. Default: their own. */
  readonly score?:
    | ((
        candidates: readonly Candidate[],
        view: AgentView,
        path: readonly Candidate[],
      ) => readonly number[] | Promise<readonly number[]>)
    | undefined;
  /** Default: the dynamic tree. */
  readonly policy?: SearchPolicy | undefined;
  /** Called with the result of every search. */
  readonly onSearched?: ((result: SearchResult, view: AgentView) => void) | undefined;
}

/**
 * Searches ahead before each step, and takes the first decision of the best path.
 *
 * The root candidates with their scores are in the event `agent.decided` and in the record of the step, as `branch`. The agent's own
 * `decide` goes first. Calls of earlier steps in the conversation count as visited. If every path is a dead end, the model decides.
 *
 * @example
 * agent({ name: 'player', strategy: treeSearch({ expand: (view, path) => movesAfter(view.state, path), maxDepth: 3 }) })
 */
export const treeSearch = ({
  expand,
  score,
  policy = dynamicTree(),
  onSearched,
  ...limits
}: TreeSearchOptions): Strategy => ({
  name: `tree-search: ${policy.name}`,
  decide: async (view, own) => {
    const chosen = await own(view);
    if (chosen !== undefined) return chosen;
    const result = await searchTree({
      ...limits,
      policy,
      visits: visitsIn(view),
      signal: view.signal,
      expand: (path) => expand(view, path),
      score: score === undefined ? undefined : (candidates, path) => score(candidates, view, path),
    });
    onSearched?.(result, view);
    return result.chosen < 0 ? undefined : branch(result.roots, (roots) => roots[result.chosen]);
  },
});

/** Number of times that each set of calls was made in this run, by decision key. */
const visitsIn = ({ transcript }: AgentView): Visits => {
  const visits = new Map<string, number>();
  for (const turn of transcript) {
    if (turn.role !== 'assistant' || turn.calls === undefined) continue;
    const key = keyOf({ kind: 'act', calls: turn.calls.map(({ name, input }) => ({ name, input })) });
    visits.set(key, (visits.get(key) ?? 0) + 1);
  }
  return visits;
};
