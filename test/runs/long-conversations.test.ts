import { expect, test } from 'vitest';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type {
  CompactionOptions,
  Processor,
  Summariser,
} from '../../src/contracts/conversations/processor.ts';
import type { Model, ModelRequest } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { TurnCounter } from '../../src/memory/tokens/count-tokens.ts';
import { hook } from '../../src/events/hooks/define-hook.ts';
import { keepLast } from '../../src/memory/processors/keep-last.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { compareRuns } from '../../src/testing/compare-runs.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, letTimePass, never, ofType, settled, start } from '../support/runs.ts';

const overflow = () =>
  new TroupeError('model.context-overflow', 'Cannot answer as it is too long: 9 tokens', {
    retryable: 'maybe',
  });

const summariser = (text = 'In short.'): Summariser & { readonly asked: number[] } => {
  const asked: number[] = [];
  return {
    name: 'test',
    asked,
    summarise: ({ turns }) => {
      asked.push(turns.length);
      return { text, usage: { input: 10, output: 3 } };
    },
  };
};

/** A model that calls `echo` so often, and then answers; it notes how long each request is. */
const walker = (steps: number, words = 20) => {
  const counter = new TurnCounter();
  const requests: {
    tokens: number;
    first: Turn | undefined;
    instructions: string;
    turns: readonly Turn[];
  }[] = [];
  const model: Model = {
    provider: 'test',
    id: 'walker',
    isLanguageModel: false,
    answer: ({ messages, instructions, tools }: ModelRequest) => {
      const turns = messages.toArray();
      const tokens =
        turns.reduce((all, turn) => all + counter.size(turn), 0) + counter.overhead(instructions, tools);
      requests.push({ tokens, first: messages.at(0), instructions, turns });
      const at = requests.length;
      return at > steps
        ? modelAnswer({ text: 'Done.' })
        : modelAnswer({
            calls: [{ id: 'x', name: 'echo', input: { text: `${at} ${'word '.repeat(words)}` } }],
            usage: { input: 1, output: 1 },
          });
    },
  };
  return { model, requests };
};

const walking = (steps: number, compaction: CompactionOptions | undefined, words?: number) => {
  const { model, requests } = walker(steps, words);
  const ada = agent({
    name: 'ada',
    instructions: 'Go on.',
    model,
    tools: [echo],
    stop: maxSteps(steps + 1),
    conversation: { compaction },
  });
  return { ada, requests };
};

/** Every call is directly followed by its results, and every result has its call. */
const arePaired = (turns: readonly Turn[]): boolean => {
  let open: string[] = [];
  for (const turn of turns) {
    if (turn.role === 'tool') {
      if (open.shift() !== turn.callId) return false;
    } else if (open.length > 0) return false;
    else if (turn.role === 'assistant') open = (turn.calls ?? []).map(({ id }) => id);
  }
  return open.length === 0;
};

const small = { soft: 2_000, hard: 3_000, reserve: 300 };

test('[M43] [D24] a run of 500 turns stays within its budget at every request; its first message and its pairs stay whole', async () => {
  const told = summariser();
  const { ada, requests } = walking(250, { budget: small, summariser: told });
  const result = await start(ada, 'The task.').result;
  expect(result.output).toBe('Done.');
  expect(requests).toHaveLength(251);
  for (const { tokens, turns, instructions } of requests) {
    expect(tokens).toBeLessThanOrEqual(small.hard - small.reserve);
    expect(turns).toContainEqual({ role: 'user', text: 'The task.' });
    expect(arePaired(turns)).toBe(true);
    expect(instructions).toBe('Go on.');
  }
  const cuts = ofType(result.events, 'context.compacted');
  expect(cuts.length).toBeGreaterThan(2);
  // Not at every step, and one summary for each cut at most.
  expect(cuts.length).toBeLessThan(40);
  expect(told.asked.length).toBeLessThanOrEqual(cuts.length);
  expect(result.totals.modelCalls).toBe(251 + told.asked.length);
  expect(result.totals.inputTokens).toBe(250 + 10 * told.asked.length);
  // Nobody knows what a summariser of one's own costs: the sum is unknown, and not 0.
  expect(result.totals.costUsd).toBeUndefined();
  expect(result.totals.unpriced).toEqual(['test']);
});

