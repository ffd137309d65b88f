import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { answer, handoff } from '../../src/contracts/agents/decision.ts';
import type { Json } from '../../src/base/json/json.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { fieldsOf, lastRounds } from '../../src/coordination/round/hand-over.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { handoffs, pipeline } from '../../src/patterns/index.ts';
import type { HandoffsSetup } from '../../src/patterns/handoffs.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { handoffTool } from '../../src/tools/built-in/delegation/handoff.ts';
import { echo, ofType, settled, start } from '../support/runs.ts';
import { parrot } from './patterns/pattern-row.ts';

const giving = (to: string, message?: string) =>
  calls({ name: 'handoff', input: { to, ...(message === undefined ? {} : { message }) } });

const someone = (name: string, ...script: readonly ScriptedReply[]) => {
  const model = scriptedModel(script, name);
  const tools = [echo, handoffTool({ a: '', b: '', c: '', nobody: '' })];
  return { model, agent: agent({ name, model, tools }) };
};

const engagedIn = (events: Parameters<typeof ofType>[0]) =>
  ofType(events, 'member.engaged').map(({ member }) => member);

describe('[QITOS-92] handoffs', () => {
  const run = (setup: Omit<HandoffsSetup<string, string>, 'name'>) =>
    settled(start(handoffs({ name: 'relay', ...setup }), 'Help me.', { runId: 'r' }));
  const three = (sees: HandoffsSetup<string, string>['sees'], more: object = {}) => {
    const a = someone('a', calls({ name: 'echo', input: { text: 'looked' } }), giving('b', 'an invoice'));
    const b = someone('b', giving('c'));
    const c = someone('c', 'done');
    const members = { a: a.agent, b: b.agent, c: c.agent };
    return { b, c, result: run({ members, sees, ...more }) };
  };
  const texts = (messages: readonly Turn[] = []) => messages.map(({ role, text }) => `${role}: ${text}`);

  test('task: the receiver sees the task and who hands it over, nothing else', async () => {
    const { b, c, result } = three('task');
    expect(await result).toMatchObject({ status: 'completed', output: 'done' });
    expect(engagedIn((await result).events)).toEqual(['a', 'b', 'c']);
    expect(texts(b.model.requests[0]?.messages)).toEqual([
      'user: Help me.\n\n(Handed over by a: an invoice)',
    ]);
    expect(texts(c.model.requests[0]?.messages)).toEqual(['user: Help me.\n\n(Handed over by b)']);
    expect(ofType((await result).events, 'task.handed-over')).toMatchObject([
      { from: 'a', to: 'b', sees: 'task', message: 'an invoice' },
      { from: 'b', to: 'c', sees: 'task' },
    ]);
  });

  test('conversation: it goes on from the whole conversation, which holds the task already', async () => {
    const { b, c, result } = three('conversation');
    await result;
    expect(texts(b.model.requests[0]?.messages)).toEqual([
      'user: Help me.',
      'assistant: ',
      'tool: looked',
      'assistant: ',
      'tool: Handed over to b.',
      'user: (Handed over by a: an invoice)',
    ]);
    expect(texts(c.model.requests[0]?.messages).slice(5)).toEqual([
      'user: (Handed over by a: an invoice)',
      'assistant: ',
      'tool: Handed over to c.',
      'user: (Handed over by b)',
    ]);
  });

  test('summary: the last rounds in a few lines, then the task', async () => {
    const { b, result } = three('summary');
    await result;
    const [summary, task] = b.model.requests[0]?.messages ?? [];
    expect(summary?.text).toBe(
      'What was said so far, the end of it:\nuser: Help me.\na: (uses echo)\n[echo] looked\na: (uses handoff)\n[handoff] Handed over to b.',
    );
    expect(task?.text).toBe('Help me.\n\n(Handed over by a: an invoice)');
  });

  test.each<[HandoffsSetup<string, string>['sees'], number]>([
    [{ rounds: 1 }, 1],
    [{ rounds: 2 }, 2],
    [{}, 3],
    ['summary', 3],
  ])('a summary tells of as many rounds as one says: %j', async (sees, rounds) => {
    const a = someone('a', giving('b'));
    const b = someone('b', 'done');
    const relay = handoffs({ name: 'relay', members: { a: a.agent, b: b.agent }, sees });
    const history: Turn[] = ['one', 'two', 'three'].flatMap((text): Turn[] => [
      { role: 'user', text },
      { role: 'assistant', text: `${text} it is` },
    ]);
    await settled(start(relay, 'four', { history }));
    const told = b.model.requests[0]?.messages.find(({ text }) => text.startsWith('What was said'))?.text;
    expect(told?.match(/^user: /gm)).toHaveLength(rounds);
  });

  test('only the fields that are named come along, as the adapter has them', async () => {
    const giver = agent({
      name: 'giver',
      state: { account: 7, secret: 'x' },
      decide: () => handoff('b'),
    });
    const told = async (setup: Partial<HandoffsSetup<string, string>>) => {
      const b = someone('b', 'done');
      await run({ members: { a: giver, b: b.agent }, ...setup });
      return b.model.requests[0]?.messages.at(-1)?.text;
    };
    expect(await told({})).toBe('Help me.\n\n(Handed over by a)');
    expect(await told({ fields: ['account', 'missing'] })).toBe(
      'Help me.\n\n(Handed over by a)\n\nIt comes with: {"account":7}',
    );
    const adapt = (fields: Json, { from, to }: { from: string; to: string }) => ({ fields, from, to });
    expect(await told({ fields: ['account'], adapt })).toContain(
      'It comes with: {"fields":{"account":7},"from":"a","to":"b"}',
    );
  });

  test('a receiver that takes data gets the task with the fields in it', async () => {
    const input = z.looseObject({ order: z.number() });
    const seen: Json[] = [];
    const a = agent({ name: 'a', input, state: { account: 7 }, decide: () => handoff('b') });
    const b = agent({ name: 'b', input, decide: (view) => (seen.push(view.input), answer('done')) });
    const team = handoffs({ name: 'relay', members: { a, b }, fields: ['account'] });
    await settled(start(team, { order: 1 }));
    expect(seen).toEqual([{ order: 1, account: 7 }]);
  });

  test('an adapter that throws is the end, with a name', async () => {
    const adapt = () => {
      throw new Error('lost');
    };
    const a = agent({ name: 'a', decide: () => handoff('b') });
    const result = await run({ members: { a, b: parrot('b', 'x') }, adapt });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'agent.threw' } });
    expect(result.error?.message).toContain("Cannot hand over from 'a' to 'b' as the adapter threw: lost");
  });

  test.each([
    ['somebody who had it', 'a', /it has had the task before/],
    ['nobody', 'nobody', /nobody of that name: there are a, b/],
  ])('to %s is refused: the giver goes on from where it was, and is told why', async (_, to, reason) => {
    const a = someone('a', giving('b'));
    const b = someone('b', giving(to), 'then myself');
    const result = await run({ members: { a: a.agent, b: b.agent } });
    expect(result).toMatchObject({ status: 'completed', output: 'then myself' });
    expect(engagedIn(result.events)).toEqual(['a', 'b', 'b']);
    const again = b.model.requests[1]?.messages ?? [];
    expect(again.at(-1)?.text).toMatch(reason);
    expect(again.some(({ role }) => role === 'tool')).toBe(true);
    expect(ofType(result.events, 'handoff.refused')).toMatchObject([{ from: 'b', to }]);
  });

  test('who insists ends the team, with an error that names the two', async () => {
    const a = agent({ name: 'a', decide: () => handoff('b') });
    const b = agent({ name: 'b', decide: () => handoff('a') });
    const result = await run({ members: { a, b } });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'handoff.refused' } });
    expect(result.error?.message).toBe("Cannot hand over from 'b' to 'a' as it has had the task before");
    expect(engagedIn(result.events)).toEqual(['a', 'b', 'b']);
  });

  test('two that hand it to and fro are stopped at the limit, by name', async () => {
    const a = agent({ name: 'a', decide: () => handoff('b') });
    const b = agent({ name: 'b', decide: () => handoff('a') });
    const result = await run({ members: { a, b }, revisits: 2 });
    expect(result.error?.message).toBe(
      "Cannot hand over from 'a' to 'b' as 'a' has handed this task to 'b' 2 times already",
    );
    expect(engagedIn(result.events)).toEqual(['a', 'b', 'a', 'b', 'a']);
  });

  test('a team has no conversation to hand on: its receiver sees the task', async () => {
    const stage = agent({ name: 'stage', decide: () => handoff('b', 'sorry') });
    const b = someone('b', 'done');
    const a = pipeline({ name: 'line', stages: [stage] });
    const result = await run({ members: { a, b: b.agent }, sees: 'conversation' });
    expect(result.output).toBe('done');
    expect(b.model.requests[0]?.messages.at(-1)?.text).toBe('Help me.\n\n(Handed over by a: sorry)');
  });
});

