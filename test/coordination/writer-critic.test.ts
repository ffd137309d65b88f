import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { verdictOf } from '../../src/coordination/round/verdict.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline, writerCritic } from '../../src/patterns/index.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { ofType, phasesOf, quiet, settled, start } from '../support/runs.ts';

const dead = new Error('out of paper');

const says = (name: string, ...script: readonly ScriptedReply[]) => {
  const model = scriptedModel(script);
  return { model, agent: agent({ name, failures: { retry: { attempts: 1 } }, model }) };
};

const textsOf = ({ requests }: ReturnType<typeof scriptedModel>) =>
  requests.map(({ messages }) => messages[0]?.text ?? '');

describe('a writer and a critic', () => {
  const run = async (writer: Agent<string, unknown>, critic: Agent, more: object = {}) =>
    settled(start(writerCritic({ name: 'essay', writer, critic, ...more }), 'On tides'));

  test('[QITOS-94] the draft is written, sent back, revised and accepted, in this order', async () => {
    const writer = says('ann', 'one', 'two');
    const critic = says('bob', '{"verdict": "revise", "note": "no moon in it"}', 'accept');
    const result = await run(writer.agent, critic.agent);
    expect(result).toMatchObject({ status: 'completed', stopReason: { kind: 'answered' }, output: 'two' });
    expect(ofType(result.events, 'member.engaged').map(({ member }) => member)).toEqual([
      'ann',
      'bob',
      'ann',
      'bob',
    ]);
    expect(phasesOf(result.events, 'essay')).toEqual([
      'drafting',
      'drafted',
      'criticising',
      'criticised',
      'revising',
      'drafted',
      'criticising',
      'criticised',
      'completed',
    ]);
    expect(ofType(result.events, 'team.noted').map(({ text }) => text)).toEqual([
      'Draft 1 is revised: no moon in it',
    ]);
    const [first, second] = textsOf(writer.model);
    expect(first).toBe('On tides');
    expect(second).toContain('Request: On tides');
    expect(second).toContain('Your draft:\none');
    expect(second).toContain('It was not accepted: no moon in it');
    const [judged, again] = textsOf(critic.model);
    expect(judged).toContain('Draft 1:\none');
    expect(judged).not.toContain('no moon');
    expect(again).toContain('Draft 2:\ntwo');
    expect(again).toContain('What was said of the draft before: no moon in it');
  });

  test('sent back too often, the last draft is the candidate, and not the output', async () => {
    const writer = says('ann', 'one', 'two', 'three', 'four');
    const critic = says('bob', 'revise: a', 'revise: b', 'revise: c', 'accept');
    const result = await run(writer.agent, critic.agent);
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rejected', note: 'c', rejections: 3 },
      candidate: 'three',
    });
    expect(result.output).toBeUndefined();
    expect(writer.model.requests).toHaveLength(3);
  });

  test('without a second chance the first no is the end', async () => {
    const result = await run(says('ann', 'one').agent, says('bob', 'revise').agent, { maxRejections: 0 });
    expect(result.stopReason).toEqual({
      kind: 'rejected',
      note: 'The critic gave no reason.',
      rejections: 1,
    });
    expect(result.candidate).toBe('one');
  });

  test('a critic that gives no verdict is asked once more, and never counts as a yes', async () => {
    const critic = says('bob', 'accept nothing of this', 'Splendid!');
    const result = await run(says('ann', 'one').agent, critic.agent);
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rule', rule: 'critic', detail: 'the critic gave no verdict: Splendid!' },
      candidate: 'one',
    });
    expect(textsOf(critic.model)[0]).not.toContain('was no verdict');
    expect(textsOf(critic.model)[1]).toContain('was no verdict');
  });

  test('what it said at last counts, and each draft is asked about anew', async () => {
    const critic = says('bob', '?', 'revise: dull', '?', 'accept');
    const result = await run(says('ann', 'one', 'two').agent, critic.agent);
    expect(result).toMatchObject({ status: 'completed', output: 'two' });
  });

  test('[P1] a critic that fails leaves the draft as the candidate', async () => {
    const result = await run(says('ann', 'one').agent, says('bob', dead).agent);
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rule', rule: 'critic' },
      candidate: 'one',
    });
    expect(JSON.stringify(result.stopReason)).toContain('the critic failed: ');
  });

  test('[P1] a writer that fails at a revision leaves the draft before as the candidate', async () => {
    const result = await run(says('ann', 'one', dead).agent, says('bob', 'revise: dull').agent);
    expect(result).toMatchObject({ status: 'failed', candidate: 'one' });
  });

  test('a writer that is stopped leaves what it has', async () => {
    const writer = agent({
      name: 'ann',
      model: scriptedModel(['half']),
      limits: { maxRejections: 0 },
      critics: [{ name: 'no', critique: () => ({ verdict: 'stop', note: 'no' }) }],
    });
    const critic = says('bob');
    const result = await run(writer, critic.agent);
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'criticStopped' },
      candidate: 'half',
    });
    expect(critic.model.requests).toEqual([]);
  });

  test.each([
    { steps: 1, candidate: 'one' },
    { steps: 2, candidate: 'one' },
  ])('a budget of $steps that is spent stops it, with the last draft', async ({ steps, candidate }) => {
    const result = await run(says('ann', 'one', 'two').agent, says('bob', 'revise: dull').agent, {
      limits: { budget: { steps } },
    });
    expect(result).toMatchObject({ status: 'stopped', stopReason: { kind: 'budget' }, candidate });
  });

  test('what people say meanwhile is read by whoever is next, once', async () => {
    const critic = says('bob', 'accept');
    const writer = agent({
      name: 'ann',
      model: scriptedModel([async () => (await quiet(), 'one')]),
    });
    const handle = start(writerCritic({ name: 'essay', writer, critic: critic.agent }), 'go');
    handle.send('mind the moon');
    expect((await settled(handle)).output).toBe('one');
    expect(textsOf(critic.model)[0]).toContain('Message from person: mind the moon');
  });

  test('the writer may answer with data; a critic made of options answers by the schema', async () => {
    const writer = agent({
      name: 'ann',
      output: z.object({ title: z.string() }),
      model: scriptedModel(['{"title": "Tides"}']),
    });
    const model = scriptedModel(['{"verdict": "accept"}']);
    const team = writerCritic({ name: 'essay', writer, critic: { instructions: 'Mind the moon.', model } });
    const { output } = await settled(start(team, 'go'));
    expect(output).toEqual({ title: 'Tides' });
    expect(model.requests[0]?.messages[0]?.text).toContain('Draft 1:\n{"title":"Tides"}');
    expect(model.requests[0]?.instructions).toContain('Mind the moon.');
  });
});