test('[D21] hooks are called for every tool, every cut and every summary', async () => {
  const told = summariser();
  const heard: string[] = [];
  const scribe = hook({
    name: 'scribe',
    on: ['tool.finished', 'context.compacted'],
    handle: (event) => void heard.push(event.type),
  });
  const { ada } = walking(60, { budget: small, summariser: told });
  const { events } = await start(ada, 'The task.', { hooks: [scribe] }).result;
  expect(heard.filter((type) => type === 'tool.finished')).toHaveLength(60);
  const cuts = ofType(events, 'context.compacted');
  expect(heard.filter((type) => type === 'context.compacted')).toHaveLength(cuts.length);
  expect(cuts.filter(({ isSummarised }) => isSummarised)).toHaveLength(told.asked.length);
  expect(told.asked.length).toBeGreaterThan(0);
});

test('[D22] what is streamed is tried again and shortened like what is not', async () => {
  const run = async (isWatched: boolean) => {
    const down = new TroupeError('model.unavailable', 'Cannot answer as it is down', { retryable: 'yes' });
    const looks = (text: string) => calls({ name: 'echo', input: { text } });
    const breaks: ScriptedReply = (_, call) => (call.delta({ type: 'text', text: 'Do' }), down);
    const watched: boolean[] = [];
    const answers: ScriptedReply = (_, call) => (watched.push(call.isWatched), 'Done.');
    const model = scriptedModel([looks('1'), looks('2'), breaks, looks('3'), down, answers]);
    const context = { processors: [keepLast(2)] };
    const ada = agent({ name: 'ada', model, tools: [echo], conversation: { compaction: context } });
    const clock = virtualClock();
    const handle = start(ada, 'The task.', { clock });
    let live = '';
    if (isWatched)
      handle.events$.subscribe((event) => {
        if (event.type === 'model.delta' && event.delta.type === 'text') live += event.delta.text;
        if (event.type === 'model.discarded') live = live.slice(0, -event.characters);
      });
    const { output, totals, events } = await letTimePass(clock, settled(handle));
    expect(watched).toEqual([isWatched]);
    expect(live).toBe(isWatched ? 'Done.' : '');
    const shown = model.requests.map(({ messages }) => messages);
    return { output, totals, shown, discarded: ofType(events, 'model.discarded').length };
  };
  const streamed = await run(true);
  expect(streamed).toEqual(await run(false));
  expect(streamed).toMatchObject({ output: 'Done.', totals: { retries: 2 }, discarded: 1 });
  // The task, and the last cycle once there is one.
  expect(streamed.shown.map(({ length }) => length)).toEqual([1, 3, 3, 3, 3, 3]);
});

test('[KAIZEN-84] a summary draws on the budget of the run, as any call', async () => {
  const dear: Summariser = {
    name: 'dear',
    summarise: () => ({ text: 'In short.', usage: { input: 1_000_000, output: 1 } }),
  };
  const { ada } = walking(250, { budget: small, summariser: dear });
  const { stopReason, totals } = await start(ada, 'Go.', { limits: { budget: { tokens: 1_000_000 } } })
    .result;
  expect(stopReason).toMatchObject({ kind: 'budget', budget: 'tokens' });
  expect(totals.steps).toBeLessThan(100);
});

test('[QITOS-98] [DODO-49] past the soft limit there is a warning, and once it is cut it is told how far', async () => {
  const { ada } = walking(60, { budget: small, summariser: false });
  const { events } = await start(ada, 'The task.').result;
  const [warned] = ofType(events, 'context.warned');
  const [cut] = ofType(events, 'context.compacted');
  expect(warned).toMatchObject({ soft: 2_000, phase: 'DECIDE' });
  expect(warned?.tokens).toBeGreaterThan(2_000);
  expect(cut?.before).toBe(warned?.tokens);
  expect(cut?.after).toBeLessThan(cut?.before ?? 0);
  expect(cut?.shown).toBeLessThan(cut?.of ?? 0);
});

test('a summary is made once, by an effect, and said to the model from then on', async () => {
  const told = summariser('They counted.');
  const { ada, requests } = walking(60, { budget: small, summariser: told });
  const result = await start(ada, 'The task.').result;
  const shows = ({ turns }: (typeof requests)[number]): boolean =>
    turns.some(({ text }) => text.endsWith('They counted.'));
  const from = requests.findIndex(shows);
  expect(from).toBeGreaterThan(0);
  expect(requests.slice(from).every(shows)).toBe(true);
  expect(told.asked.length).toBe(
    ofType(result.events, 'context.compacted').filter(({ isSummarised }) => isSummarised).length,
  );
});

test.each([
  ['throws', () => Promise.reject(new Error('no'))],
  ['hangs', () => never<{ text: string }>()],
  ['lies', () => ({}) as { text: string }],
] as const)('[DODO-44] a summariser that %s costs the turns and not the run', async (_, summarise) => {
  const clock = virtualClock();
  const { ada } = walking(60, { budget: small, summariser: { name: 'bad', summarise } });
  const result = await letTimePass(clock, start(ada, 'The task.', { clock }).result, 10_000);
  expect(result.output).toBe('Done.');
  expect(ofType(result.events, 'context.summary-failed').length).toBeGreaterThan(0);
});

