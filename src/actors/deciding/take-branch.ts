import type { AgentView } from '../../contracts/agents/agent-view.ts';
import type {
  BranchDecision,
  BranchTaken,
  Decision,
  TakenDecision,
} from '../../contracts/agents/decision.ts';
import { firstCandidate } from '../../contracts/agents/decision.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { andThen } from '../../base/promises/thenable.ts';

/** The decision selected from a branch, and the branch to record. */
export interface SelectedBranch {
  readonly decision: TakenDecision;
  readonly branch: BranchTaken;
}

/**
 * Runs selectors from the branch down to a decision that can be executed; undefined if one leaves it to the model.
 *
 * `given` has the selectors and the candidates that they know; `plain` is the same branch, validated and as plain JSON.
 *
 * @throws (or rejects with) {TroupeError} `decision.invalid` if a selector picks what is no candidate.
 */
export const takeBranch = (
  given: BranchDecision,
  plain: BranchDecision,
  view: AgentView,
): SelectedBranch | undefined | Promise<SelectedBranch | undefined> =>
  andThen(pick(given, plain, view, []), (picked) =>
    picked === undefined
      ? undefined
      : {
          decision: picked.decision,
          branch: { candidates: plain.candidates, chosen: picked.chosen },
        },
  );

interface Picked {
  readonly decision: TakenDecision;
  readonly chosen: readonly number[];
}

const pick = (
  given: BranchDecision,
  plain: BranchDecision,
  view: AgentView,
  above: readonly number[],
): Picked | undefined | Promise<Picked | undefined> => {
  const { candidates, select = firstCandidate } = given;
  if (typeof select !== 'function')
    throw new TroupeError(
      'decision.invalid',
      `Cannot branch as its selector is not a function: ${typeof select}`,
    );
  return andThen(select(candidates, view), (picked) => {
    if (picked === undefined) return undefined;
    const index = candidates.indexOf(picked);
    const decision = plain.candidates[index]?.decision;
    if (decision === undefined)
      throw new TroupeError(
        'decision.invalid',
        `Cannot branch as the selector picked what is none of the ${candidates.length} candidates: ${decisionText(picked.decision)}`,
      );
    const chosen = [...above, index];
    if (decision.kind !== 'branch') return { decision, chosen };
    return pick(picked.decision.kind === 'branch' ? picked.decision : decision, decision, view, chosen);
  });
};

const decisionText = (decision: Decision | undefined): string =>
  JSON.stringify(decision)?.slice(0, 200) ?? 'nothing';
