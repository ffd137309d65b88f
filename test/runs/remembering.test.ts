import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Memory, MemoryRecord, MemorySource } from '../../src/contracts/conversations/memory.ts';
import type { AgentView } from '../../src/contracts/agents/agent-view.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { notesMemory } from '../../src/memory/memories/notes-memory.ts';
import { perspective } from '../../src/memory/processors/perspective.ts';
import { vectorMemory } from '../../src/memory/memories/vector-memory.ts';
import { windowMemory } from '../../src/memory/memories/window-memory.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { compareRuns } from '../../src/testing/compare-runs.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import { letTimePass, never, settled, start } from '../support/runs.ts';

const add = tool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

/** A memory that notes what is asked of it, and may do so badly. */
const noting = (over: Partial<Memory> = {}, scope: MemorySource['scope'] = 'agent') => {
  const records: MemoryRecord[] = [];
  const log: string[] = [];
  const memory: Memory = {
    append: (given) => {
      records.push(...given);
      log.push(`append ${given.map(({ kind }) => kind).join(' ')}`);
    },
    recall: () => [],
    summarise: () => '',
    evict: () => 0,
    reset: () => undefined,
    ...over,
  };
  const source: MemorySource = {
    name: 'noting',
    scope,
    open: () => Promise.resolve(memory),
    release: ({ runId }) => {
      log.push(`release ${runId}`);
      return Promise.resolve();
    },
  };
  return { source, records, log };
};

const fromMemory = (turns: readonly Turn[] | undefined): readonly string[] =>
  (turns ?? []).flatMap((turn) => (turn.role === 'user' && turn.from === 'memory' ? [turn.text] : []));

test.each([
  ['window', windowMemory(), 1],
  ['vector', vectorMemory(), 1],
  ['notes', notesMemory(), 1],
  ['no', undefined, 0],
] as const)(
  '[KAIZEN-12] [KAIZEN-13] with %s memory, what was said in one run is told, or not, in the next',
  async (_, memory, times) => {
    const model = scriptedModel(['Noted.', 'It is 0417.']);
    const ada = agent({ name: 'ada', model, memory });
    await start(ada, 'Remember: the code is 0417.').result;
    await start(ada, 'What is the code?').result;
    const told = fromMemory(model.requests[1]?.messages).join('\n');
    expect(told.split('user: Remember: the code is 0417.')).toHaveLength(times + 1);
  },
);

test.each([
  ['run', []],
  ['agent', ['1', '2']],
  ['thread', ['1']],
  ['shared', ['1', '2', '3']],
] as const)('[D34] a memory of scope %s is known to whom it should be', async (scope, known) => {
  const memory = windowMemory({ scope });
  const told: string[] = [];
  const named = (name: string, prompt: string) => {
    const model = scriptedModel([(request) => (told.push(...fromMemory(request.messages)), 'ok')]);
    return { one: agent({ name, model, memory }), prompt };
  };
  const run = ({ one, prompt }: ReturnType<typeof named>, thread: string) =>
    start(one, prompt, { thread }).result;
  await run(named('ada', 'number 1'), 'first');
  await run(named('ada', 'number 2'), 'second');
  await run(named('bob', 'number 3'), 'third');
  told.length = 0;
  await run(named('ada', 'which?'), 'first');
  expect([...told.join('\n').matchAll(/number (\d)/g)].map(([, number]) => number)).toEqual(known);
});

test('[QITOS-48] [KAIZEN-18] task, steps and end are written in order, each by an effect with a key of its own', async () => {
  const { source, records, log } = noting();
  const model = scriptedModel([calls({ name: 'add', input: { a: 1, b: 2 } }), 'It is 3.']);
  const ada = agent({ name: 'ada', model, tools: [add], memory: source });
  const result = await start(ada, '1 + 2?', { runId: 'r' }).result;
  expect(records.map(({ kind, step }) => [kind, step])).toEqual([
    ['task', undefined],
    ['decision', 0],
    ['action', 0],
    ['result', 0],
    ['answer', 1],
    ['run', undefined],
    ['pattern', undefined],
  ]);
  expect(log.at(-1)).toBe('release r');
  expect(result.effects.filter(({ port }) => port === 'remember')).toMatchObject([
    { key: 'r/ada#0.preparing.1.1', state: 'answered' },
    { key: 'r/ada#0.CHECK_STOP.0.1', state: 'answered' },
    { key: 'r/ada#1.CHECK_STOP.0.1', state: 'answered' },
    { key: 'r/ada#2.completed.0.1', state: 'answered' },
  ]);
  expect(new Set(result.effects.map(({ key }) => key)).size).toBe(result.effects.length);
});

