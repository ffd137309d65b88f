import { wholeNumber } from '../base/schemas/option-schemas.ts';
import { answeredWith } from '../coordination/round/ends.ts';
import { placeAt } from '../coordination/round/round.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import type { TeamContext } from '../coordination/round/team-context.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import { isPerson } from '../runtime/define/person-member.ts';
import { pattern } from './setup/pattern.ts';
import { setupShape } from './setup/setup-schema.ts';
import type { Vote, VoteTally } from './state/votes.ts';
import { YES_NO } from './state/votes.ts';
import type { VotingOptions, VotingState } from './state/voting-round.ts';
import { NO_TALLY, NO_VOTES, ballotTasks, countRound } from './state/voting-round.ts';
import type { VotingSetup } from './voting.ts';
import { COUNT, countingOf, votersOf, votingFlow, votingShape } from './voting.ts';

/** The jurors (agents, teams, and people by `person()`; one at least who is no person), and the time that people have. */
export interface JurySetup extends VotingSetup {
  /** The time that a person may take for a vote, in ms, counted from when it is asked for; then it is an abstention. Default: as long as it takes. */
  readonly personTimeMs?: number | undefined;
  /** Rounds held before the jury is hung; from the second on all know what the others said. Default 3. */
  readonly maxRounds?: number | undefined;
}

/** The jurors. */
export type JuryOptions = VotingOptions & {
  /** Those of the voters who are people. */
  readonly people: readonly string[];
  /** The time that a person may take for a vote, in ms; null: as long as it takes. */
  readonly personTimeMs: number | null;
};

/** The verdict of a jury. */
export type JuryResult = {
  /** Null where the jury is hung. */
  readonly decision: string | null;
  /** Ballots held. */
  readonly rounds: number;
  /** Of the last ballot, as are the votes. */
  readonly tally: VoteTally;
  readonly votes: readonly Vote[];
};

type Context = TeamContext<VotingState, JuryOptions>;

const callBallot = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const { people, personTimeMs } = options;
  const tasks = ballotTasks(context).map((task) =>
    personTimeMs === null || !people.includes(task.member) ? task : { ...task, timeMs: personTimeMs },
  );
  return { own: { ...own, rounds: own.rounds + 1 }, inbox: [], ...beginRound(context, tasks) };
};

/** Checks whether nobody but people is waited for now that an answer is in. */
const isPeoplesTurn = ({ round, options }: Context): boolean => {
  if (round.standing !== 'open') return false;
  const open = round.tasks.filter((_, index) => (placeAt(round, index)?.reply ?? null) === null);
  return open.length > 0 && open.every(({ member }) => options.people.includes(member));
};

const resultOf = ({ rounds, votes, tally }: VotingState): JuryResult => ({
  decision: tally?.winner ?? null,
  rounds,
  tally: tally ?? NO_TALLY,
  votes,
});

const count = (context: Context): Partial<Context> => {
  const counted = countRound(context, resultOf);
  const { own, end } = counted;
  if (end !== undefined || own.tally?.winner == null) return counted;
  return { own, end: answeredWith(resultOf(own)) };
};

const DEFAULTS: JuryOptions = {
  voters: [],
  people: [],
  personTimeMs: null,
  counting: { choices: YES_NO, rule: 'majority', threshold: 0.5, weights: {}, countsAbstentions: false },
  maxRounds: 1,
};

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
export const jury = pattern({
  name: 'jury',
  description: 'Agents and people vote; who has not voted by the deadline abstains.',
  setup: () =>
    setupShape<JurySetup>({
      ...votingShape(),
      personTimeMs: wholeNumber(1),
      maxRounds: wholeNumber(1),
    }),
  defaults: DEFAULTS,
  own: NO_VOTES,
  // Nobody votes for another.
  handsOnTo: () => [],
  actions: { callBallot, count },
  guards: { isPeoplesTurn },
  initial: 'deliberating',
  states: {
    deliberating: {
      description: 'All jurors are asked for their vote, people and agents, and agents are at work on it.',
      entry: 'callBallot',
      awaits: 'counting',
      always: { guard: 'isPeoplesTurn', target: 'awaitingPeople' },
    },
    awaitingPeople: {
      description: 'Only people have not voted yet: they have until their deadline.',
      awaits: 'counting',
    },
    counting: {
      description: 'Is there a verdict, or is the jury hung?',
      entry: 'count',
      always: ['completed', 'failed', 'stopped', 'deliberating'],
    },
  },
  team:
    (open) =>
    (setup: JurySetup): EmbeddableAgent<string, JuryResult, VotingState> => {
      const { check, make } = open(setup);
      const { personTimeMs = null, maxRounds = 3 } = setup;
      const voters = check.asked('voters', setup.voters, {});
      const people = voters.filter((voter) => isPerson(setup.voters[voter]));
      if (people.length === voters.length)
        check.refuse('all of its voters are people: give it one who is none', people.join(', '));
      if (personTimeMs !== null && people.length === 0)
        check.refuse(
          'its personTimeMs is for people, and there is none: make one with person()',
          personTimeMs,
        );
      const counting = countingOf(check, setup);
      return make({
        flow: [...votingFlow(voters, counting, maxRounds), [COUNT, OUTSIDE]],
        members: votersOf(setup),
        options: {
          voters,
          people,
          personTimeMs,
          counting,
          maxRounds,
        },
      });
    },
});
