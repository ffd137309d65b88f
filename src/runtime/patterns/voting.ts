import { TroupeError } from '../../contracts/error.ts';
import { voteSchema } from '../../coordination/ballot.ts';
import type { Counting, Vote, VoteTally, VotingRule } from '../../coordination/votes.ts';
import { ABSTAIN, YES_NO } from '../../coordination/votes.ts';
import type { Member, TeamSetup } from '../team.ts';
import type { RoleOptions } from './role-of.ts';
import { roleOf } from './role-of.ts';

export type { Vote, VoteTally, VotingRule };

/** Somebody who votes: an agent, a team or a person as they are, or the options of an agent that is made for it. */
export type Voter = Member | RoleOptions;

/** How a vote is decided, whoever votes. */
export interface VotingSetup extends TeamSetup {
  /** What there is to choose from; two at least, none called `abstain`. Default: to approve the input, or to reject it. */
  readonly choices?: readonly string[] | undefined;
  /** Default `majority`. */
  readonly rule?: VotingRule | undefined;
  /**
   * From above 0 to 1. Of `threshold`: the share of the weight that a choice needs, default 0.75. Of `confidence`: how sure those who
   * make the majority have to be on average, default 0.8. No other rule takes one.
   */
  readonly threshold?: number | undefined;
  /** What votes weigh, by voter, where the rule is `weighted` or `threshold`; default 1. */
  readonly weights?: Readonly<Record<string, number>> | undefined;
  /** Whether abstentions (also those of members that failed) stand against every choice. Default false: they do not count. */
  readonly countAbstentions?: boolean | undefined;
}

const DEFAULT_THRESHOLDS: Readonly<Partial<Record<VotingRule, number>>> = {
  threshold: 0.75,
  confidence: 0.8,
};

/** How the votes of a setup are counted. */
export const countingOf = (setup: VotingSetup, voters: readonly string[]): Counting => {
  const { choices = YES_NO, rule = 'majority', weights = {}, threshold } = setup;
  const refuse = (why: string): never => {
    throw new TroupeError('team.invalid', `Cannot define the team '${setup.name}' as ${why}`);
  };
  if (voters.length === 0) refuse('nobody votes: give it a voter at least');
  const names = choices.map((choice) => choice.trim().toLowerCase());
  if (names.length < 2 || new Set(names).size < names.length || names.includes('') || names.includes(ABSTAIN))
    refuse(
      `its choices are not two at least, each with a name of its own, none of them '${ABSTAIN}': ${JSON.stringify(choices)}`,
    );
  const known = DEFAULT_THRESHOLDS[rule];
  if (threshold !== undefined && (known === undefined || !(threshold > 0 && threshold <= 1)))
    refuse(
      known === undefined
        ? `the rule '${rule}' has no threshold: found ${threshold}`
        : `its threshold is not above 0 and up to 1: ${threshold}`,
    );
  const weighed = Object.entries(weights);
  if (weighed.length > 0 && rule !== 'weighted' && rule !== 'threshold')
    refuse(`by the rule '${rule}' all votes weigh the same: weights are for 'weighted' and 'threshold'`);
  for (const [voter, weight] of weighed) {
    if (!voters.includes(voter)) refuse(`it weighs the vote of somebody who has none: '${voter}'`);
    if (!Number.isFinite(weight) || weight < 0)
      refuse(`the vote of '${voter}' weighs no number from 0: ${weight}`);
  }
  return {
    choices,
    rule,
    threshold: threshold ?? known ?? 0.5,
    weights,
    countsAbstentions: setup.countAbstentions ?? false,
  };
};

/** The voters as members: whoever is made of options answers by the schema of a vote. */
export const votersOf = (
  { name, choices = YES_NO }: VotingSetup,
  voters: Readonly<Record<string, Voter>>,
): Readonly<Record<string, Member>> =>
  Object.fromEntries(
    Object.entries(voters).map(([role, given]) => [
      role,
      roleOf(given, { team: name, role, output: voteSchema(choices) }),
    ]),
  );
