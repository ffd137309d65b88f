import { assign } from 'xstate';
import type { Json } from '../contracts/json.ts';
import { onDemand } from '../contracts/on-demand.ts';
import { troubleOf } from './round/reply-text.ts';
import { textOf } from './round/said-json.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds, tell } from './round/setup-team.ts';
import type { TeamContext, TeamEnd, TeamInput } from './round/team-context.ts';
import { repliesOf, teamContext, teamOutcome } from './round/team-context.ts';
import type { Vote, VoteTally } from './state/votes.ts';
import { tallyText, votesText, YES_NO } from './state/votes.ts';
import type { VotingOptions, VotingState } from './state/voting-round.ts';
import { ballotTasks, countRound, NO_TALLY, NO_VOTES } from './state/voting-round.ts';

/** The member that puts a consensus into words, which no voter may be called. */
export const SUMMARISER = 'summariser';

/** Who votes, and what is made of it. */
export type ConsensusOptions = VotingOptions & {
  readonly concurrency: number;
  readonly isSummarised: boolean;
};

/** What a vote came to, round by round. */
export type ConsensusResult = {
  /** What was agreed on; null where nothing was. */
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
  return { own, end: agreed(resultOf(own, null)) };
};

const resultOf = ({ rounds, votes, tally }: VotingState, summary: Json): ConsensusResult => ({
  decision: tally?.winner ?? null,
  rounds,
  tally: tally ?? NO_TALLY,
  votes,
  summary,
});

const agreed = (output: ConsensusResult): TeamEnd => ({
  status: 'completed',
  stopReason: { kind: 'answered' },
  output,
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
  return { end: agreed(resultOf(context.own, isSaid ? reply.output : null)) };
};

const DEFAULTS: ConsensusOptions = {
  voters: [],
  counting: { choices: YES_NO, rule: 'majority', threshold: 0.5, weights: {}, countsAbstentions: false },
  maxRounds: 1,
  concurrency: 1,
  isSummarised: false,
};

/**
 * Voters vote at the same time, the votes are counted by a rule, and where they decide nothing everybody votes again, knowing what
 * the others said.
 *
 * The count is arithmetic: no model has a say in who has won.
 */
export const consensusMachine = onDemand(() =>
  setupTeam<VotingState, ConsensusOptions>()
    .extend({
      actions: {
        callVote: assign(({ context }) => callVote(context)),
        count: assign(({ context }) => count(context)),
        askSummariser: assign(({ context }) => askSummariser(context)),
        takeSummary: assign(({ context }) => takeSummary(context)),
        tellCount: ({ self, context }) => {
          const { rounds, tally: counted } = context.own;
          if (counted === null) return;
          const text = `Round ${rounds}: ${tallyText(counted)}`;
          tell(self, { type: 'team.noted', text }, context, 'tallying');
        },
      },
      guards: { hasWinner: ({ context }) => (context.own.tally?.winner ?? null) !== null },
    })
    .createMachine({
      id: 'consensus',
      description: 'Voters vote until a rule says that they agree, or the rounds are over.',
      context: ({ input }: { input: TeamInput<ConsensusOptions> | undefined }) =>
        // Nobody votes for another.
        teamContext(input && { ...input, members: [] }, NO_VOTES, DEFAULTS),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'polling',
      on: teamArrows,
      states: {
        polling: {
          description: 'All vote at the same time; from the second round on they know what the others said.',
          entry: ['callVote', { type: 'entered', params: { phase: 'polling' } }, 'engageMembers'],
          ...awaiting('tallying'),
        },
        tallying: {
          description: 'Do the votes decide it, by the rule?',
          entry: ['count', { type: 'entered', params: { phase: 'tallying' } }, 'tellCount'],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'hasWinner', target: 'summarising' },
            { target: 'polling' },
          ],
        },
        summarising: {
          description: 'The summariser puts into words what was agreed on.',
          entry: [{ type: 'entered', params: { phase: 'summarising' } }, 'askSummariser', 'engageMembers'],
          ...awaiting('summarised'),
        },
        summarised: {
          description: 'It is decided, in words or without.',
          entry: ['takeSummary', { type: 'entered', params: { phase: 'summarised' } }],
          always: { target: 'completed' },
        },
        ...teamEnds,
      },
    }),
);