test.each([
  ['accept', { verdict: 'accept', note: '' }],
  ['**Accepted**: fine as it is', { verdict: 'accept', note: 'fine as it is' }],
  ['{"verdict": "Accept"}', { verdict: 'accept', note: '' }],
  ['Well: {"verdict": "reject", "note": "no moon"}', { verdict: 'revise', note: 'no moon' }],
  ['REVISE\nno moon', { verdict: 'revise', note: 'no moon' }],
  [
    { verdict: 'revise', note: '  ' },
    { verdict: 'revise', note: 'The critic gave no reason.' },
  ],
  ['accept nothing', undefined],
  ['I accept', undefined],
  ['acceptable', undefined],
  ['{"verdict": "accept or revise"}', undefined],
  ['{"verdict": true}', undefined],
  [true, undefined],
  [['accept'], undefined],
  ['', undefined],
] as const)('a verdict is read as it is meant, or not at all: %j', (said, found) => {
  expect(verdictOf(said)).toEqual(found);
});

test('what cannot be a team is refused', () => {
  const writer = agent({ name: 'ann' });
  const make = (critic: object, more: object = {}) =>
    writerCritic({ name: 'essay', writer, critic, ...more });
  expect(() => make(writer)).toThrow("its writer and its critic are the same: found 'ann'");
  expect(() => make({ name: 'ann' })).toThrow("its writer and its critic are the same: found 'ann'");
  expect(() => make({}, { maxRejections: -1 })).toThrow('maxRejections is not a whole number from 0');
  expect(() => make({}, { writer: {} })).toThrow('was not made by agent()');
});

test('it gives what its writer gives', () => {
  const writer = agent({ name: 'ann', output: z.number() });
  expectTypeOf(writerCritic({ name: 'essay', writer, critic: {} })).toExtend<Agent<string, number>>();
});

test('it is not a pipeline: what the critic says is not the result', async () => {
  const writer = () => says('ann', 'a draft').agent;
  const critic = () => says('bob', 'accept').agent;
  expect((await writerCritic({ name: 'essay', writer: writer(), critic: critic() }).run('go')).output).toBe(
    'a draft',
  );
  expect((await pipeline({ name: 'line', stages: [writer(), critic()] }).run('go')).output).toBe('accept');
});