test('[KAIZEN-18] a run that failed leaves a row of history and no pattern', async () => {
  const { source, records } = noting();
  const ada = agent({ name: 'ada', model: scriptedModel([new Error('boom')]), memory: source });
  await settled(start(ada, 'go'));
  expect(records.map(({ kind }) => kind)).toEqual(['task', 'run']);
  expect(records[1]).toMatchObject({ metadata: { input: 'go', isSuccess: false } });
});

test('what is written is there before the last event of the run', async () => {
  const clock = virtualClock();
  const order: string[] = [];
  const { source } = noting({
    append: async () => {
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 1_000));
      order.push('written');
    },
  });
  const ada = agent({ name: 'ada', model: scriptedModel(['ok']), memory: source });
  const handle = start(ada, 'go', { clock });
  handle.events$.subscribe(({ type }) => {
    if (type === 'run.ended') order.push('ended');
  });
  await letTimePass(clock, handle.result);
  expect(order).toEqual(['written', 'written', 'written', 'ended']);
});

test.each([
  ['throws when it is opened', { open: () => Promise.reject(new Error('no disk')) }, {}, ['open']],
  [
    'throws when it is asked',
    {},
    {
      recall: () => {
        throw new Error('no disk');
      },
    },
    ['recall'],
  ],
  ['gives what is not a list', {}, { recall: () => 'lies' as unknown as MemoryRecord[] }, ['recall']],
  ['hangs when it is asked', {}, { recall: () => never<MemoryRecord[]>() }, ['recall']],
  ['hangs when it is opened', { open: () => never<Memory>() }, {}, ['recall']],
  ['rejects what is written', {}, { append: () => Promise.reject(new Error('full')) }, ['remember']],
  ['hangs when it is written to', {}, { append: () => never<void>() }, ['recall']],
  ['cannot let go', { release: () => Promise.reject(new Error('stuck')) }, {}, ['release']],
  ['hangs when it should let go', { release: () => never<void>() }, {}, ['release']],
] as const)(
  '[QITOS-07] a memory that %s is told of, and the run goes on',
  async (_, source, memory, works) => {
    const clock = virtualClock();
    const made = noting(memory as Partial<Memory>);
    const ada = agent({
      name: 'ada',
      model: scriptedModel(['ok']),
      memory: { ...made.source, ...(source as Partial<MemorySource>) },
    });
    const result = await letTimePass(clock, settled(start(ada, 'go', { clock })), 500);
    expect(result.output).toBe('ok');
    const failures = result.events.filter((event) => event.type === 'memory.failed');
    expect(new Set(failures.map(({ work }) => work))).toEqual(new Set(works));
    expect(result.report).toEqual({
      failures: failures.map(({ path, work, error }) => ({
        path,
        operation: work,
        code: error.code,
        category: 'state',
        message: error.message,
        streak: 0,
        decision: 'skip',
        advice: 'Check the memory, its files and its embedder: the run went on without it.',
      })),
      omitted: 0,
    });
    expect(result.events.at(-1)).toMatchObject({ type: 'run.ended', report: result.report });
    expect(clock.now()).toBeLessThanOrEqual(12_000);
  },
);

