import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, fork, replay, resume, tool, type Turn } from '../../src/index.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { conversation } from '../../src/models/wire/conversation.ts';
import { append, emptyHistory, HistoryView } from '../../src/base/collections/history.ts';
import { threads } from '../../src/memory/index.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { calls, scriptedModel, virtualClock } from '../../src/testing/index.ts';

const look = tool({
  name: 'look',
  description: 'Looks an order up.',
  input: z.object({ id: z.number() }),
  execute: ({ id }) => ({ order: id, status: 'shipped' }),
});

const lookingUp = (id: number) => calls({ name: 'look', input: { id } });

/** One clerk for two runs of a thread. */
const twoRuns = async (thread?: 'answers') => {
  const store = memoryStore();
  const model = scriptedModel([lookingUp(7), 'It is shipped.', lookingUp(8), 'Shipped as well.']);
  const make = (own = model) =>
    agent({
      name: 'clerk',
      model: own,
      tools: [look],
      conversation: { compaction: { thread } },
    });
  const first = await make().run('Where is order 7?', { store, thread: 't', runId: 'one' });
  const second = await make().run('And 8?', { store, thread: 't', runId: 'two' });
  return { store, model, make, first, second };
};

const shape = (turns: readonly Turn[]): readonly string[] =>
  turns.map((turn) => {
    if (turn.role === 'tool') return `tool ${turn.tool}: ${turn.text}`;
    const called =
      turn.role === 'assistant' ? (turn.calls ?? []).map(({ name }) => ` ${name}()`).join('') : '';
    return `${turn.role}: ${turn.text}${called}`;
  });

const FIRST = [
  'user: Where is order 7?',
  'assistant:  look()',
  'tool look: {"order":7,"status":"shipped"}',
  'assistant: It is shipped.',
];

/** Each call has one result, which follows it directly, and no two calls have one id. */
const assertPaired = (turns: readonly Turn[]): void => {
  const ids = turns.flatMap((turn) =>
    turn.role === 'assistant' ? (turn.calls ?? []).map(({ id }) => id) : [],
  );
  expect(new Set(ids).size).toBe(ids.length);
  for (const [index, turn] of turns.entries()) {
    if (turn.role !== 'assistant') continue;
    const open = (turn.calls ?? []).map(({ id }) => id);
    const results = turns.slice(index + 1, index + 1 + open.length);
    expect(results.map((result) => (result.role === 'tool' ? result.callId : result.role))).toEqual(open);
  }
};

