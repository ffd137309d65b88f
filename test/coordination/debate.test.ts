import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { debate } from '../../src/patterns/index.ts';
import type { DebateResult, DebateSetup, DebateTurn } from '../../src/patterns/debate.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { letTimePass, ofType, phasesOf, settled, start } from '../support/runs.ts';

/** A speaker and what it was asked. */
const speaker = (name: string, ...script: readonly ScriptedReply[]) => {
  const model = scriptedModel(script, name);
  const asked = () => model.requests.map(({ messages }) => messages[0]?.text ?? '');
  return { asked, model, agent: agent({ name, model, failures: { retry: { attempts: 1 } } }) };
};
const dead = new Error('out of paper');
const three = (name: string) => speaker(name, `${name}-1`, `${name}-2`, `${name}-3`);

describe('a debate', () => {
  const run = async (setup: Omit<DebateSetup, 'name'>) => {
    const clock = virtualClock(0);
    const court: Agent<string, unknown> = debate({ name: 'court', ...setup });
    return letTimePass(clock, settled(start(court, 'Tabs!', { clock })), 1_000);
  };

  test('[KAIZEN-32] [QITOS-94] three rounds of two are six turns, in order, and one judgement', async () => {
    const [ann, bob] = [three('ann'), three('bob')];
    const judge = scriptedModel(['{"decision": "against", "confidence": 0.9, "reason": "bob was right"}']);
    const result = await run({ debaters: { ann: ann.agent, bob: bob.agent }, judge: { model: judge } });
    expect(ofType(result.events, 'member.engaged').map(({ member }) => member)).toEqual([
      'ann',
      'bob',
      'ann',
      'bob',
      'ann',
      'bob',
      'court-judge',
    ]);
    expect(phasesOf(result.events, 'court')).toEqual(
      ['opening', 'opening', 'rebutting', 'rebutting', 'closing', 'closing']
        .flatMap((phase) => [phase, 'hearing'])
        .concat('judgement', 'judged', 'completed'),
    );
    expect(result.output).toMatchObject({ decision: 'against', confidence: 0.9, reason: 'bob was right' });
    expect(judge.requests[0]).toMatchObject({ output: { name: 'court_judge_answer' } });
  });

  test('[KAIZEN-32] openings know of nothing; each turn after them holds the opponents’ last, and nothing older', async () => {
    const [ann, bob, carl] = [three('ann'), three('bob'), three('carl')];
    await run({ debaters: { ann: ann.agent, bob: bob.agent, carl: carl.agent } });
    const [opening, rebuttal, closing] = bob.asked();
    expect(opening).toContain('Motion: Tabs!');
    expect(opening).toContain('You are bob, and speak against the motion. Turn 1 of 3.');
    expect(opening).not.toContain('ann-1');
    // Ann has spoken again before bob rebuts; carl has not.
    expect(rebuttal).toContain(
      "Your opponents' last turns:\n[ann, for, rebuttal] ann-2\n[carl, for, opening] carl-1",
    );
    expect(rebuttal).toContain('Your last turn:\n[bob, against, opening] bob-1');
    expect(rebuttal).not.toContain('ann-1');
    expect(closing).toContain('[ann, for, closing] ann-3\n[carl, for, rebuttal] carl-2');
    expect(carl.asked()[1]).not.toContain('ann-');
  });

  test('[D12] the judge reads the whole transcript in order, of this debate only', async () => {
    const judge = speaker('judge', 'for', 'tie');
    const court = (word: string) =>
      debate({
        name: 'court',
        rounds: 2,
        debaters: {
          ann: speaker('ann', `${word}-a1`, `${word}-a2`).agent,
          bob: speaker('bob', `${word}-b1`, `${word}-b2`).agent,
        },
        judge: judge.agent,
      });
    await settled(start(court('old'), 'x'));
    await settled(start(court('new'), 'x'));
    const text = judge.asked()[1] ?? '';
    expect([...text.matchAll(/\w+-[ab]\d/g)].map(([turn]) => turn)).toEqual([
      'new-a1',
      'new-b1',
      'new-a2',
      'new-b2',
    ]);
    expect(text).toContain(
      'in order:\n[ann, for, opening] new-a1\n[bob, against, opening] new-b1\n[ann, for, closing] new-a2\n[bob, against, closing] new-b2',
    );
  });

  test.each<readonly [string, object]>([
    ['{"decision": "sideways", "confidence": 0.9}', { decision: 'tie', confidence: 0.9, reason: null }],
    ['{"decision": "FOR", "confidence": 9}', { decision: 'for', confidence: 1 }],
    ['{"decision": "against", "confidence": -9}', { decision: 'against', confidence: 0 }],
    ['{"decision": "for", "confidence": "no idea"}', { decision: 'for', confidence: 0.5 }],
    ['**Against**, by a hair', { decision: 'against', confidence: 0.5, reason: 'Against, by a hair' }],
    ['Both were good', { decision: 'tie', reason: 'Both were good' }],
    ['For-profit is bad', { decision: 'tie' }],
  ])('[KAIZEN-33] a judge who says %s', async (said, expected) => {
    const debaters = { ann: three('ann').agent, bob: three('bob').agent };
    const result = await run({ debaters, rounds: 1, judge: speaker('judge', said).agent });
    expect(result.output).toMatchObject({ ...expected, turns: [{ text: 'ann-1' }, { text: 'bob-1' }] });
  });

  test('[D13] rounds, sides and no judge: the transcript is the result', async () => {
    const debaters = { ann: three('ann').agent, bob: three('bob').agent };
    const sides = { ann: 'against', bob: 'for' } as const;
    const one = await run({ debaters, rounds: 1, sides });
    expect(one.output).toEqual([
      { stage: 'opening', round: 1, member: 'ann', side: 'against', text: 'ann-1', error: null },
      { stage: 'opening', round: 1, member: 'bob', side: 'for', text: 'bob-1', error: null },
    ]);
    expect(phasesOf(one.events, 'court').at(-1)).toBe('completed');
  });

  test('[P1] a turn that fails stands in the turns, and the opponent answers the one before', async () => {
    const bob = three('bob');
    const debaters = { ann: speaker('ann', 'ann-1', dead, 'ann-3').agent, bob: bob.agent };
    const result = await run({ debaters });
    expect(result.status).toBe('completed');
    expect(result.output).toMatchObject([
      {},
      {},
      { member: 'ann', round: 2, text: null },
      {},
      { text: 'ann-3' },
      {},
    ]);
    expect(JSON.stringify(result.output)).toContain('out of paper');
    expect(bob.asked()[1]).toContain('last turns:\n[ann, for, opening] ann-1');
  });

  test('where nobody opens there is no debate', async () => {
    const debaters = { ann: speaker('ann', dead).agent, bob: speaker('bob', dead).agent };
    const result = await run({ debaters, judge: speaker('judge', 'for').agent });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'model.failed' }, candidate: [{}, {}] });
    expect(ofType(result.events, 'member.engaged')).toHaveLength(2);
  });

  test('a judge that fails leaves the turns, and it says so', async () => {
    const debaters = { ann: three('ann').agent, bob: three('bob').agent };
    const result = await run({ debaters, rounds: 1, judge: speaker('judge', dead).agent });
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rule', rule: 'judge' },
      candidate: [{ text: 'ann-1' }, { text: 'bob-1' }],
    });
  });

  test.each([1, 2])('a budget of %i steps stops it, with the turns so far', async (steps) => {
    const debaters = { ann: three('ann').agent, bob: three('bob').agent };
    const judge = speaker('judge', 'for').agent;
    const result = await run({ debaters, rounds: 1, judge, limits: { budget: { steps } } });
    expect(result).toMatchObject({ stopReason: { kind: 'budget' }, candidate: [{ text: 'ann-1' }, {}] });
  });
});

const { agent: ann } = three('ann');

test('what it gives follows from whether there is a judge', () => {
  const debaters = { ann, bob: three('bob').agent };
  expectTypeOf(debate({ name: 'court', debaters })).toExtend<Agent<string, readonly DebateTurn[]>>();
  expectTypeOf(debate({ name: 'court', debaters, judge: {} })).toExtend<Agent<string, DebateResult>>();
});

test.each<{ setup: Partial<DebateSetup>; says: string }>([
  { setup: { debaters: { ann } }, says: 'two debaters at least' },
  { setup: { debaters: { ann, judge: ann } }, says: "none of them called 'judge'" },
  { setup: { sides: { carl: 'for' } }, says: "no such debater to take a side: found 'carl'" },
  { setup: { sides: { bob: 'for' } }, says: 'on one side' },
  { setup: { rounds: 0 }, says: 'rounds is not a whole number' },
])('[D13] what cannot be honoured is refused: $says', ({ setup, says }) => {
  expect(() => debate({ name: 'court', debaters: { ann, bob: {} }, ...setup })).toThrow(says);
});
