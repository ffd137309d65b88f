import { TroupeError } from '../../contracts/error.ts';
import type { JuryResult } from '../../coordination/jury.ts';
import { juryMachine } from '../../coordination/jury.ts';
import { checkCount } from '../check-count.ts';
import type { EmbeddableAgent } from '../face.ts';
import { isPerson } from '../person-member.ts';
import { setupOf, team } from '../team.ts';
import type { Voter, VotingSetup } from './voting.ts';
import { countingOf, votersOf } from './voting.ts';

export type { JuryResult };

/** Who sits on the jury, and how long people have. */
export interface JurySetup extends VotingSetup {
  /** By name: agents, teams, and people (`person()`); one at least who is no person. They take a text. */
  readonly jurors: Readonly<Record<string, Voter>>;
  /** How long a person may take for a vote, in ms, counted from when it is asked for; then it is an abstention. Default: as long as it takes. */
  readonly deadlineMs?: number | undefined;
  /** Ballots held before the jury is hung; from the second on all know what the others said. Default 3. */
  readonly maxBallots?: number | undefined;
}

/**
 * Agents and people vote on one question, each without knowing the others' votes.
 *
 * A person is asked at the inbox of the run (`handle.requests`, `handle.reply`), and the run waits for the vote also while no
 * process has it, until the deadline: from then on the missing vote is an abstention. Who cannot be asked abstains. Where the
 * rule finds no winner there is another ballot; past `maxBallots` the run ends `stopped { kind: 'maxRounds' }` with the last
 * tally as its candidate.
 *
 * Not for a yes that has to come from one person: that is an approval (`approval` of a tool). Without people, take
 * `consensus`.
 *
 * @example
 * const panel = jury({ name: 'panel', jurors: { cost, safety, pat: person({ name: 'pat' }) }, deadlineMs: 86_400_000 });
 * const handle = panel.stream('Release version 2?');
 * handle.reply('approve: the numbers are good');
 *
 * @throws {TroupeError} `team.invalid` without a juror who is no person, for what `consensus` refuses, a deadline without a
 * person, or a number that bounds nothing.
 */
export const jury = (setup: JurySetup): EmbeddableAgent<string, JuryResult> => {
  const { name, jurors, deadlineMs } = setup;
  const voters = Object.keys(jurors);
  const counting = countingOf(setup, voters);
  const people = voters.filter((voter) => isPerson(jurors[voter]));
  const refuse = (why: string): never => {
    throw new TroupeError('team.invalid', `Cannot define the team '${name}' as ${why}`);
  };
  if (people.length === voters.length) refuse('all of its jurors are people: give it one who is none');
  if (deadlineMs !== undefined && people.length === 0)
    refuse('it has a deadline for people, and no person: make one with person()');
  const count = { code: 'team.invalid', owner: `the team '${name}'` } as const;
  return team({
    ...setupOf(setup),
    machine: juryMachine,
    members: votersOf(setup, jurors),
    options: {
      voters,
      people,
      deadlineMs: deadlineMs === undefined ? null : checkCount(deadlineMs, 1, 'deadlineMs', count),
      counting,
      maxRounds: checkCount(setup.maxBallots ?? 3, 1, 'maxBallots', count),
    },
  });
};
