import type { ConsensusResult } from '../../coordination/consensus.ts';
import { consensusMachine, SUMMARISER } from '../../coordination/consensus.ts';
import { checkSetup } from './setup/check-setup.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import { setupOf, team } from '../define/team.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';
import type { VotingSetup, VotingState } from './voting.ts';
import { countingOf, votersOf } from './voting.ts';

export type { ConsensusResult };

/** Who has to agree, and when they do. */
export interface ConsensusSetup extends VotingSetup {
  /** Rounds held before it is given up; from the second on all know what the others said. Default 5. */
  readonly maxRounds?: number | undefined;
  /** Puts into words what was agreed on; it has no say in it. Default: nobody. */
  readonly summariser?: Role | undefined;
  /** Voters at work at the same time. Default 10. */
  readonly concurrency?: number | undefined;
}

/**
 * Voters vote until they agree: approve, reject or abstain, or one of several `choices`.
 *
 * The votes are counted by a rule, and no model has a say in that. A vote that cannot be read, and that of a member that
 * failed, is an abstention. Where the rule finds no winner all vote again, and read what the others said before; past
 * `maxRounds` the run ends `stopped { kind: 'maxRounds' }` with the last tally as its candidate. To reject is a decision, too.
 *
 * Not for questions with one right answer that can be looked up or computed: votes of like models go wrong together. Where a
 * person has to have a say, take `jury`.
 *
 * @example
 * const board = consensus({ name: 'board', voters: { cost, safety, users }, rule: 'threshold', threshold: 0.6 });
 * const { output } = await board.run('Ship it today?');
 * output?.decision; // 'approve' | 'reject'
 *
 * @throws {TroupeError} `team.invalid` without voters, for one called `summariser` or that is no agent, for choices that cannot be told apart, for
 * a threshold or weights that the rule does not take, or a number that bounds nothing.
 */
export const consensus = (setup: ConsensusSetup): EmbeddableAgent<string, ConsensusResult, VotingState> => {
  const check = checkSetup(setup);
  const { name, summariser } = setup;
  const voters = check.asked('voters', setup.voters, { reserved: [SUMMARISER] });
  const counting = countingOf(check, setup);
  return team({
    ...setupOf(setup),
    machine: consensusMachine,
    members: {
      ...votersOf(setup),
      ...(summariser === undefined
        ? {}
        : { [SUMMARISER]: roleOf(summariser, { team: name, role: SUMMARISER }) }),
    },
    options: {
      voters,
      counting,
      maxRounds: check.count('maxRounds', setup.maxRounds, 5),
      concurrency: check.count('concurrency', setup.concurrency, 10),
      isSummarised: summariser !== undefined,
    },
  });
};