test('[F25] [P10] a model that was sent too much is sent less at once, and never so much again', async () => {
  const { model: inner, requests } = walker(80);
  let refused = 0;
  const model: Model = {
    ...inner,
    answer: (request, call) => {
      if (request.messages.length > 60) {
        refused += 1;
        throw overflow();
      }
      return inner.answer(request, call);
    },
  };
  const ada = agent({ name: 'ada', model, tools: [echo], stop: maxSteps(81) });
  const result = await start(ada, 'The task.', { clock: virtualClock() }).result;
  expect(result.output).toBe('Done.');
  expect(refused).toBe(1);
  expect(requests).toHaveLength(81);
  expect(requests.every(({ turns }) => arePaired(turns))).toBe(true);
  expect(ofType(result.events, 'model.retrying')).toMatchObject([{ waitMs: 0 }]);
  expect(ofType(result.events, 'context.compacted').length).toBeGreaterThan(0);
});

test('[QITOS-98] one that says so again fails the run, or the next model takes over', async () => {
  const always = (): never => {
    throw overflow();
  };
  const history = Array.from({ length: 60 }, (_, at) => ({
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    text: `${at} ${'word '.repeat(30)}`,
  }));
  const model = { ...scriptedModel([always, always]), id: 'narrow' };
  const clock = virtualClock();
  const failed = await settled(start(agent({ name: 'ada', model }), 'go', { history, clock }));
  expect(failed.error?.code).toBe('model.context-overflow');
  expect(failed.totals.modelCalls).toBe(2);
  const wide = scriptedModel(['ok']);
  const narrow = { ...scriptedModel([always, always]), id: 'narrow' };
  const saved = await start(agent({ name: 'ada', model: [narrow, wide] }), 'go', { history, clock }).result;
  expect(saved.output).toBe('ok');
  expect(wide.requests[0]?.messages.at(-1)?.text).toBe('go');
});

test('where nothing can be left out, a refusal stands', async () => {
  const model = scriptedModel([overflow()]);
  const failed = await settled(start(agent({ name: 'ada', model }), 'x'.repeat(4_000)));
  expect(failed.error).toMatchObject({
    code: 'model.context-overflow',
    message: expect.stringContaining('9 tokens'),
  });
  model.assertConsumed();
});

test('[DODO-50] a ladder that finds no way is not tried again, and nothing is sent', async () => {
  const model = scriptedModel(['never']);
  const ada = agent({
    name: 'ada',
    model,
    conversation: { compaction: { budget: { hard: 100, reserve: 0 } } },
  });
  const failed = await settled(start(ada, 'word '.repeat(1_000)));
  expect(failed.error?.code).toBe('model.context-overflow');
  expect(model.requests).toEqual([]);
  expect(ofType(failed.events, 'model.retrying')).toEqual([]);
});

test('what nobody knows the limit of is sent, however long', async () => {
  const model = { ...scriptedModel(['ok']), isLanguageModel: true };
  const { output } = await start(agent({ name: 'ada', model }), 'word '.repeat(20_000)).result;
  expect(output).toBe('ok');
  expect(model.requests[0]?.messages[0]?.text.length).toBe(100_000);
});

test('[DODO-42] processors of one’s own are applied to every request, in order; one that throws ends the call with its name', async () => {
  const marking = (mark: string): Processor => ({
    name: mark,
    *project(blocks) {
      for (const block of blocks)
        yield block.isPinned
          ? block
          : { ...block, turns: block.turns.map((turn) => ({ ...turn, text: turn.text + mark })) };
    },
  });
  const model = scriptedModel(['ok']);
  const history = [
    { role: 'user', text: 'first' },
    { role: 'assistant', text: 'second' },
  ] as const;
  const ada = agent({
    name: 'ada',
    model,
    conversation: { compaction: { processors: [marking('1'), marking('2')] } },
  });
  await start(ada, 'third', { history }).result;
  // The first message and the prompt of this run are nobody's to change.
  expect(model.requests[0]?.messages.map(({ text }) => text)).toEqual(['first', 'second12', 'third']);
  const broken: Processor = {
    name: 'broken',
    project: () => {
      throw new Error('boom');
    },
  };
  const bob = agent({
    name: 'bob',
    model: scriptedModel([]),
    conversation: { compaction: { processors: [broken] } },
  });
  const failed = await settled(start(bob, 'go'));
  expect(failed.error).toMatchObject({ code: 'agent.threw', message: expect.stringContaining('broken') });
});

