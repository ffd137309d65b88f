import { assign } from 'xstate';
import type { Json } from '../contracts/json.ts';
import { ballotText } from './ballot.ts';
import { onDemand } from './on-demand.ts';
import { troubleOf } from './reply-text.ts';
import type { Reply } from './round.ts';
import { textOf } from './said-json.ts';
import { beginRound } from './settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds, tell } from './setup-team.ts';
import type { TeamContext, TeamEnd, TeamInput } from './team-context.ts';
import { repliesOf, spentEnd, teamContext, teamOutcome } from './team-context.ts';
import type { Counting, Vote, VoteTally } from './votes.ts';
import { tally, tallyText, voteOf, votesText, YES_NO } from './votes.ts';

/** The member that puts a consensus into words, which no voter may be called. */
export const SUMMARISER = 'summariser';

/** Who votes, and how it is counted. */
export type ConsensusOptions = {
  readonly voters: readonly string[];
  readonly counting: Counting;
  readonly maxRounds: number;
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

type Own = {
  readonly rounds: number;
  readonly votes: readonly Vote[];
  readonly tally: VoteTally | null;
};
type Context = TeamContext<Own, ConsensusOptions>;

const callVote = (context: Context): Partial<Context> => {
  const { own, options, input, inbox } = context;
  const round = own.rounds + 1;
  const ballot = ballotText({ ...own, input, inbox, round, choices: options.counting.choices });
  const tasks = options.voters.map((member) => ({ member, input: ballot }));
  return {
    own: { ...own, rounds: round },
    inbox: [],
    ...beginRound(context, tasks, { cap: options.concurrency }),
  };
};

/** The votes of this round, counted; the end, if there is nothing left to vote for. */
const count = (context: Context): Partial<Context> => {
  const { counting, maxRounds, isSummarised } = context.options;
  const replies = repliesOf(context);
  const votes = replies.map((reply) => voteOf(reply, counting));
  const counted = tally(votes, counting);
  const own = { ...context.own, votes, tally: counted };
  const result = resultOf(own, null);
  const spent = spentEnd(context);
  if (spent !== undefined) return { own, end: { ...spent, candidate: result } };
  if (replies.every(({ status }) => status !== 'completed'))
    return { own, end: nobodyVoted(replies, result) };
  if (counted.winner !== null) return isSummarised ? { own } : { own, end: agreed(result) };
  if (own.rounds < maxRounds) return { own };
  return {
    own,
    end: { status: 'stopped', stopReason: { kind: 'maxRounds', limit: maxRounds }, candidate: result },
  };
};

const resultOf = ({ rounds, votes, tally: counted }: Own, summary: Json): ConsensusResult => ({
  decision: counted?.winner ?? null,
  rounds,
  tally: counted ?? { winner: null, share: 0, counts: [], abstentions: 0 },
  votes,
  summary,
});

const agreed = (output: ConsensusResult): TeamEnd => ({
  status: 'completed',
  stopReason: { kind: 'answered' },
  output,
});

const nobodyVoted = ([first]: readonly Reply[], candidate: ConsensusResult): TeamEnd => ({
  status: 'failed',
  stopReason: { kind: 'failed' },
  candidate,
  ...(first === undefined || first.error === null ? {} : { error: first.error }),
});

const askSummariser = (context: Context): Partial<Context> => {
  const { own, input } = context;
  const { winner, ...rest } = own.tally ?? resultOf(own, null).tally;
  const text = [
    `It was voted on: ${textOf(input)}`,
    `Decided: ${winner ?? ''} (${tallyText({ winner, ...rest })})\n${votesText(own.votes)}`,
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
  setupTeam<Own, ConsensusOptions>()
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
        teamContext(input && { ...input, members: [] }, { rounds: 0, votes: [], tally: null }, DEFAULTS),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'polling',
      on: teamArrows,
      states: {
        polling: {
          description: 'All vote at the same time; from the second round on they know what the others said.',
          entry: ['callVote', { type: 'entered', params: { phase: 'polling' } }, 'engageMembers'],
          on: awaiting('tallying'),
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
          on: awaiting('summarised'),
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
