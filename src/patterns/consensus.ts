import type { Json } from '../base/json/json.ts';
import { anything, wholeNumber } from '../base/schemas/option-schemas.ts';
import { answeredWith } from '../coordination/round/ends.ts';
import { troubleOf } from '../coordination/round/reply-text.ts';
import { textOf } from '../coordination/round/said-json.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import type { TeamContext } from '../coordination/round/team-context.ts';
import { repliesOf } from '../coordination/round/team-context.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import { pattern } from './setup/pattern.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';
import { setupShape } from './setup/setup-schema.ts';
import type { Vote, VoteTally } from './state/votes.ts';
import { YES_NO, tallyText, votesText } from './state/votes.ts';
import type { VotingOptions, VotingState } from './state/voting-round.ts';
import { NO_TALLY, NO_VOTES, ballotTasks, countRound } from './state/voting-round.ts';
import type { VotingSetup } from './voting.ts';
import { COUNT, countingOf, votersOf, votingFlow, votingShape } from './voting.ts';

/** The voters, and the rounds that they have to agree in. */
export interface ConsensusSetup extends VotingSetup {
  /** Rounds held before it is given up; from the second on all know what the others said. Default 5. */
  readonly maxRounds?: number | undefined;
  /** Puts into words what was agreed on; it has no say in it. Default: nobody. */
  readonly summariser?: Role | undefined;
  /** Voters at work at the same time. Default 10. */
  readonly concurrency?: number | undefined;
}

/** The member that puts a consensus into words, which no voter may be called. */
const SUMMARISER = 'summariser';

/** The voters, and how their votes are used. */
export type ConsensusOptions = VotingOptions & {
  readonly concurrency: number;
  readonly isSummarised: boolean;
};

/** The result of a vote. */
export type ConsensusResult = {
  /** The choice agreed on; null where there is none. */
  readonly decision: string | null;
  /** Rounds held. */
  readonly rounds: number;
  /** Of the last round, as are the votes. */
  readonly tally: VoteTally;
  readonly votes: readonly Vote[];
  /** The consensus in words; null without a summariser, or where it failed. */
  readonly summary: Json;
};

type Context = TeamContext<VotingState, ConsensusOptions>;

const callVote = (context: Context): Partial<Context> => ({
  own: { ...context.own, rounds: context.own.rounds + 1 },
  inbox: [],
  ...beginRound(context, ballotTasks(context), { cap: context.options.concurrency }),
});

/** The votes of this round, counted: agreed, given up, or to be put into words. */
const count = (context: Context): Partial<Context> => {
  const counted = countRound(context, (own) => resultOf(own, null));
  const { own, end } = counted;
  const hasWinner = (own.tally?.winner ?? null) !== null;
  if (end !== undefined || !hasWinner || context.options.isSummarised) return counted;
  return { own, end: answeredWith(resultOf(own, null)) };
};

const resultOf = ({ rounds, votes, tally }: VotingState, summary: Json): ConsensusResult => ({
  decision: tally?.winner ?? null,
  rounds,
  tally: tally ?? NO_TALLY,
  votes,
  summary,
});

const askSummariser = (context: Context): Partial<Context> => {
  const { own, input } = context;
  const tally = own.tally ?? NO_TALLY;
  const text = [
    `It was voted on: ${textOf(input)}`,
    `Decided: ${tally.winner ?? ''} (${tallyText(tally)})\n${votesText(own.votes)}`,
    'Sum up in a few sentences what was decided, why, and what was said against it.',
  ].join('\n\n');
  return beginRound(context, [{ member: SUMMARISER, input: text }]);
};

/** A decision that nobody could put into words is a decision. */
const takeSummary = (context: Context): Partial<Context> => {
  const [reply] = repliesOf(context);
  const isSaid = reply !== undefined && troubleOf(reply) === null;
  return { end: answeredWith(resultOf(context.own, isSaid ? reply.output : null)) };
};

const DEFAULTS: ConsensusOptions = {
  voters: [],
  counting: { choices: YES_NO, rule: 'majority', threshold: 0.5, weights: {}, countsAbstentions: false },
  maxRounds: 1,
  concurrency: 1,
  isSummarised: false,
};

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
 * @throws {TroupeError} `team.invalid` without voters, for one called `summariser` or that is no agent, for choices that look the same, for
 * a threshold or weights that the rule does not take, or a number that bounds nothing.
 */
export const consensus = pattern({
  name: 'consensus',
  description: 'Voters vote until a rule says that they agree, or the rounds are over.',
  setup: () =>
    setupShape<ConsensusSetup>({
      ...votingShape(),
      maxRounds: wholeNumber(1),
      summariser: anything(),
      concurrency: wholeNumber(1),
    }),
  defaults: DEFAULTS,
  own: NO_VOTES,
  // Nobody votes for another.
  handsOnTo: () => [],
  actions: { callVote, count, askSummariser, takeSummary },
  tells: {
    tellCount: ({ own: { rounds, tally: counted } }) =>
      counted === null ? [] : [{ type: 'team.noted', text: `Round ${rounds}: ${tallyText(counted)}` }],
  },
  guards: { hasWinner: ({ own }) => (own.tally?.winner ?? null) !== null },
  initial: 'polling',
  states: {
    polling: {
      description: 'All vote at the same time; from the second round on they know what the others said.',
      entry: 'callVote',
      awaits: 'tallying',
    },
    tallying: {
      description: 'Do the votes decide it, by the rule?',
      entry: ['count', 'tellCount'],
      always: ['completed', 'failed', 'stopped', { guard: 'hasWinner', target: 'summarising' }, 'polling'],
    },
    summarising: {
      description: 'The summariser puts into words what was agreed on.',
      entry: 'askSummariser',
      awaits: 'summarised',
    },
    summarised: {
      description: 'It is decided, in words or without.',
      entry: 'takeSummary',
      always: 'completed',
    },
  },
  team:
    (open) =>
    (setup: ConsensusSetup): EmbeddableAgent<string, ConsensusResult, VotingState> => {
      const { check, make } = open(setup);
      const { name, summariser, maxRounds = 5, concurrency = 10 } = setup;
      const voters = check.asked('voters', setup.voters, { reserved: [SUMMARISER] });
      const counting = countingOf(check, setup);
      return make({
        flow: [
          ...votingFlow(voters, counting, maxRounds),
          ...(summariser === undefined
            ? [[COUNT, OUTSIDE] as const]
            : [[COUNT, SUMMARISER] as const, [SUMMARISER, OUTSIDE] as const]),
        ],
        members: {
          ...votersOf(setup),
          ...(summariser === undefined
            ? {}
            : { [SUMMARISER]: roleOf(summariser, { team: name, role: SUMMARISER }) }),
        },
        options: {
          voters,
          counting,
          maxRounds,
          concurrency,
          isSummarised: summariser !== undefined,
        },
      });
    },
});
