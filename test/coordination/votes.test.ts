import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/json/json.ts';
import type { Reply } from '../../src/coordination/round/round.ts';
import type { Counting, Vote, VotingRule } from '../../src/patterns/state/votes.ts';
import { ABSTAIN, tally, voteOf, YES_NO } from '../../src/patterns/state/votes.ts';
import { sized } from '../support/thorough.ts';

const RUNS = sized(300, 10_000);

const counting = (rule: VotingRule, options: Partial<Counting> = {}): Counting => ({
  choices: YES_NO,
  rule,
  threshold: 0.75,
  weights: {},
  countsAbstentions: false,
  ...options,
});

const vote = (said: string, { weight = 1, confidence = 0.5 } = {}): Vote => ({
  member: said,
  vote: said,
  confidence,
  weight,
  reason: null,
  perspective: null,
  error: null,
});

const yes = (options = {}) => vote('approve', options);
const no = (options = {}) => vote('reject', options);
const none = (options = {}) => vote(ABSTAIN, options);

describe('[KAIZEN-36] [D10] who has won is counted, from votes', () => {
  test.each<readonly [string, Counting, readonly Vote[], string | null]>([
    ['two of three', counting('majority'), [yes(), yes(), no()], 'approve'],
    ['to reject is a decision', counting('majority'), [yes(), no(), no()], 'reject'],
    ['a tie', counting('majority'), [yes(), no()], null],
    ['nobody', counting('majority'), [], null],
    ['all abstain', counting('majority'), [none(), none()], null],
    ['abstentions left out', counting('majority'), [yes(), none(), none()], 'approve'],
    ['abstentions counted', counting('majority', { countsAbstentions: true }), [yes(), none(), none()], null],
    ['half is not more than half', counting('majority', { countsAbstentions: true }), [yes(), none()], null],
    ['weight', counting('weighted'), [yes({ weight: 3 }), no(), no()], 'approve'],
    ['weight is not for a majority', counting('majority'), [yes({ weight: 3 }), no(), no()], 'reject'],
    ['votes that weigh nothing', counting('weighted'), [yes({ weight: 0 })], null],
    [
      'the weight of abstentions',
      counting('weighted', { countsAbstentions: true }),
      [yes(), none({ weight: 2 })],
      null,
    ],
    ['all', counting('unanimous'), [yes(), yes(), none()], 'approve'],
    ['not all', counting('unanimous'), [yes(), yes(), no()], null],
    ['all, and one abstains', counting('unanimous', { countsAbstentions: true }), [yes(), none()], null],
    ['three of four', counting('threshold'), [yes(), yes(), yes(), no()], 'approve'],
    ['two of three are too few', counting('threshold'), [yes(), yes(), no()], null],
    ['a low threshold', counting('threshold', { threshold: 0.2 }), [yes(), no(), no()], 'reject'],
    ['a low threshold and a tie', counting('threshold', { threshold: 0.2 }), [yes(), no()], null],
    [
      'sums of fractions',
      counting('threshold', { threshold: 0.3 / 0.4 }),
      [yes({ weight: 0.1 }), yes({ weight: 0.2 }), no({ weight: 0.1 })],
      'approve',
    ],
    [
      'sure enough',
      counting('confidence', { threshold: 0.8 }),
      [yes({ confidence: 0.9 }), yes({ confidence: 0.7 }), no({ confidence: 0 })],
      'approve',
    ],
    [
      'not sure enough',
      counting('confidence', { threshold: 0.85 }),
      [yes({ confidence: 0.9 }), yes({ confidence: 0.7 })],
      null,
    ],
    [
      'sure, but not a majority',
      counting('confidence', { threshold: 0.8 }),
      [yes({ confidence: 1 }), no({ confidence: 0.1 })],
      null,
    ],
  ])('%s', (_, options, votes, winner) => {
    expect(tally(votes, options).winner).toBe(winner);
  });

  const choice = fc.constantFrom('a', 'b', 'c', ABSTAIN);
  const anyVote = fc
    .record({
      choice,
      weight: fc.integer({ min: 0, max: 5 }),
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    .map((each) => vote(each.choice, each));
  const anyCounting = fc
    .record({
      rule: fc.constantFrom<VotingRule>('majority', 'weighted', 'unanimous', 'threshold', 'confidence'),
      threshold: fc.double({ min: 0.01, max: 1, noNaN: true }),
      countsAbstentions: fc.boolean(),
    })
    .map(({ rule, ...others }) => counting(rule, { choices: ['a', 'b', 'c'], ...others }));

  test('the order of votes changes nothing, and every vote is counted once', () => {
    fc.assert(
      fc.property(fc.array(anyVote, { maxLength: 8 }), anyCounting, (votes, options) => {
        const counted = tally(votes, options);
        expect(tally(votes.toReversed(), options).winner).toBe(counted.winner);
        const all = counted.counts.reduce((sum, { votes: number }) => sum + number, counted.abstentions);
        expect(all).toBe(votes.length);
      }),
      { numRuns: RUNS },
    );
  });

  test('nobody wins with fewer votes than another, and one more vote for the winner takes nothing from it', () => {
    fc.assert(
      fc.property(fc.array(anyVote, { maxLength: 8 }), anyCounting, (votes, options) => {
        const { winner, counts } = tally(votes, options);
        if (winner === null) return;
        const isWeighed = options.rule === 'weighted' || options.rule === 'threshold';
        const scores = counts.map((each) => (isWeighed ? each.weight : each.votes));
        const won = scores[counts.findIndex(({ choice: name }) => name === winner)];
        expect(scores.filter((score) => score >= (won ?? 0))).toHaveLength(1);
        expect(tally([...votes, vote(winner, { confidence: 1 })], options).winner).toBe(winner);
      }),
      { numRuns: RUNS },
    );
  });
});

const reply = (output: Json, more: Partial<Reply> = {}): Reply => ({
  member: 'ann',
  status: 'completed',
  output,
  stopReason: { kind: 'answered' },
  error: null,
  steps: 1,
  ...more,
});

describe('[KAIZEN-37] a vote is read as it was meant, or is an abstention', () => {
  const read = (output: Json, choices = YES_NO) => voteOf(reply(output), counting('majority', { choices }));

  test.each<readonly [Json, object]>([
    [
      { vote: 'approve', confidence: 0.9, reason: ' good ', perspective: 'cost' },
      { vote: 'approve', confidence: 0.9, reason: 'good', perspective: 'cost' },
    ],
    ['{"vote": "REJECT"}', { vote: 'reject', confidence: 0.5, reason: null, perspective: null }],
    ['Well:\n```json\n{"vote": "approve", "confidence": "0.7"}\n```', { vote: 'approve', confidence: 0.7 }],
    [
      { vote: 'approve', confidence: 7 },
      { vote: 'approve', confidence: 1 },
    ],
    [
      { vote: 'approve', confidence: -1 },
      { vote: 'approve', confidence: 0 },
    ],
    [
      { vote: 'approve', confidence: 'very' },
      { vote: 'approve', confidence: 0.5 },
    ],
    [
      { vote: 'maybe', reason: 'who knows' },
      { vote: 'abstain', reason: 'who knows' },
    ],
    [{ vote: 7 }, { vote: 'abstain' }],
    ['approve', { vote: 'approve', reason: null }],
    ['**Reject**: it is too dear', { vote: 'reject', reason: 'it is too dear' }],
    ['Abstain.', { vote: 'abstain', reason: null }],
    ['yes', { vote: 'approve' }],
    ['No, it is late', { vote: 'reject', reason: 'No, it is late' }],
    ['no objections', { vote: 'abstain', reason: 'no objections' }],
    ['approved-ish', { vote: 'abstain' }],
    ['I do not approve', { vote: 'abstain' }],
    [null, { vote: 'abstain' }],
    [['approve'], { vote: 'abstain' }],
  ])('%j', (said, expected) => {
    expect(read(said)).toMatchObject({ member: 'ann', weight: 1, error: null, ...expected });
  });

  test('of names that begin alike the longest counts; yes is none of them', () => {
    const choices = ['plan', 'plan b'];
    expect(read('Plan B, it is safer', choices)).toMatchObject({ vote: 'plan b', reason: 'it is safer' });
    expect(read('plan', choices).vote).toBe('plan');
    expect(read('yes', choices).vote).toBe('abstain');
  });

  test('a member that failed has no vote, whatever it had said, and it says why', () => {
    const stopped = reply(
      { vote: 'approve' },
      { status: 'stopped', stopReason: { kind: 'maxSteps', limit: 1 } },
    );
    expect(voteOf(stopped, counting('majority'))).toMatchObject({ vote: 'abstain', error: 'maxSteps' });
    const off = reply(null, { status: 'aborted', stopReason: { kind: 'aborted', reason: 'enough' } });
    expect(voteOf(off, counting('majority')).error).toBe('cancelled: enough');
  });

  test('its weight is that of its voter', () => {
    expect(voteOf(reply('approve'), counting('weighted', { weights: { ann: 3 } })).weight).toBe(3);
  });
});
