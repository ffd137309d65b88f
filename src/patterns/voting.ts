import type { OptionShape } from '../base/schemas/option-schemas.ts';
import {
  aBoolean,
  aFraction,
  aNumber,
  aText,
  anything,
  byName,
  listOf,
  oneOf,
} from '../base/schemas/option-schemas.ts';
import type { FlowArrow } from '../machines/diagrams/composition.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import type { Member, TeamSetup } from '../runtime/define/team.ts';
import type { SetupCheck } from './setup/check-setup.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';
import { voteSchema } from './state/ballot.ts';
import type { Counting, Vote, VoteTally, VotingRule } from './state/votes.ts';
import { ABSTAIN, YES_NO } from './state/votes.ts';
import type { VotingState } from './state/voting-round.ts';

export type { Vote, VoteTally, VotingRule, VotingState };

/** The voters, and the rule that decides. */
export interface VotingSetup extends TeamSetup {
  /** By name; they take a text. */
  readonly voters: Readonly<Record<string, Role>>;
  /** The choices: two at least, none called `abstain`. Default: to approve the input, or to reject it. */
  readonly choices?: readonly string[] | undefined;
  /** Default `majority`. */
  readonly rule?: VotingRule | undefined;
  /**
   * From above 0 to 1. Of `threshold`: the share of the weight that a choice needs, default 0.75. Of `confidence`: how sure those who
   * make the majority have to be on average, default 0.8. No other rule takes one.
   */
  readonly threshold?: number | undefined;
  /** The weights of votes, by voter, where the rule is `weighted` or `threshold`; default 1. */
  readonly weights?: Readonly<Record<string, number>> | undefined;
  /** True if abstentions (also those of members that failed) stand against every choice. Default false: they do not count. */
  readonly countAbstentions?: boolean | undefined;
}

const DEFAULT_THRESHOLDS: Readonly<Partial<Record<VotingRule, number>>> = {
  threshold: 0.75,
  confidence: 0.8,
};

const RULES: readonly VotingRule[] = ['majority', 'weighted', 'unanimous', 'threshold', 'confidence'];

/** The schemas of what every vote is given. */
export const votingShape = (): OptionShape<Omit<VotingSetup, keyof TeamSetup>> => ({
  voters: anything(),
  choices: listOf(aText()),
  rule: oneOf(RULES),
  threshold: aFraction(),
  weights: byName(aNumber(0)),
  countAbstentions: aBoolean(),
});

/** Reads how the votes of a setup are counted. */
export const countingOf = (check: SetupCheck, setup: VotingSetup): Counting => {
  const { weights = {}, threshold, choices = YES_NO, rule = 'majority', countAbstentions = false } = setup;
  const voters = Object.keys(setup.voters);
  const names = choices.map((choice) => choice.trim().toLowerCase());
  if (names.length < 2 || new Set(names).size < names.length || names.includes('') || names.includes(ABSTAIN))
    check.refuse(
      `its choices are not two at least, each with a name of its own, none of them '${ABSTAIN}'`,
      choices,
    );
  const known = DEFAULT_THRESHOLDS[rule];
  if (threshold !== undefined && known === undefined)
    check.refuse(`the rule '${rule}' has no threshold`, threshold);
  const weighed = Object.keys(weights);
  if (weighed.length > 0 && rule !== 'weighted' && rule !== 'threshold')
    check.refuse(
      `by the rule '${rule}' all votes weigh the same: weights are for 'weighted' and 'threshold'`,
      weights,
    );
  for (const voter of weighed)
    if (!voters.includes(voter)) check.refuse('it weighs the vote of somebody who has none', voter);
  return {
    choices,
    rule,
    threshold: threshold ?? known ?? 0.5,
    weights,
    countsAbstentions: countAbstentions,
  };
};

/** The step of a vote that nobody takes part in. */
export const COUNT = 'the count';

/** From the voters to the count, and back where it decides nothing. */
export const votingFlow = (
  voters: readonly string[],
  { rule }: Counting,
  maxRounds: number,
): readonly FlowArrow[] => [
  [OUTSIDE, voters],
  [voters, COUNT, rule],
  ...(maxRounds === 1 ? [] : [[COUNT, voters, `up to ${maxRounds} rounds`] as const]),
];

/** The voters as members: those made of options answer by the schema of a vote. */
export const votersOf = ({ name, voters, choices = YES_NO }: VotingSetup): Readonly<Record<string, Member>> =>
  Object.fromEntries(
    Object.entries(voters).map(([role, given]) => [
      role,
      roleOf(given, { team: name, role, output: voteSchema(choices) }),
    ]),
  );
