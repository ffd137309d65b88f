import { describe, expect, test } from 'vitest';
import { agent } from '../../src/runtime/define/agent.ts';
import { groupChat } from '../../src/patterns/index.ts';
import type { GroupChatSetup } from '../../src/patterns/group-chat.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { settled, start } from '../support/runs.ts';

/** Says its lines, one at each turn; what it was shown goes into `read`. */
const speaker = (name: string, lines: readonly (string | Error)[], read: string[] = []) => {
  const turn = { at: 0 };
  return agent({
    name,
    description: `It is ${name}.`,
    decide: ({ transcript }) => {
      const line = lines[turn.at] ?? 'PASS';
      turn.at += 1;
      read.push(
        transcript
          .toArray()
          .map((said) => `${said.role}: ${said.text}`)
          .join('\n'),
      );
      if (line instanceof Error) throw line;
      return { kind: 'answer', answer: line };
    },
  });
};

describe('a group chat', () => {
  const chat = (setup: Omit<GroupChatSetup, 'name'>) =>
    settled(start(groupChat({ name: 'meeting', ...setup }), 'the plan'));

  test('each reads all that was said before, and speaks in turn', async () => {
    const read: string[] = [];
    const members = {
      ann: speaker('ann', ['one', 'three'], read),
      bob: speaker('bob', ['two', 'four'], read),
    };
    const { output, state } = await chat({ members, maxRounds: 4 });
    expect(output).toBe('ann: one\nbob: two\nann: three\nbob: four');
    expect(read[0]).toMatch(/^user: You are ann\..*\nuser: the plan$/);
    expect(read[3]).toMatch(
      /^user: You are bob\..*\nuser: the plan\nuser: one\nassistant: two\nuser: three$/,
    );
    expect(state.turns).toHaveLength(4);
  });

  test('who has nothing to add passes, and when a whole round has passed, all is said', async () => {
    const members = { ann: speaker('ann', ['one', 'PASS']), bob: speaker('bob', ['Pass.', 'pass']) };
    const { output, state } = await chat({ members });
    expect(output).toBe('ann: one');
    expect(state.turns.map(({ text }) => text)).toEqual(['one', null, null]);
  });

  test('a moderator says who speaks, however often, and what it comes to', async () => {
    const model = scriptedModel([
      '{"next": "bob"}',
      'BOB',
      '```json\n{"next": "ann"}\n```',
      '{"next": null, "conclusion": "We build it."}',
    ]);
    const members = { ann: speaker('ann', ['fine']), bob: speaker('bob', ['first', 'second']) };
    const { output, state } = await chat({ members, moderator: { model } });
    expect(output).toBe('We build it.');
    expect(state.turns.map(({ member: who }) => who)).toEqual(['bob', 'bob', 'ann']);
    const asked = model.requests[3]?.messages.at(-1)?.text;
    expect(asked).toContain('bob: first\nbob: second\nann: fine');
    expect(asked).toContain('- ann: It is ann.');
  });

  test('a moderator that names nobody who is there is told so once; then the chat stops, with all that was said', async () => {
    const members = { ann: speaker('ann', ['one']), bob: speaker('bob', []) };
    const again = scriptedModel(['{"next": "carl"}', '{"next": "ann"}', '{"next": null}']);
    expect((await chat({ members, moderator: { model: again } })).output).toBe('ann: one');
    expect(again.requests[1]?.messages.at(-1)?.text).toContain('The members are: ann, bob.');
    const stubborn = scriptedModel(['{"next": "ann"}', 'carl', 'carl']);
    expect(
      await chat({ members: { ...members, ann: speaker('ann', ['one']) }, moderator: { model: stubborn } }),
    ).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'rule', rule: 'moderator' },
      candidate: [{ member: 'ann', text: 'one' }],
    });
  });

  test('a moderator that fails stops the chat, and loses nothing', async () => {
    const moderator = { model: scriptedModel(['{"next": "ann"}', new Error('dead')]) };
    const members = { ann: speaker('ann', ['one']), bob: speaker('bob', []) };
    expect(await chat({ members, moderator })).toMatchObject({
      status: 'stopped',
      candidate: [{ text: 'one' }],
    });
  });

  test('a function says who speaks; one that names nobody who is there, or throws, is the end', async () => {
    const members = () => ({ ann: speaker('ann', ['one']), bob: speaker('bob', ['two']) });
    const moderator: GroupChatSetup['moderator'] = (turns) => (turns.length === 0 ? 'bob' : null);
    expect((await chat({ members: members(), moderator })).output).toBe('bob: two');
    expect(await chat({ members: members(), moderator: () => 'carl' })).toMatchObject({
      status: 'failed',
      error: {
        code: 'agent.threw',
        message: expect.stringContaining("'carl' is none of the members: ann, bob") as string,
      },
    });
  });

  test('one that fails is not there, and the others hear of it', async () => {
    const read: string[] = [];
    const members = { ann: speaker('ann', [new Error('hoarse')]), bob: speaker('bob', ['two'], read) };
    const { status } = await chat({ members, maxRounds: 2 });
    expect(status).toBe('completed');
    expect(read[0]).toMatch(/user: ann did not answer: .*hoarse$/);
  });
});

test('one who talks to himself is no group', () => {
  const ann = agent({ name: 'ann' });
  expect(() => groupChat({ name: 'meeting', members: { ann } })).toThrowError('needs two members');
  expect(() => groupChat({ name: 'meeting', members: { ann, bob: ann }, maxRounds: 0 })).toThrowError(
    'maxRounds',
  );
});