describe('[FIND-03] a thread', () => {
  test('shows the next run what was said and done: each call with what the tool answered', async () => {
    const { model, store, first } = await twoRuns();
    const shown = model.requests[2]?.messages ?? [];
    expect(shape(shown)).toEqual([...FIRST, 'user: And 8?']);
    assertPaired(model.requests[3]?.messages ?? []);
    expect(first.status).toBe('completed');
    const kept = await threads(store.files('threads')).load('t');
    expect(kept?.turns.map(({ role, runId }) => `${runId} ${role}`)).toEqual([
      'one user',
      'one assistant',
      'one tool',
      'one assistant',
      'two user',
      'two assistant',
      'two tool',
      'two assistant',
    ]);
    expect(kept?.turns.at(-1)).toMatchObject({ text: 'Shipped as well.', status: 'completed' });
  });

  test('shows what was asked and answered alone where the context of the agent says so, and keeps the rest', async () => {
    const { model, store } = await twoRuns('answers');
    expect(shape(model.requests[2]?.messages ?? [])).toEqual([
      'user: Where is order 7?',
      'assistant: It is shipped.',
      'user: And 8?',
    ]);
    expect((await threads(store.files('threads')).load('t'))?.turns).toHaveLength(8);
  });

  test('is what providers take: alternating sides, each call with its result', async () => {
    const { model } = await twoRuns();
    const said = conversation(
      new HistoryView(append(emptyHistory<Turn>(), ...(model.requests[3]?.messages ?? []))),
    );
    expect(said.map(({ role }) => role)).toEqual(
      said.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')),
    );
    expect(
      said.flatMap((each) => (each.role === 'user' ? each.results.map(({ text }) => text) : [])),
    ).toEqual(['{"order":7,"status":"shipped"}', '{"order":8,"status":"shipped"}']);
  });

  test('of stored runs can be replayed, resumed and forked, each run of it', async () => {
    const { store, make, second } = await twoRuns();
    const again = () => make(scriptedModel([lookingUp(8), 'Shipped as well.']));
    expect((await replay(make(), 'one', { store })).result?.output).toBe('It is shipped.');
    const replayed = await replay(again(), 'two', { store });
    expect(replayed.result?.transcript).toEqual(second.transcript);
    expect((await (await resume(again(), 'two', { store })).result).transcript).toEqual(second.transcript);
    const forked = await fork(make(scriptedModel(['Lost.'])), 'two', { store, at: { step: 1 } });
    expect((await forked.result).output).toBe('Lost.');
  });

  test('says of a run without an answer how it ended, after what it had done', async () => {
    const store = memoryStore();
    const model = scriptedModel([lookingUp(1), lookingUp(2), 'Sorry.']);
    const clerk = agent({ name: 'clerk', model, tools: [look], limits: { budget: { steps: 2 } } });
    await clerk.run('Look.', { store, thread: 't' });
    await clerk.run('And?', { store, thread: 't' });
    expect(shape(model.requests[2]?.messages ?? [])).toEqual([
      'user: Look.',
      'assistant:  look()',
      'tool look: {"order":1,"status":"shipped"}',
      'assistant:  look()',
      'tool look: {"order":2,"status":"shipped"}',
      'assistant: (no answer: stopped, budget)',
      'user: And?',
    ]);
  });
});

describe('[FIND-03] the transcript of a result', () => {
  test('is the whole conversation, and another run goes on from it', async () => {
    const model = scriptedModel([lookingUp(7), 'It is shipped.', lookingUp(8), 'Yes.', 'Both.']);
    const clerk = agent({ name: 'clerk', model, tools: [look] });
    const first = await clerk.run('Where is order 7?');
    expect(shape(first.transcript)).toEqual(FIRST);
    const second = await clerk.run('And 8?', { history: first.transcript });
    expect(shape(second.transcript).slice(0, 5)).toEqual([...FIRST, 'user: And 8?']);
    await clerk.run('Which?', { history: second.transcript });
    assertPaired(model.requests[3]?.messages ?? []);
    assertPaired(model.requests[4]?.messages ?? []);
    expect(first.transcript).toBe(first.transcript);
  });

  test('of an agent that a tool ran is its own', async () => {
    const helper = agent({ name: 'helper', model: scriptedModel([lookingUp(3), 'Three.']), tools: [look] });
    let seen: readonly Turn[] = [];
    const help = tool({
      name: 'help',
      description: 'Has the helper help.',
      input: z.object({}),
      execute: async (_, { run }) => {
        const { transcript, output } = await run(helper, 'Look it up.');
        seen = transcript;
        return output ?? null;
      },
    });
    const model = scriptedModel([calls({ name: 'help', input: {} }), 'Done.']);
    await agent({ name: 'boss', model, tools: [help] }).run('go');
    expect(shape(seen)).toEqual([
      'user: Look it up.',
      'assistant:  look()',
      'tool look: {"order":3,"status":"shipped"}',
      'assistant: Three.',
    ]);
  });
});

/** Counts its runs. */
const counter = (name = 'counter') =>
  agent({
    name,
    state: { n: 0, seen: [] as number[] },
    reduce: ({ state }) => ({ n: state.n + 1, seen: [...state.seen, state.n] }),
    decide: ({ state }) => ({ kind: 'answer', answer: `${state.n}` }),
  });