test('a report has the failures of the memories of all agents, after those of its steps', async () => {
  const { source } = noting({ recall: () => Promise.reject(new Error('no disk')) });
  const bob = agent({ name: 'bob', model: scriptedModel(['I know.']), memory: source });
  const parts: unknown[] = [];
  const ask = tool({
    name: 'ask',
    description: 'Asks bob.',
    input: z.object({}),
    execute: async (_, { run }) => {
      const { output, report } = await run(bob, 'Well?');
      parts.push(report?.failures.map(({ path }) => path));
      return output;
    },
  });
  const ada = agent({
    name: 'ada',
    model: scriptedModel([new Error('boom'), calls({ name: 'ask', input: {} }), 'ok']),
    tools: [ask],
    failures: { retry: { attempts: 1 }, recovery: { handle: () => ({ kind: 'skip' }) } },
  });
  const { report } = await start(ada, 'go').result;
  const [step, ...memories] = report?.failures ?? [];
  expect(step).toMatchObject({ phase: 'DECIDE', streak: 1, message: expect.stringContaining('boom') });
  expect(memories.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    "ada/bob-1: Cannot recall the memory 'noting': no disk",
  ]);
  expect(parts).toEqual([['ada/bob-1']]);
});

test('one that may only be read is told of once, and not written to again', async () => {
  let writes = 0;
  const { source } = noting({
    append: () => {
      writes += 1;
      throw new TroupeError(
        'memory.read-only',
        'Cannot write to this memory as it is to be read only: a view',
      );
    },
  });
  const ada = agent({ name: 'ada', model: scriptedModel(['ok']), memory: source });
  const { events } = await start(ada, 'go').result;
  expect(writes).toBe(1);
  const failures = events.filter((event) => event.type === 'memory.failed');
  expect(failures.map(({ error }) => error.code)).toEqual(['memory.read-only']);
});

test('records that are none are not told, nor what the agent itself did in this run', async () => {
  const { source } = noting({
    recall: () =>
      [
        { kind: 'fact', text: 'known', at: 0 },
        { kind: 'fact', at: 0 },
        7,
        { kind: 'fact', text: 'own', at: 0, agent: 'ada', runId: 'r' },
        { kind: 'fact', text: 'of bob', at: 0, agent: 'bob', runId: 'r' },
        { kind: 'action', text: 'called', at: 0 },
      ] as MemoryRecord[],
  });
  const model = scriptedModel(['ok']);
  await start(agent({ name: 'ada', model, memory: source }), 'go', { runId: 'r' }).result;
  expect(fromMemory(model.requests[0]?.messages)).toEqual(['From earlier:\nfact: known\nfact: of bob']);
});

test('[QITOS-07] the agent may say what is looked for, how much, of which kinds, and how often', async () => {
  const asked: (readonly [string, number | undefined])[] = [];
  const { source } = noting({
    recall: (query, k) => {
      asked.push([query, k]);
      return ['a', 'b', 'c'].map((text): MemoryRecord => ({ kind: 'note', text, at: 0 }));
    },
  });
  const model = scriptedModel([calls({ name: 'add', input: { a: 1, b: 2 } }), 'ok']);
  const ada = agent({
    name: 'ada',
    model,
    tools: [add],
    memory: {
      sources: source,
      recall: {
        each: 'step',
        k: 2,
        kinds: ['note'],
        query: ({ step, input }) => `${step}: ${JSON.stringify(input)}`,
      },
    },
  });
  await start(ada, 'go').result;
  expect(asked.map(([query]) => query)).toEqual(['0: "go"', '1: "go"']);
  const text = 'From earlier:\nnote: b\nnote: c';
  expect(fromMemory(model.requests[1]?.messages)).toEqual([text, text]);
});

