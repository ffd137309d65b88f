import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { textOf } from '../../src/coordination/round/said-json.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { consensus } from '../../src/patterns/index.ts';
import type { ConsensusSetup } from '../../src/patterns/consensus.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { letTimePass, ofType, phasesOf, settled, start } from '../support/runs.ts';

/** A voter and what it was asked. */
const voter = (name: string, ...script: readonly ScriptedReply[]) => {
  const model = scriptedModel(script, name);
  const asked = () => model.requests.map(({ messages }) => textOf(messages[0]?.text ?? ''));
  return { asked, agent: agent({ name, model, failures: { retry: { attempts: 1 } } }) };
};

const says = (name: string, ...script: readonly ScriptedReply[]) => voter(name, ...script).agent;
const dead = new Error('out of paper');

describe('a consensus', () => {
  const run = async (setup: Omit<ConsensusSetup, 'name'>) => {
    const clock = virtualClock(0);
    const board = consensus({ name: 'board', ...setup });
    return letTimePass(clock, settled(start(board, 'Ship it?', { clock })), 1_000);
  };

  test('[KAIZEN-36] two of three are a majority; what was voted is told', async () => {
    const result = await run({
      voters: { ann: says('ann', 'approve'), bob: says('bob', 'reject'), carl: says('carl', 'approve') },
    });
    expect(result).toMatchObject({
      status: 'completed',
      output: { decision: 'approve', rounds: 1, tally: { winner: 'approve', abstentions: 0 } },
    });
    expect(ofType(result.events, 'team.noted').map(({ text }) => text)).toEqual([
      'Round 1: 2 approve, 1 reject, 0 abstain',
    ]);
    expect(phasesOf(result.events, 'board')).toEqual(['polling', 'tallying', 'completed']);
  });

  test('[D13] weights, threshold and abstentions are honoured', async () => {
    const voters = () => ({
      ann: says('ann', 'approve'),
      bob: says('bob', 'reject'),
      carl: says('carl', '?'),
    });
    const once = { maxRounds: 1 };
    const weighted = await run({ ...once, voters: voters(), rule: 'weighted', weights: { bob: 2 } });
    expect(weighted.output).toMatchObject({ decision: 'reject' });
    const weights = { ann: 3 };
    const enough = await run({ ...once, voters: voters(), rule: 'threshold', weights });
    expect(enough.output).toMatchObject({ decision: 'approve', tally: { share: 0.75 } });
    const more = { ...once, voters: voters(), rule: 'threshold', weights, threshold: 0.8 } as const;
    expect((await run(more)).status).toBe('stopped');
    const against = {
      ...once,
      voters: voters(),
      rule: 'threshold',
      weights,
      countAbstentions: true,
    } as const;
    expect((await run(against)).candidate).toMatchObject({ decision: null, tally: { share: 0.6 } });
  });

  test('[KAIZEN-37] all vote again until they agree, and each reads what the others said before', async () => {
    const praise = '{"vote":"approve","reason":"it works","perspective":"users"}';
    const blame = '{"vote":"reject","confidence":0.9,"reason":"it is dear"}';
    const bob = voter('bob', blame, 'reject', 'approve');
    const result = await run({
      rule: 'unanimous',
      countAbstentions: true,
      voters: {
        ann: says('ann', praise, praise, 'approve'),
        bob: bob.agent,
        carl: says('carl', dead, 'abstain', 'approve'),
      },
    });
    expect(result.output).toMatchObject({ decision: 'approve', rounds: 3 });
    const [first, second, third] = bob.asked();
    expect(first).toContain('Motion: Ship it?');
    expect(first).not.toContain('Round');
    expect(first).toContain('"approve" | "reject" | "abstain"');
    expect(second).toContain('Round 2. The round before did not decide it: 1 approve, 1 reject, 1 abstain.');
    expect(second).toContain('- bob: reject (confidence 0.9): it is dear');
    expect(second).toContain('- ann [users]: approve (confidence 0.5): it works');
    expect(second).toMatch(/- carl: no vote \(.*out of paper/);
    expect(third).toContain('Round 3. The round before did not decide it: 1 approve, 1 reject, 1 abstain.');
    expect(third).not.toContain('it is dear');
  });

  test('[KAIZEN-37] [P10] rounds are counted, and past them the tally is the candidate', async () => {
    const never = Array.from({ length: 9 }, () => 'reject');
    const result = await run({
      voters: { ann: says('ann', ...never.map(() => 'approve')), bob: says('bob', ...never) },
    });
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'maxRounds', limit: 5 },
      candidate: { decision: null, rounds: 5, tally: { winner: null, share: 0.5 } },
    });
    expect(ofType(result.events, 'team.noted')).toHaveLength(5);
  });

  test('[D10] a voter that fails is no vote for anything; if all fail, so does the team', async () => {
    const one = await run({ voters: { ann: says('ann', dead), bob: says('bob', 'reject') } });
    expect(one.output).toMatchObject({
      decision: 'reject',
      tally: { abstentions: 1 },
      votes: [{ member: 'ann', vote: 'abstain' }, { vote: 'reject' }],
    });
    const all = await run({ voters: { ann: says('ann', dead), bob: says('bob', dead) } });
    expect(all).toMatchObject({
      status: 'failed',
      error: { code: 'model.failed' },
      candidate: { rounds: 1 },
    });
  });

  test('[D11] what is voted on may be one of several proposals, and a vote for none of them is an abstention', async () => {
    const ann = voter('ann', '{"vote": "Tram"}');
    const result = await run({
      choices: ['bus', 'tram', 'boat'],
      voters: { ann: ann.agent, bob: says('bob', 'tram, it is green'), carl: says('carl', 'approve') },
    });
    expect(result.output).toMatchObject({
      decision: 'tram',
      tally: { abstentions: 1, counts: [{ votes: 0 }, { choice: 'tram', votes: 2 }, { votes: 0 }] },
    });
    expect(ann.asked()[0]).toContain('Question: Ship it?\n\nChoices:\n- bus\n- tram\n- boat');
  });

  test('whoever is made of options answers by the schema of a vote', async () => {
    const model = scriptedModel([
      '{"vote":"sure","confidence":3}',
      '{"vote":"approve","confidence":1,"reason":"ok"}',
    ]);
    const result = await run({
      maxRounds: 2,
      voters: { ann: { model, instructions: 'You are careful.' } },
    });
    expect(result.output).toMatchObject({ decision: 'approve', rounds: 2, votes: [{ reason: 'ok' }] });
    expect(model.requests[0]).toMatchObject({ output: { name: 'board_ann_answer' } });
    expect(model.requests[0]?.instructions).toContain('You are careful.');
  });

  test('a summariser puts the decision into words, and has no say in it', async () => {
    const model = scriptedModel(['They reject it.']);
    const result = await run({ voters: { ann: says('ann', 'approve: it works') }, summariser: { model } });
    expect(result.output).toMatchObject({ decision: 'approve', summary: 'They reject it.' });
    expect(phasesOf(result.events, 'board')).toEqual([
      'polling',
      'tallying',
      'summarising',
      'summarised',
      'completed',
    ]);
    const text = model.requests[0]?.messages[0]?.text;
    expect(text).toContain('Decided: approve (1 approve, 0 reject, 0 abstain)');
    expect(text).toContain('- ann: approve (confidence 0.5): it works');
  });

  test('without the summary a decision is one all the same', async () => {
    const result = await run({ voters: { ann: says('ann', 'reject') }, summariser: says('sum', dead) });
    expect(result).toMatchObject({ status: 'completed', output: { decision: 'reject', summary: null } });
  });

  test('a word to the team is read by all voters of the next round', async () => {
    const clock = virtualClock(0);
    const ann = voter(
      'ann',
      () =>
        new Promise((resolve) =>
          clock.setTimeout(() => {
            resolve('?');
          }, 500),
        ),
      'approve',
    );
    const board = consensus({ name: 'board', voters: { ann: ann.agent } });
    const handle = start(board, 'Ship it?', { clock });
    await clock.advance(100);
    handle.send('It is late.');
    await letTimePass(clock, settled(handle));
    expect(ann.asked()[1]).toContain('Message from person: It is late.');
  });
});