describe('[FIND-06] [KAIZEN-17] the state of an agent', () => {
  test('is kept by its thread and its name: the next run begins with it', async () => {
    const store = memoryStore();
    const states = [];
    for (const runId of ['one', 'two'])
      states.push((await counter().run('go', { store, thread: 't', runId })).state);
    expect(states.map(({ n }) => n)).toEqual([1, 2]);
    expect((await counter().run('go', { store, thread: 'other' })).state.n).toBe(1);
    expect((await counter('second').run('go', { store, thread: 't' })).state.n).toBe(1);
    expect((await counter().run('go', { store })).state.n).toBe(1);
    expect((await replay(counter(), 'one', { store })).result?.state).toEqual(states[0]);
    expect((await replay(counter(), 'two', { store })).result?.state).toEqual(states[1]);
    expect((await (await resume(counter(), 'two', { store })).result).state).toEqual(states[1]);
    expect((await (await fork(counter(), 'two', { store, at: { step: 0 } })).result).state.n).toBe(2);
    expect((await counter().run('go', { store, thread: 't' })).state.n).toBe(3);
  });

  test('of a member is kept, too, and a key that is new to the definition begins as defined', async () => {
    const talks = threads(memoryStore().files('threads'));
    const team = () => pipeline({ name: 'team', stages: [counter('first'), counter('last')] });
    expect((await team().run('go', { threads: talks, thread: 't' })).output).toBe('0');
    expect((await team().run('go', { threads: talks, thread: 't' })).output).toBe('1');
    expect((await talks.load('t'))?.states).toMatchObject({ first: { n: 2 }, last: { n: 2 } });
    const later = agent({
      name: 'first',
      state: { n: 0, colour: 'red' },
      decide: ({ state }) => ({ kind: 'answer', answer: `${state.n} ${state.colour}` }),
    });
    expect((await later.run('go', { threads: talks, thread: 't' })).output).toBe('2 red');
  });
});

describe('[FIND-03] a step that is cut short keeps what was done in it', () => {
  const pay = tool({ name: 'pay', description: 'Pays.', input: z.object({}), execute: () => 'paid 30' });
  const hang = tool({
    name: 'hang',
    description: 'Never comes back.',
    input: z.object({}),
    timeoutMs: Infinity,
    execute: () => new Promise<never>(() => undefined),
  });
  const HANGING = "Cannot finish 'hang' as the run ended before it did: it may have been done";

  test.each(['time', 'abort'] as const)(
    'by %s: the next run of the thread sees it, and each call has its result',
    async (cause) => {
      const store = memoryStore();
      const clock = virtualClock();
      const model = scriptedModel([
        calls({ name: 'pay', input: {} }, { name: 'hang', input: {} }),
        'Paid already.',
      ]);
      const clerk = agent({
        name: 'clerk',
        model,
        tools: [pay, hang],
        ...(cause === 'time' ? { limits: { budget: { timeMs: 400 } } } : {}),
      });
      const handle = clerk.stream('Pay 30.', { store, thread: 't', clock });
      for await (const event of handle) {
        if (event.type !== 'tool.finished' || event.tool !== 'pay') continue;
        if (cause === 'time') await clock.advance(500);
        else handle.abort('enough');
        break;
      }
      const first = await handle.result;
      const told = shape(first.transcript);
      expect(told.slice(1, 4)).toEqual([
        'assistant:  pay() hang()',
        'tool pay: paid 30',
        `tool hang: ${HANGING}`,
      ]);
      await clerk.run('Did you pay?', {
        store,
        thread: 't',
        clock,
        limits: { budget: { timeMs: Infinity } },
      });
      const seen = model.requests.at(-1)?.messages ?? [];
      assertPaired(seen);
      expect(shape(seen)).toEqual(expect.arrayContaining(told.slice(1, 4)));
    },
  );
});
