import { voteSchema } from '../../coordination/state/ballot.ts';
import type { Counting, Vote, VoteTally, VotingRule } from '../../coordination/state/votes.ts';
import { ABSTAIN, YES_NO } from '../../coordination/state/votes.ts';
import type { VotingState } from '../../coordination/state/voting-round.ts';
import type { Member, TeamSetup } from '../define/team.ts';
import type { SetupCheck } from './setup/check-setup.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';

export type { Vote, VoteTally, VotingRule, VotingState };

/** Who votes, and how it is decided. */
export interface VotingSetup extends TeamSetup {
  /** By name; they take a text. */
  readonly voters: Readonly<Record<string, Role>>;
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
  /** True if abstentions (also those of members that failed) stand against every choice. Default false: they do not count. */
  readonly countAbstentions?: boolean | undefined;
}

const DEFAULT_THRESHOLDS: Readonly<Partial<Record<VotingRule, number>>> = {
  threshold: 0.75,
  confidence: 0.8,
};

const RULES: readonly VotingRule[] = ['majority', 'weighted', 'unanimous', 'threshold', 'confidence'];

/** How the votes of a setup are counted. */
export const countingOf = (check: SetupCheck, setup: VotingSetup): Counting => {
  const { weights = {}, threshold } = setup;
  const voters = Object.keys(setup.voters);
  const choices = setup.choices === undefined ? YES_NO : check.texts('choices', setup.choices);
  const names = choices.map((choice) => choice.trim().toLowerCase());
  if (names.length < 2 || new Set(names).size < names.length || names.includes('') || names.includes(ABSTAIN))
    check.refuse(
      `its choices are not two at least, each with a name of its own, none of them '${ABSTAIN}'`,
      choices,
    );
  const rule = check.word('rule', setup.rule, 'majority', RULES);
  const known = DEFAULT_THRESHOLDS[rule];
  if (threshold !== undefined && known === undefined)
    check.refuse(`the rule '${rule}' has no threshold`, threshold);
  if (threshold !== undefined && !(typeof threshold === 'number' && threshold > 0 && threshold <= 1))
    check.refuse('its threshold is not above 0 and up to 1', threshold);
  const weighed = check.names('weights', weights);
  if (weighed.length > 0 && rule !== 'weighted' && rule !== 'threshold')
    check.refuse(
      `by the rule '${rule}' all votes weigh the same: weights are for 'weighted' and 'threshold'`,
      weights,
    );
  for (const voter of weighed) {
    if (!voters.includes(voter)) check.refuse('it weighs the vote of somebody who has none', voter);
    const weight = weights[voter];
    if (!(typeof weight === 'number' && Number.isFinite(weight) && weight >= 0))
      check.refuse(`the vote of '${voter}' weighs no number from 0`, weight);
  }
  return {
    choices,
    rule,
    threshold: threshold ?? known ?? 0.5,
    weights,
    countsAbstentions: check.flag('countAbstentions', setup.countAbstentions),
  };
};

/** The voters as members: whoever is made of options answers by the schema of a vote. */
export const votersOf = ({ name, voters, choices = YES_NO }: VotingSetup): Readonly<Record<string, Member>> =>
  Object.fromEntries(
    Object.entries(voters).map(([role, given]) => [
      role,
      roleOf(given, { team: name, role, output: voteSchema(choices) }),
    ]),
  );