test('[QITOS-06] what the agent’s own functions see says where it stands, and what was recalled', async () => {
  const clock = virtualClock(1_000);
  const views: AgentView[] = [];
  const { source } = noting({ recall: () => [{ kind: 'fact', text: 'known', at: 0 }] });
  const ada = agent({
    name: 'ada',
    memory: source,
    observe: async ({ memory }) => {
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 100));
      return `seen with ${memory?.records.length ?? 0}`;
    },
    decide: (view) => {
      views.push(view);
      return view.step === 1
        ? answer('done')
        : { kind: 'act', calls: [{ name: 'add', input: { a: 1, b: 1 } }] };
    },
    tools: [add],
  });
  await letTimePass(clock, start(ada, 'go', { clock }).result, 50);
  const record = z.looseObject({ kind: z.string(), text: z.string() });
  const seen = z.looseObject({
    input: z.literal('go'),
    step: z.number(),
    observation: z.string(),
    tally: z.looseObject({ startedAt: z.number(), now: z.number(), inputTokens: z.number() }),
    memory: z
      .object({
        isEnabled: z.literal(true),
        query: z.string(),
        records: z.array(record),
        summary: z.string(),
      })
      .optional(),
  });
  const parsed = views.map((view) => seen.parse({ ...view, signal: undefined }));
  expect(parsed.map(({ observation }) => observation)).toEqual(['seen with 1', 'seen with 0']);
  expect(parsed[0]?.memory?.summary).toBe('From earlier:\nfact: known');
  const elapsed = parsed.map(({ tally }) => tally.now - tally.startedAt);
  expect(elapsed[1]).toBeGreaterThan(elapsed[0] ?? Infinity);
});

test('a memory of a run is shared by its agents, and forgotten when the root has ended', async () => {
  const board = windowMemory({ scope: 'run' });
  const model = scriptedModel(['I see.']);
  const bob = agent({ name: 'bob', model, memory: board });
  const ada = agent({
    name: 'ada',
    model: scriptedModel([calls({ name: 'delegate', input: { to: 'bob', task: 'look' } }), 'done']),
    memory: board,
    tools: [delegate({ to: [bob] })],
  });
  await start(ada, 'find it', { runId: 'r' }).result;
  expect(fromMemory(model.requests[0]?.messages)).toEqual(['From earlier:\nuser: find it']);
  const after = await board.open({ runId: 'r', agent: 'ada' });
  expect(await after.recall('', 9)).toEqual([]);
});

test('an agent with a memory means the same with a store and without one', async () => {
  const made = () => {
    const model = scriptedModel([calls({ name: 'add', input: { a: 1, b: 2 } }), 'It is 3.']);
    return agent({ name: 'ada', model, tools: [add], memory: windowMemory() });
  };
  expect(
    compareRuns(await made().run('1 + 2?'), await made().run('1 + 2?', { store: memoryStore() })),
  ).toEqual([]);
});

test('an agent without a memory does not observe, and writes nothing', async () => {
  const { effects } = await agent({ name: 'ada', model: scriptedModel(['ok']) }).run('go');
  expect(effects.map(({ port }) => port)).toEqual(['prepare', 'decide']);
});

test.each([
  ['no source', { memory: { name: 'none', open: () => undefined } as never }],
  ['two of one name', { memory: [windowMemory(), windowMemory()] }],
  ['recall often', { memory: { recall: { each: 'often' as 'run' } } }],
  ['recall.k', { memory: { recall: { k: -1 } } }],
  ['recall.timeoutMs', { memory: { recall: { timeoutMs: 0 } } }],
  ['recall.query', { memory: { recall: { query: 'x' as never } } }],
  ['recall.kinds', { memory: { recall: { kinds: 'task' as never } } }],
])('an agent whose memory is wrong (%s) is refused when it is defined', (_, options) => {
  expect(() => agent({ name: 'ada', ...options })).toThrow(
    expect.objectContaining({ code: 'agent.invalid' }),
  );
});

test('[TENEX-05] [D9] an agent that was away is told what others said meanwhile, each word once', async () => {
  const model = scriptedModel(['Thanks.']);
  const ada = agent({ name: 'ada', model });
  const said = [
    { from: 'user', text: 'Build it.' },
    { from: 'ada', text: 'I plan.' },
    { from: 'bob', text: 'I build.' },
    { from: 'carol', text: 'I test.' },
    { from: 'bob', text: 'I mend.' },
  ];
  const { turns } = perspective(said, { agent: 'ada', cursor: 2 });
  await ada.run('Go on.', { history: turns.filter((turn) => turn.role !== 'tool') });
  const messages = model.requests[0]?.messages ?? [];
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user']);
  expect(messages[2]).toMatchObject({ from: 'runtime' });
  const all = messages.map(({ text }) => text).join('\n');
  for (const { text } of said) expect(all.split(text)).toHaveLength(2);
});
