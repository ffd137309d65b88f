import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { byTool, replay } from '../../src/index.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { groupChat, orchestrator, person, pipeline } from '../../src/patterns/index.ts';
import type { ScriptedRequest } from '../../src/testing/scripted-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { PlainStore } from '../support/plain-store.ts';
import { settled, start } from '../support/runs.ts';
import { goOn, startIn } from '../support/stored-runs.ts';

/** What was asked of models, by the agent and the effect. */
type Asked = Map<string, ScriptedRequest>;

const shown = (turns: readonly Turn[] = []): readonly string[] =>
  turns.map((turn) => {
    const from = turn.role === 'user' && turn.from !== undefined ? ` ${turn.from}` : '';
    return `${turn.role}${from}: ${turn.text}`;
  });

/** A model whose answer follows from its request alone, so that a run which goes on needs no place in a script. */
const speaking = (asked: Asked, says: (own: number, request: ScriptedRequest) => string): Model =>
  scriptedModel(
    Array.from({ length: 40 }, () => (request: ScriptedRequest) => {
      asked.set(request.key, request);
      return says(request.messages.filter(({ role }) => role === 'assistant').length + 1, request);
    }),
  );

const speaker = (name: string, asked: Asked, says = (own: number): string => `${name} ${own}`) =>
  agent({ name, description: `It is ${name}.`, model: speaking(asked, says), instructions: `I am ${name}.` });

/** The requests of one agent, in order. */
const requestsOf = (asked: Asked, name: string): readonly (readonly string[])[] =>
  [...asked].filter(([key]) => key.includes(`/${name}-`)).map(([, { messages }]) => shown(messages));

const chat = (asked: Asked, maxRounds = 6) =>
  groupChat({
    name: 'meeting',
    members: {
      ann: speaker('ann', asked),
      bob: speaker('bob', asked),
      cid: speaker('cid', asked, (own) => (own === 1 ? 'PASS' : `cid ${own}`)),
    },
    maxRounds,
  });

const route = (agents: readonly string[], more: object = {}): string =>
  JSON.stringify({ agents, reason: 'it is time', ...more });

/** Decides by how many turns there were, which it reads from what it is shown. */
const decides = (decisions: readonly string[], asked: Asked): Model =>
  speaking(asked, (_, { messages }) => {
    const text = messages.at(-1)?.text ?? '{}';
    const { routing_history: turns } = JSON.parse(text) as { routing_history: readonly unknown[] };
    return decisions[turns.length] ?? route(['END']);
  });

const DECISIONS = [
  route(['ann', 'bob'], { phase: 'plan', message: 'draw it' }),
  route(['cid'], { phase: 'execute' }),
  route(['ann'], { phase: 'verification', message: 'mind the gap' }),
];

const house = (asked: Asked) =>
  orchestrator({
    name: 'house',
    members: { ann: speaker('ann', asked), bob: speaker('bob', asked), cid: speaker('cid', asked) },
    orchestrator: { model: decides(DECISIONS, asked) },
  });

const AWAY = '<while-you-were-away>';
const END = '</while-you-were-away>';

