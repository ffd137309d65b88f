import type { AgentView } from '../../contracts/agents/agent-view.ts';
import type { Candidate, Selector } from '../../contracts/agents/decision.ts';
import { branch, firstCandidate } from '../../contracts/agents/decision.ts';
import type { Strategy } from '../../contracts/agents/strategy.ts';

/**
 * Proposes candidates before each step and lets a selector pick one.
 *
 * The agent's own `decide` goes first; without candidates the model decides. The candidates are in the event `agent.decided` and in the
 * record of the step, as `branch`.
 *
 * @example
 * branching({ propose: ({ state }) => openings(state), select: bestCandidate })
 *
 * @throws (as a failed decision) {TroupeError} `decision.invalid` if the selector picks what was not proposed.
 */
export const branching = ({
  propose,
  select = firstCandidate,
}: {
  readonly propose: (view: AgentView) => readonly Candidate[] | Promise<readonly Candidate[]>;
  readonly select?: Selector | undefined;
}): Strategy => ({
  name: 'branching',
  decide: async (view, own) => {
    const chosen = await own(view);
    if (chosen !== undefined) return chosen;
    const candidates = await propose(view);
    return candidates.length === 0 ? undefined : branch(candidates, select);
  },
});
