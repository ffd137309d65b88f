import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  advanceCursor,
  cursorOf,
  perspective,
  type Cursors,
  type Utterance,
} from '../../src/memory/processors/perspective.ts';
import { routingContext } from '../../src/memory/processors/routing-context.ts';

const talk: readonly Utterance[] = [
  { from: 'user', text: 'Build a house' },
  { from: 'ada', text: 'I draw it' },
  { from: 'bob', text: 'I lay bricks' },
];

const rolesOf = (turns: ReturnType<typeof perspective>['turns']) =>
  turns.map(
    (turn) =>
      `${turn.role}${turn.role === 'user' && turn.from !== undefined ? ` ${turn.from}` : ''}: ${turn.text}`,
  );

test('[TENEX-04] own words are the assistant’s, the user’s the user’s, others’ carry their name; the trigger is last', () => {
  const trigger = { from: 'user', text: 'And now?' };
  expect(rolesOf(perspective(talk, { agent: 'ada', cursor: 3, trigger }).turns)).toEqual([
    'user: Build a house',
    'assistant: I draw it',
    'user bob: I lay bricks',
    'user: And now?',
  ]);
});

test('[TENEX-05] [D9] what was said while an agent was away is told once, in one block', () => {
  const later = [
    ...talk,
    { from: 'bob', text: 'Wall one' },
    { from: 'user', text: 'Nice' },
    { from: 'bob', text: 'Wall two' },
  ];
  const { turns } = perspective(later, {
    agent: 'ada',
    cursor: 3,
    trigger: { from: 'user', text: 'Ada, the roof?' },
    handoff: { summary: 'Walls stand.' },
  });
  expect(rolesOf(turns).slice(3)).toEqual([
    'user runtime: <while-you-were-away>\nIn short: Walls stand.\n[bob] Wall one\n[user] Nice\n[bob] Wall two\n</while-you-were-away>',
    'user runtime: Now:',
    'user: Ada, the roof?',
  ]);
  const all = turns.map(({ text }) => text).join('\n');
  for (const { text } of later) expect(all.split(text)).toHaveLength(2);
});

test('[TENEX-05] [D9] whoever speaks, and however far it has read, is told each word once, turn after turn', () => {
  const names = ['user', 'ada', 'bob', 'carol'];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...names), { maxLength: 20 }), (speakers) => {
      let cursors: Cursors = {};
      const said: Utterance[] = [];
      speakers.forEach((from, index) => {
        const trigger = { from, text: `<${index}>` };
        const agent = names[1 + (index % 3)] ?? '';
        const { turns, cursor } = perspective(said, { agent, cursor: cursorOf(cursors, agent), trigger });
        said.push(trigger);
        cursors = advanceCursor(cursors, agent, cursor);
        const all = turns.map(({ text }) => text).join('\n');
        expect(all.match(/<\d+>/g)?.toSorted()).toEqual(said.map(({ text }) => text).toSorted());
        // Nothing that it was shown before is new to it.
        expect(perspective(said, { agent, cursor: cursorOf(cursors, agent) }).turns).not.toContainEqual(
          expect.objectContaining({ from: 'runtime' }),
        );
      });
    }),
    { seed: 9 },
  );
});

describe('[TENEX-06] what is to be answered', () => {
  test.each([
    ['a user said it', { trigger: { from: 'user', text: 'Go' } }, 'user: Go'],
    ['an agent said it', { trigger: { from: 'bob', text: 'Help' } }, 'user bob: Help'],
    ['only a handoff tells', { handoff: { message: 'Draw the roof' } }, 'user: Draw the roof'],
  ])('where %s', (_, given, last) => {
    expect(rolesOf(perspective(talk, { agent: 'ada', cursor: 3, ...given }).turns).at(-1)).toBe(last);
  });
});

test('[TENEX-08] a router sees closed turns as history, and the open one as its own', () => {
  const said = (agent: string) => ({ agent, message: 'done' });
  const turn = { agents: ['ada', 'bob'], completions: [said('ada')] };
  expect(routingContext('Build', [])).toEqual({
    user_request: 'Build',
    routing_history: [],
    current_routing: null,
  });
  expect(routingContext('Build', [turn]).current_routing?.completions).toHaveLength(1);
  const closed = { ...turn, completions: [said('ada'), said('bob')] };
  expect(routingContext('Build', [closed])).toMatchObject({
    routing_history: [closed],
    current_routing: null,
  });
});

describe('[TENEX-09] cursors', () => {
  test('go on with each view: the second has no block', () => {
    let cursors: Cursors = {};
    const trigger = { from: 'user', text: 'And now?' };
    const first = perspective(talk, { agent: 'bob', cursor: cursorOf(cursors, 'bob'), trigger });
    cursors = advanceCursor(cursors, 'bob', first.cursor);
    const second = perspective([...talk, trigger], { agent: 'bob', cursor: cursorOf(cursors, 'bob') });
    expect(rolesOf(first.turns).join()).toContain('while-you-were-away');
    expect(rolesOf(second.turns)).toEqual([
      'user: Build a house',
      'user ada: I draw it',
      'assistant: I lay bricks',
      'user: And now?',
    ]);
  });

  test('begin at nothing read, are each agent’s own, and never go back', () => {
    expect(cursorOf({}, 'valueOf')).toBe(0);
    const cursors = advanceCursor(advanceCursor({}, 'ada', 3), 'bob', 1);
    expect(cursors).toEqual({ ada: 3, bob: 1 });
    expect(advanceCursor(cursors, 'ada', 2)).toBe(cursors);
  });
});