describe('[FIND-31] in a conversation of several', () => {
  test('[TENEX-04] [TENEX-05] [TENEX-06] what a speaker said is its own turn, what it missed one block, what it answers comes last', async () => {
    const asked: Asked = new Map();
    await settled(start(chat(asked), 'Build a house', { runId: 'r' }));
    const [first, second] = requestsOf(asked, 'ann');
    const introduction =
      'user runtime: You are ann. Speak to the others, in your own name; answer PASS if you have nothing to add.';
    expect(first).toEqual([introduction, 'user: Build a house']);
    expect(second).toEqual([introduction, 'user: Build a house', 'assistant: ann 1', 'user bob: bob 1']);
    expect(requestsOf(asked, 'cid')[1]?.slice(1)).toEqual([
      'user: Build a house',
      'user ann: ann 1',
      'user bob: bob 1',
      `user runtime: ${AWAY}\n[ann] ann 2\n${END}`,
      'user runtime: Now:',
      'user bob: bob 2',
    ]);
    for (const turns of [...requestsOf(asked, 'ann'), ...requestsOf(asked, 'bob')]) {
      const all = turns.join('\n');
      for (const words of all.match(/(?:ann|bob|cid) \d/g) ?? []) expect(all.split(words)).toHaveLength(2);
    }
  });

  test('[TENEX-06] where nobody said anything to it since, the call itself is what it answers', async () => {
    const asked: Asked = new Map();
    const subject = groupChat({
      name: 'meeting',
      members: { ann: speaker('ann', asked), bob: speaker('bob', asked) },
      moderator: () => 'ann',
      maxRounds: 2,
    });
    await settled(start(subject, 'Build', { runId: 'r' }));
    expect(requestsOf(asked, 'ann')[1]?.slice(1)).toEqual([
      'user: Build',
      'assistant: ann 1',
      'user: It is your turn, ann.',
    ]);
  });

  test('[TENEX-09] each has its own cursor, which moves on with every view and begins at nothing read', async () => {
    const result = await settled(start(chat(new Map(), 5), 'Build', { runId: 'r' }));
    expect(result.state.cursors).toEqual({ ann: 3, bob: 4, cid: 3 });
  });

  test('[TENEX-04] [TENEX-05] an orchestrated agent has its own turns, one block of what it missed with why it is called, and each word once', async () => {
    const asked: Asked = new Map();
    const { state } = await settled(start(house(asked), 'Mend it', { runId: 'r' }));
    const [first, later] = requestsOf(asked, 'ann');
    expect(first).toEqual([
      `user runtime: ${AWAY}\nIn short: Phase: plan. It is your turn: it is time\n\nMessage: draw it\n${END}`,
      'user runtime: Now:',
      'user: Mend it',
    ]);
    // Who comes second in a turn knows what the first has done.
    expect(requestsOf(asked, 'bob')[0]).toEqual([
      `user runtime: ${AWAY}\n[user] Mend it\n[ann] ann 1\n${END}`,
      'user runtime: Now:',
      'user: Phase: plan. It is your turn: it is time\n\nMessage: draw it',
    ]);
    expect(later).toEqual([
      'user: Mend it',
      'assistant: ann 1',
      `user runtime: ${AWAY}\n[bob] bob 1\n[cid] cid 1\n${END}`,
      'user runtime: Now:',
      'user: Phase: verification. It is your turn: it is time\n\nMessage: mind the gap',
    ]);
    expect(state.cursors).toEqual({ ann: 4, bob: 2, cid: 3 });
  });

  test('[TENEX-08] an orchestrator is shown the request, closed turns and that it has to route, as JSON', async () => {
    const asked: Asked = new Map();
    await settled(start(house(asked), 'Mend it', { runId: 'r' }));
    const contexts = requestsOf(asked, 'orchestrator').map(
      (turns) => JSON.parse((turns.at(-1) ?? '').replace('user: ', '')) as Record<string, unknown>,
    );
    expect(contexts[0]).toMatchObject({
      user_request: 'Mend it',
      routing_history: [],
      current_routing: null,
      agents: { ann: 'It is ann.' },
    });
    expect(contexts[1]).toMatchObject({
      routing_history: [
        {
          agents: ['ann', 'bob'],
          phase: 'plan',
          completions: [
            { agent: 'ann', message: 'ann 1' },
            { agent: 'bob', message: 'bob 1' },
          ],
        },
      ],
      current_routing: null,
    });
  });

  test('a message from outside is heard by all who come after, and answered where it came last', async () => {
    const asked: Asked = new Map();
    const handle = start(
      groupChat({
        name: 'meeting',
        members: {
          ann: speaker('ann', asked),
          bob: agent({
            name: 'bob',
            decide: () => {
              handle.send({ from: 'user', text: 'Make it blue' });
              return { kind: 'answer', answer: 'bob 1' };
            },
          }),
        },
        maxRounds: 3,
      }),
      'Build',
      { runId: 'r' },
    );
    await settled(handle);
    expect(requestsOf(asked, 'ann')[1]?.slice(1)).toEqual([
      'user: Build',
      'assistant: ann 1',
      `user runtime: ${AWAY}\n[bob] bob 1\n${END}`,
      'user runtime: Now:',
      'user: Make it blue',
    ]);
  });

  test('a team or a person, who have no conversation themselves, are sent all in one text', async () => {
    const asked: Asked = new Map();
    const questions: string[] = [];
    const subject = groupChat({
      name: 'meeting',
      members: {
        ann: speaker('ann', asked),
        both: pipeline({ name: 'both', stages: [speaker('bob', asked)] }),
        eve: person({ name: 'eve' }),
      },
      maxRounds: 3,
    });
    const answering = (question: string): string => {
      questions.push(question);
      return 'fine';
    };
    const { output } = await settled(start(subject, 'Build', { runId: 'r', person: { answer: answering } }));
    expect(output).toBe('ann: ann 1\nboth: bob 1\neve: fine');
    expect(requestsOf(asked, 'bob')[0]?.[0]).toContain('Topic: Build\n\nann: ann 1\n\nYou are both.');
    expect(questions[0]).toContain('ann: ann 1\nboth: bob 1\n\nYou are eve.');
  });

  test('what was said before the run stands before what was said in it', async () => {
    const asked: Asked = new Map();
    const history = [
      { role: 'user', text: 'Hello' },
      { role: 'assistant', text: 'Hi' },
    ] as const;
    await settled(start(chat(asked, 2), 'Build', { runId: 'r', history }));
    expect(requestsOf(asked, 'ann')[0]?.slice(0, 2)).toEqual(['user: Hello', 'assistant: Hi']);
    expect(requestsOf(asked, 'ann')[0]?.at(-1)).toBe('user: Build');
  });

  test('[FIND-32] [TENEX-51] the phase of the work reaches how its members end: in chat an answer is enough, else it is not', async () => {
    const ran = async (phase: string) => {
      const asked: Asked = new Map();
      const worker = (name: string) =>
        agent({ name, model: speaking(asked, (own) => `${name} ${own}`), stop: { ends: byTool() } });
      const subject = orchestrator({
        name: 'house',
        // A member's own members are in the phase of the work, too.
        members: { ann: worker('ann'), both: pipeline({ name: 'both', stages: [worker('bob')] }) },
        orchestrator: { model: decides([route(['ann', 'both'], { phase })], asked) },
      });
      const { events } = await settled(start(subject, 'Mend it', { runId: 'r' }));
      const count = (type: string): number => events.filter((event) => event.type === type).length;
      return [
        requestsOf(asked, 'ann').length,
        requestsOf(asked, 'bob').length,
        count('agent.auto-completed'),
      ];
    };
    expect(await ran('chat')).toEqual([1, 1, 0]);
    expect(await ran('brainstorm')).toEqual([1, 1, 0]);
    expect(await ran('execute')).toEqual([2, 2, 2]);
  });
});