const ann = says('ann', 'approve');

test.each<{ setup: Partial<ConsensusSetup>; says: string }>([
  { setup: { voters: {} }, says: 'needs voters' },
  { setup: { voters: { summariser: ann } }, says: "none of them called 'summariser'" },
  { setup: { voters: { ann: {} as Agent }, maxRounds: 0 }, says: 'maxRounds is not a whole number' },
  { setup: { choices: ['one'] }, says: 'choices are not two' },
  { setup: { choices: ['a', ' A'] }, says: 'choices are not two' },
  { setup: { choices: ['a', 'abstain'] }, says: 'choices are not two' },
  { setup: { choices: ['a', ''] }, says: 'choices are not two' },
  { setup: { threshold: 0.6 }, says: "the rule 'majority' has no threshold: found 0.6" },
  { setup: { rule: 'threshold', threshold: 0 }, says: 'threshold is not a number above 0 and at most 1' },
  { setup: { rule: 'confidence', threshold: 1.1 }, says: 'threshold is not a number above 0 and at most 1' },
  { setup: { weights: { ann: 2 } }, says: 'all votes weigh the same' },
  { setup: { rule: 'weighted', weights: { bob: 2 } }, says: "somebody who has none: found 'bob'" },
  { setup: { rule: 'weighted', weights: { ann: -1 } }, says: 'weights.ann is not a number from 0' },
])('[D13] what cannot be honoured is refused: $says', ({ setup, says: why }) => {
  expect(() => consensus({ name: 'board', voters: { ann }, ...setup })).toThrow(why);
});
