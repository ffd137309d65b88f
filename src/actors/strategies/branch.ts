import type { AgentView } from '../../contracts/agent.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { Candidate, Strategy } from '../../contracts/strategy.ts';
import { scoreOf } from './search-policy.ts';

/** Picks one of several; undefined leaves the choice to the model. */
export type Selector = (
  candidates: readonly Candidate[],
  view: AgentView,
) => Candidate | undefined | Promise<Candidate | undefined>;

/** The one named first. */
export const firstCandidate: Selector = ([first]) => first;

/** The one with the highest score; of equals, the first. */
export const bestCandidate: Selector = (candidates) =>
  candidates
    .map((candidate, position) => ({ candidate, score: scoreOf(candidate, position) }))
    .toSorted((a, b) => b.score - a.score)[0]?.candidate;

/**
 * Several things that could be done, and a selector that picks one.
 *
 * The agent's own `decide` goes first; with no candidates the model decides.
 *
 * @example
 * branch({ propose: ({ state }) => openings(state), select: bestCandidate })
 *
 * @throws (as a failed decision) {TroupeError} `decision.invalid` if the selector picks what was not proposed.
 */
export const branch = ({
  propose,
  select = firstCandidate,
}: {
  readonly propose: (view: AgentView) => readonly Candidate[] | Promise<readonly Candidate[]>;
  readonly select?: Selector | undefined;
}): Strategy => ({
  name: 'branch',
  decide: async (view, own) => {
    const chosen = await own(view);
    if (chosen !== undefined) return chosen;
    const candidates = await propose(view);
    if (candidates.length === 0) return undefined;
    const picked = await select(candidates, view);
    if (picked === undefined || candidates.includes(picked)) return picked?.decision;
    throw new TroupeError(
      'decision.invalid',
      `Cannot branch as the selector picked what is none of the ${candidates.length} candidates`,
    );
  },
});