describe('[FIND-31] [TENEX-04] [TENEX-08] what each is shown is the same', () => {
  const subjects: readonly (readonly [string, (asked: Asked) => Agent<string, string, unknown>])[] = [
    ['groupChat', chat],
    ['orchestrator', house],
  ];
  test.each(subjects)('live, stored, replayed, and resumed from any record: %s', async (_, make) => {
    const live: Asked = new Map();
    const { output } = await settled(start(make(live), 'Mend it', { runId: 'r' }));
    const messagesOf = (asked: Asked) => [...asked].map(([key, { messages }]) => [key, shown(messages)]);

    const stored: Asked = new Map();
    const store = new PlainStore();
    await settled(startIn(store, make(stored), 'Mend it', { runId: 'r' }));
    expect(messagesOf(stored)).toEqual(messagesOf(live));

    const again: Asked = new Map();
    expect((await replay(make(again), 'r', { store })).result?.output).toBe(output);
    expect(again.size).toBe(0);

    const { records } = await recordsIn(store, 'r');
    for (let cut = 1; cut < records.length; cut += 3) {
      const rest: Asked = new Map();
      const had = records.slice(0, cut);
      const result = await settled(await goOn(PlainStore.with('r', had), make(rest), 'r', {}));
      expect(result.output).toBe(output);
      const expected = new Map(messagesOf(live).map(([key, turns]) => [key, turns]));
      for (const [key, turns] of messagesOf(rest)) expect(turns).toEqual(expected.get(key));
    }
  });
});