test('the last rounds of a conversation begin where somebody speaks to the agent', () => {
  const turns: Turn[] = [1, 2, 3, 4].flatMap((round): Turn[] => [
    { role: 'user', text: `question ${round}`, from: 'bob' },
    { role: 'assistant', text: `answer ${round}` },
  ]);
  expect(lastRounds(turns, 'ann', 2)).toBe('bob: question 3\nann: answer 3\nbob: question 4\nann: answer 4');
  expect(lastRounds(turns, 'ann', 9).split('\n')).toHaveLength(8);
  expect(lastRounds([{ role: 'user', text: 'x'.repeat(2_000) }], 'ann', 1)).toHaveLength(1_008);
});

test('of a state that has no fields none is handed over', () => {
  expect(fieldsOf(null, ['a'])).toEqual({});
  expect(fieldsOf({ a: 1 }, ['toString'])).toEqual({});
});

test.each([
  ['nobody', { members: {} }],
  ['a first one that there is not', { members: { a: parrot('a', 'x') }, first: 'z' }],
  ['a part to see that there is not', { members: { a: parrot('a', 'x') }, sees: 'all' as 'task' }],
  ['a bound of nothing', { members: { a: parrot('a', 'x') }, sees: { rounds: 0 } }],
])('refuses %s', (_, setup) => {
  expect(() => handoffs({ name: 'relay', ...setup })).toThrow(
    expect.objectContaining({ code: 'team.invalid' }) as Error,
  );
});
