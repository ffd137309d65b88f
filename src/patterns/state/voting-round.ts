import type { Json } from '../../base/json/json.ts';
import { ballotText } from './ballot.ts';
import type { Task } from '../../coordination/round/round.ts';
import type { TeamContext, TeamEnd } from '../../coordination/round/team-context.ts';
import { repliesOf, spentEnd } from '../../coordination/round/team-context.ts';
import type { Counting, Vote, VoteTally } from './votes.ts';
import { tally, voteOf } from './votes.ts';

/** The voters, and the rule by which votes are counted. */
export type VotingOptions = {
  readonly voters: readonly string[];
  readonly counting: Counting;
  readonly maxRounds: number;
};

/** The state of a vote, in a consensus and in a jury. */
export type VotingState = {
  /** Rounds begun. */
  readonly rounds: number;
  /** Of the last round that was counted, as is the tally. */
  readonly votes: readonly Vote[];
  /** Null before the first round was counted. */
  readonly tally: VoteTally | null;
};

type Context<Options extends VotingOptions> = TeamContext<VotingState, Options>;

export const NO_VOTES: VotingState = { rounds: 0, votes: [], tally: null };

/** Before there was a vote. */
export const NO_TALLY: VoteTally = { winner: null, share: 0, counts: [], abstentions: 0 };

/** The tasks of all voters in the round to come. */
export const ballotTasks = <Options extends VotingOptions>(context: Context<Options>): readonly Task[] => {
  const { own, options, input, inbox } = context;
  const { choices } = options.counting;
  const ballot = ballotText({ ...own, input, inbox, choices, round: own.rounds + 1 });
  return options.voters.map((member) => ({ member, input: ballot }));
};

/**
 * The votes of this round, counted; the end, where there is none to agree on: nobody voted, the budget is spent, or the rounds are
 * over without a winner. What the votes come to is its candidate.
 */
export const countRound = <Options extends VotingOptions>(
  context: Context<Options>,
  resultOf: (own: VotingState) => Json,
): { readonly own: VotingState; readonly end?: TeamEnd } => {
  const { counting, maxRounds } = context.options;
  const replies = repliesOf(context);
  const votes = replies.map((reply) => voteOf(reply, counting));
  const own = { ...context.own, votes, tally: tally(votes, counting) };
  const candidate = resultOf(own);
  const spent = spentEnd(context);
  if (spent !== undefined) return { own, end: { ...spent, candidate } };
  if (replies.every(({ status }) => status !== 'completed')) {
    const error = replies.find((reply) => reply.error !== null)?.error ?? null;
    const cause = error === null ? {} : { error };
    return { own, end: { status: 'failed', stopReason: { kind: 'failed' }, candidate, ...cause } };
  }
  if (own.tally.winner !== null || own.rounds < maxRounds) return { own };
  return { own, end: { status: 'stopped', stopReason: { kind: 'maxRounds', limit: maxRounds }, candidate } };
};