test('[DODO-43] the prompt of a run in a longer thread is shown, whatever else goes', async () => {
  const model = scriptedModel([
    ...Array.from({ length: 9 }, () => calls({ name: 'echo', input: { text: 'x' } })),
    'ok',
  ]);
  const history = [
    { role: 'user', text: 'long ago' },
    { role: 'assistant', text: 'yes' },
  ] as const;
  const ada = agent({
    name: 'ada',
    model,
    tools: [echo],
    conversation: { compaction: { processors: [keepLast(4)] } },
  });
  await start(ada, 'the prompt', { history }).result;
  expect(
    model.requests
      .at(-1)
      ?.messages.map(({ text }) => text)
      .slice(0, 2),
  ).toEqual(['long ago', 'the prompt']);
});

test('[TENEX-U10] [QITOS-50] what is stored is whole, however little is shown; with a store and without one it means the same', async () => {
  const { ada } = walking(80, { budget: small, summariser: summariser() });
  let length = 0;
  const seen = agent({
    name: 'ada',
    model: walker(80).model,
    tools: [echo],
    stop: maxSteps(81),
    conversation: { compaction: { budget: small, summariser: false } },
    decide: ({ transcript }) => ((length = transcript.length), undefined),
  });
  await seen.run('The task.');
  expect(length).toBe(161);
  const again = walking(80, { budget: small, summariser: summariser() }).ada;
  expect(
    compareRuns(await ada.run('The task.'), await again.run('The task.', { store: memoryStore() })),
  ).toEqual([]);
});

test('[M44] each turn is counted once, and a cut looks at no more of a long conversation than of a short one', async () => {
  const counting = async (steps: number) => {
    let counted = 0;
    const { ada } = walking(steps, {
      budget: small,
      summariser: false,
      counter: { name: 'counting', count: (text) => ((counted += 1), Math.ceil(text.length / 4)) },
    });
    const { events } = await ada.run('The task.');
    return { counted: counted / steps, cuts: ofType(events, 'context.compacted').length / steps };
  };
  const short = await counting(300);
  const long = await counting(1_000);
  expect(long.counted).toBeLessThanOrEqual(short.counted * 1.2);
  expect(long.cuts).toBeLessThanOrEqual(short.cuts * 1.2);
});

test('a conversation that nobody limits costs nothing: no turn is counted', async () => {
  let counted = 0;
  const counter = { name: 'counting', count: () => (counted += 1) };
  await walking(50, { counter }).ada.run('The task.');
  expect(counted).toBe(0);
});

test('[DODO-48] a preset shows the less the more aggressive it is', async () => {
  const sizes: number[] = [];
  for (const context of [false, 'conservative', 'balanced', 'aggressive'] as const) {
    const { model, requests } = walker(120, 5);
    await agent({
      name: 'ada',
      model,
      tools: [echo],
      stop: maxSteps(121),
      conversation: { compaction: context },
    }).run('The task.');
    sizes.push(requests.at(-1)?.tokens ?? 0);
  }
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  expect(new Set(sizes).size).toBe(4);
});

test('[U8] a message in mid-run is seen exactly once, also by a run that was cut', async () => {
  const { model, requests } = walker(80);
  const ada = agent({
    name: 'ada',
    model,
    tools: [echo],
    stop: maxSteps(81),
    conversation: { compaction: { budget: small, summariser: false } },
  });
  const handle = ada.stream('The task.');
  let isSent = false;
  handle.events$.subscribe((event) => {
    if (event.type !== 'tool.started' || event.step !== 40 || isSent) return;
    isSent = true;
    handle.send('By the way.');
  });
  await handle.result;
  const times = requests.map(({ turns }) => turns.filter(({ text }) => text === 'By the way.').length);
  expect(times.slice(0, 41).every((count) => count === 0)).toBe(true);
  expect(times[41]).toBe(1);
  expect(Math.max(...times)).toBe(1);
});

test.each([
  ['a preset that there is not', 'enormous' as 'balanced'],
  ['what is not an object', 7 as unknown as 'balanced'],
  ['processors that are none', { processors: [{}] as Processor[] }],
  ['a budget of nothing', { budget: { hard: 0 } }],
  ['a soft limit past the hard one', { budget: { soft: 2, hard: 1 } }],
  ['a reserve that leaves nothing', { budget: { hard: 10, reserve: 10 } }],
  ['a counter that cannot count', { counter: {} as CompactionOptions['counter'] }],
  ['a summariser that cannot summarise', { summariser: {} as Summariser }],
])('an agent with %s is refused when it is defined', (_, context) => {
  expect(() => agent({ name: 'ada', conversation: { compaction: context } })).toThrow(
    expect.objectContaining({ code: 'agent.invalid' }),
  );
});
