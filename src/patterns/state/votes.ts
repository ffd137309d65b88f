import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { confidenceOf, troubleOf, wordsOf } from '../../coordination/round/reply-text.ts';
import type { Reply } from '../../coordination/round/round.ts';
import { saidJson, textOf } from '../../coordination/round/said-json.ts';

/** The vote that is for none of the choices. */
export const ABSTAIN = 'abstain';

/** The choices where it is about one motion. */
export const YES_NO: readonly string[] = ['approve', 'reject'];

/**
 * When a choice has won. `majority`: more than half of the votes. `weighted`: more than half of their weight. `unanimous`: all of
 * them. `threshold`: so large a share of their weight. `confidence`: a majority whose own confidence is so high on average.
 */
export type VotingRule = 'majority' | 'weighted' | 'unanimous' | 'threshold' | 'confidence';

/** One member's vote. */
export type Vote = {
  readonly member: string;
  /** One of the choices, or `abstain`: also of a member that failed, or said something else. */
  readonly vote: string;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly weight: number;
  readonly reason: string | null;
  /** From where the voter looked at it. */
  readonly perspective: string | null;
  /** The reason for which this member has no vote; null if it has one. */
  readonly error: string | null;
};

/** The rule by which votes are counted. */
export type Counting = {
  readonly choices: readonly string[];
  readonly rule: VotingRule;
  /** The share that `threshold` wants, the mean confidence that `confidence` wants. */
  readonly threshold: number;
  readonly weights: Readonly<Record<string, number>>;
  /** True if an abstention counts among the votes of which a choice needs its share. */
  readonly countsAbstentions: boolean;
};

/** The result of a count. */
export type VoteTally = {
  /** The choice that has won by the rule; null for none. */
  readonly winner: string | null;
  /** The share of what was counted that was for the choice that most were for; 0 without a vote. */
  readonly share: number;
  readonly counts: readonly {
    readonly choice: string;
    readonly votes: number;
    readonly weight: number;
    /** Of those who voted so, on average; 0 without any. */
    readonly confidence: number;
  }[];
  readonly abstentions: number;
};

/** The error of sums of fractions, which is no vote. */
const EPSILON = 1e-9;

/**
 * Counts votes: the same whatever their order, without a clock, chance or a model. A tie has no winner.
 *
 * @example
 * tally(votes, { choices: ['approve', 'reject'], rule: 'majority', threshold: 0.5, weights: {}, countsAbstentions: false }).winner
 */
export const tally = (votes: readonly Vote[], counting: Counting): VoteTally => {
  const { choices, rule, countsAbstentions } = counting;
  const counts = choices.map((choice) => {
    const found = votes.filter(({ vote }) => vote === choice);
    const confidence = sum(found.map((each) => each.confidence)) / Math.max(1, found.length);
    return { choice, votes: found.length, weight: sum(found.map(({ weight }) => weight)), confidence };
  });
  const abstained = votes.filter(({ vote }) => !choices.includes(vote));
  const isWeighed = rule === 'weighted' || rule === 'threshold';
  const scores = counts.map(({ votes: number, weight }) => (isWeighed ? weight : number));
  const left = isWeighed ? sum(abstained.map(({ weight }) => weight)) : abstained.length;
  const base = sum(scores) + (countsAbstentions ? left : 0);
  const most = Math.max(0, ...scores);
  const first = scores.findIndex((score) => score === most);
  const isAlone = scores.every((score, index) => index === first || score < most - EPSILON);
  const share = base > 0 ? most / base : 0;
  const leader = counts[first];
  const hasWon = most > 0 && isAlone && leader !== undefined && wins(counting, share, leader.confidence);
  return {
    winner: hasWon ? leader.choice : null,
    share,
    counts,
    abstentions: abstained.length,
  };
};

const wins = ({ rule, threshold }: Counting, share: number, confidence: number): boolean => {
  switch (rule) {
    case 'majority':
    case 'weighted':
      return share > 0.5 + EPSILON;
    case 'unanimous':
      return share > 1 - EPSILON;
    case 'threshold':
      return share > threshold - EPSILON;
    default:
      return share > 0.5 + EPSILON && confidence > threshold - EPSILON;
  }
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The vote that a reply is: of a member that failed, or said none of the choices, an abstention. */
export const voteOf = (reply: Reply, { choices, weights }: Counting): Vote => {
  const { member, output } = reply;
  const error = troubleOf(reply);
  const said = error === null ? readVote(output, choices) : NOTHING_SAID;
  return { member: member, ...said, weight: weights[member] ?? 1, error };
};

type Said = Pick<Vote, 'vote' | 'confidence' | 'reason' | 'perspective'>;

const NOTHING_SAID: Said = { vote: ABSTAIN, confidence: 0.5, reason: null, perspective: null };

const readVote = (output: Json, choices: readonly string[]): Said => {
  const data = saidJson(output);
  if (!isJsonObject(data)) return readWords(textOf(output), choices);
  const { vote, confidence, reason, perspective } = data;
  return {
    vote: typeof vote === 'string' ? (choiceIn(vote, choices) ?? ABSTAIN) : ABSTAIN,
    confidence: confidenceOf(confidence),
    reason: wordsOf(reason),
    perspective: wordsOf(perspective),
  };
};

/** `approve`, `Approve: it is cheap`, `**reject**`; what comes after the word is the reason. */
const readWords = (text: string, choices: readonly string[]): Said => {
  const plain = text.replaceAll(/[*_`"']/g, '').trim();
  const found = [...choices, ABSTAIN]
    // The longest first: of `plan` and `plan b`, what begins with the second is not the first.
    .toSorted((a, b) => b.length - a.length)
    .find((choice) => {
      const isFirst = plain.toLowerCase().startsWith(choice.toLowerCase());
      return isFirst && !/^[\p{L}\p{N}-]/u.test(plain.slice(choice.length));
    });
  if (found === undefined) return { ...NOTHING_SAID, vote: yesOrNo(plain, choices), reason: wordsOf(plain) };
  const reason = plain.slice(found.length).replace(/^[\s.,:;!–—-]+/u, '');
  return { ...NOTHING_SAID, vote: found, reason: wordsOf(reason) };
};

/** People say yes and no; `no objections` is neither. */
const yesOrNo = (plain: string, choices: readonly string[]): string => {
  const [, word = ''] = /^(yes|no)(?:$|[.,:;!])/i.exec(plain) ?? [];
  return choiceIn({ yes: 'approve', no: 'reject' }[word.toLowerCase()] ?? '', choices) ?? ABSTAIN;
};

const choiceIn = (said: string, choices: readonly string[]): string | undefined =>
  choices.find((choice) => choice.toLowerCase() === said.trim().toLowerCase());

/** A tally in words: `2 approve, 1 reject, 0 abstain`. */
export const tallyText = ({ counts, abstentions }: VoteTally): string =>
  [...counts.map(({ choice, votes }) => `${votes} ${choice}`), `${abstentions} ${ABSTAIN}`].join(', ');

/** The votes of the round before, with their reasons, as the voters of the next round read them. */
export const votesText = (votes: readonly Vote[]): string =>
  votes
    .map(({ member, vote, confidence, reason, perspective, error }) => {
      if (error !== null) return `- ${member}: no vote (${error})`;
      const seen = perspective === null ? '' : ` [${perspective}]`;
      return `- ${member}${seen}: ${vote} (confidence ${confidence})${reason === null ? '' : `: ${reason}`}`;
    })
    .join('\n');
