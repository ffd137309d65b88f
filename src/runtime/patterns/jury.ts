import type { JuryResult } from '../../coordination/jury.ts';
import { juryMachine } from '../../coordination/jury.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import { isPerson } from '../define/person-member.ts';
import { setupOf, team } from '../define/team.ts';
import type { VotingSetup, VotingState } from './voting.ts';
import { checkSetup } from './setup/check-setup.ts';
import { countingOf, votersOf } from './voting.ts';

export type { JuryResult };

/** Who sits on the jury (agents, teams, and people by `person()`; one at least who is no person), and how long people have. */
export interface JurySetup extends VotingSetup {
  /** The time that a person may take for a vote, in ms, counted from when it is asked for; then it is an abstention. Default: as long as it takes. */
  readonly personTimeMs?: number | undefined;
  /** Rounds held before the jury is hung; from the second on all know what the others said. Default 3. */
  readonly maxRounds?: number | undefined;
}

/**
 * Agents and people vote on one question, each without knowing the others' votes.
 *
 * A person is asked at the inbox of the run (`handle.requests`, `handle.reply`), and the run waits for the vote also while no
 * process has it, until the deadline: from then on the missing vote is an abstention. Who cannot be asked abstains. Where the
 * rule finds no winner there is another round; past `maxRounds` the run ends `stopped { kind: 'maxRounds' }` with the last
 * tally as its candidate.
 *
 * Not for a yes that has to come from one person: that is an approval (`approval` of a tool). Without people, take
 * `consensus`.
 *
 * @example
 * const panel = jury({ name: 'panel', voters: { cost, safety, pat: person({ name: 'pat' }) }, personTimeMs: 86_400_000 });
 * const handle = panel.stream('Release version 2?');
 * handle.reply('approve: the numbers are good');
 *
 * @throws {TroupeError} `team.invalid` without a voter who is no person, for what `consensus` refuses, a time for people without a
 * person, or a number that bounds nothing.
 */
export const jury = (setup: JurySetup): EmbeddableAgent<string, JuryResult, VotingState> => {
  const check = checkSetup(setup);
  const { personTimeMs } = setup;
  const voters = check.asked('voters', setup.voters, {});
  const people = voters.filter((voter) => isPerson(setup.voters[voter]));
  if (people.length === voters.length)
    check.refuse('all of its voters are people: give it one who is none', people.join(', '));
  if (personTimeMs !== undefined && people.length === 0)
    check.refuse('its personTimeMs is for people, and there is none: make one with person()', personTimeMs);
  const counting = countingOf(check, setup);
  return team({
    ...setupOf(setup),
    machine: juryMachine,
    members: votersOf(setup),
    options: {
      voters,
      people,
      personTimeMs: personTimeMs === undefined ? null : check.count('personTimeMs', personTimeMs, 1),
      counting,
      maxRounds: check.count('maxRounds', setup.maxRounds, 3),
    },
  });
};
