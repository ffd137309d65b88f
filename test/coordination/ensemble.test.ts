import { describe, expect, test } from 'vitest';
import { agent } from '../../src/runtime/define/agent.ts';
import { ensemble } from '../../src/patterns/index.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { ofType, quiet, settled, start } from '../support/runs.ts';

/** Proposes after a turn of the event loop; what it was asked goes into `asked`. */
const proposer = (name: string, said: string | Error, asked: string[] = [], peak = { now: 0, most: 0 }) =>
  agent({
    name,
    description: `Knows ${name}.`,
    decide: async ({ input }) => {
      asked.push(`${name}: ${typeof input === 'string' ? input : ''}`);
      peak.now += 1;
      peak.most = Math.max(peak.most, peak.now);
      await quiet();
      peak.now -= 1;
      if (said instanceof Error) throw said;
      return { kind: 'answer', answer: said };
    },
  });

describe('an ensemble', () => {
  test('[KAIZEN-43] [D14] [QITOS-94] three propose at the same time, and one answer is made of what they said', async () => {
    const peak = { now: 0, most: 0 };
    const asked: string[] = [];
    const aggregator = scriptedModel(['one answer']);
    const names = ['sea', 'sky', 'land'];
    const subject = ensemble({
      name: 'choir',
      proposers: Object.fromEntries(names.map((name) => [name, proposer(name, `says ${name}`, asked, peak)])),
      aggregator: { model: aggregator },
    });
    const result = await settled(start(subject, 'Why is it blue?'));
    expect(result).toMatchObject({ status: 'completed', output: 'one answer' });
    expect(peak.most).toBe(3);
    expect(asked).toEqual(names.map((name) => `${name}: Why is it blue?`));
    const told = aggregator.requests[0]?.messages.at(-1)?.text;
    expect(told).toContain('Perspectives (3 of 3):\n1. says sea\n2. says sky\n3. says land');
    expect(result.state.perspectives).toHaveLength(3);
  });

  test('in layers each reads what all proposed before, and nobody who said it', async () => {
    const asked: string[] = [];
    const subject = ensemble({
      name: 'choir',
      layers: 2,
      proposers: { ann: proposer('ann', 'red', asked), bob: proposer('bob', 'blue', asked) },
      aggregator: { model: scriptedModel(['purple']) },
    });
    const result = await settled(start(subject, 'Which?'));
    expect(result.output).toBe('purple');
    expect(asked.slice(0, 2)).toEqual(['ann: Which?', 'bob: Which?']);
    for (const second of asked.slice(2)) {
      expect(second).toContain('1. red\n2. blue');
      expect(second.slice(5)).not.toMatch(/\bann\b|\bbob\b/);
    }
    expect(ofType(result.events, 'member.engaged')).toHaveLength(5);
  });

  test('those that fit best are chosen, where not all are wanted', async () => {
    const asked: string[] = [];
    const subject = ensemble({
      name: 'choir',
      top: 2,
      proposers: {
        sea: proposer('sea', 'a', asked),
        tax: proposer('tax', 'b', asked),
        fish: proposer('fish', 'c', asked),
      },
      aggregator: { model: scriptedModel(['x']) },
    });
    const result = await settled(start(subject, 'Which fish live in the sea?'));
    expect(result.state.chosen).toEqual(['sea', 'fish']);
  });

  test('one that fails is missing, and said to be', async () => {
    const subject = ensemble({
      name: 'choir',
      proposers: { ann: proposer('ann', new Error('hoarse')), bob: proposer('bob', 'blue') },
      aggregator: { model: scriptedModel(['x']) },
    });
    const { state } = await settled(start(subject, 'Which?'));
    expect(state.missing).toMatchObject([{ member: 'ann', layer: 1 }]);
    expect(state.missing[0]?.reason).toContain('hoarse');
    expect(state.perspectives.map(({ member: who }) => who)).toEqual(['bob']);
  });

  test('a aggregator that fails takes nothing away', async () => {
    const subject = ensemble({
      name: 'choir',
      proposers: { ann: proposer('ann', 'red'), bob: proposer('bob', 'blue') },
      aggregator: { model: scriptedModel([new Error('dead')]) },
    });
    expect(await settled(start(subject, 'Which?'))).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rule', rule: 'aggregator' },
      candidate: [{ text: 'red' }, { text: 'blue' }],
    });
  });
});

test.each([
  [{ proposers: {} }, 'needs two proposers at least'],
  [{ layers: 0 }, 'layers'],
  [{ top: 0 }, 'top'],
])('what makes no ensemble is refused: %j', (change, message) => {
  const two = { ann: agent({ name: 'ann' }), bob: agent({ name: 'bob' }) };
  expect(() => ensemble({ name: 'choir', proposers: two, aggregator: {}, ...change })).toThrowError(message);
});
