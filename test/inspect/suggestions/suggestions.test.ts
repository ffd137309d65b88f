import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Model } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import { suggestions } from '../../../src/inspect/suggestions/suggestions.ts';
import type { SuggestionType } from '../../../src/inspect/suggestions/suggestion.ts';
import { targets } from '../../../src/inspect/suggestions/suggestion.ts';
import { fork } from '../../../src/index.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { letTimePass, start } from '../../support/runs.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { planted, PlantedRun } from './planted-runs.ts';

const typesFor = async (runs: Parameters<typeof suggestions>[0], target: (typeof targets)[number]) =>
  (await suggestions(runs, { target, unproven: true })).map(({ type }) => type);

/** Planted once each: what a run has to have for a kind of suggestion. */
const inefficiencies: Readonly<Record<SuggestionType, (run: PlantedRun, index: number) => void>> = {
  // In every second run the input is that of the run before.
  cache: () => undefined,
  'cacheable-tool': (run) => {
    for (const step of [0, 1]) run.tool('look', { at: 'stock' }, '3 left', { ms: 40, step });
  },
  'faster-model': (run) => run.model('long in coming', { ms: 4_000 }),
  'smaller-model': (run) => run.model('yes', { usage: { input: 100, output: 2 } }),
  'stronger-model': (run) => {
    run.model('a draft').say({ type: 'agent.critiqued', verdict: 'revise', note: `not good: ${run.runId}` });
  },
  'prompt-prefix': (run) => {
    run.model('first', { usage: { input: 5_000, output: 200, cached: 0 } });
    run.model('second', { usage: { input: 5_200, output: 200, cached: 0 } });
  },
  'parallel-tools': (run, index) => {
    run.say({ type: 'message.sent', to: 'clerk', from: 'user', text: 'x' });
    run.model(`Oslo${index} and Rome${index}`, { calls: 1 });
    run.tool('weather', { city: `Oslo${index}` }, 'rain', { ms: 500 });
    run.model('next', { calls: 1, step: 1 });
    run.tool('weather', { city: `Rome${index}` }, 'sun', { ms: 500, step: 1 });
  },
  'unused-tool': (run) => {
    const key = `${run.runId}/tools`;
    const asked = { model: 'acme:large', key, messages: 1, attempt: 1 };
    const request = {
      isFirst: true as const,
      instructions: { hash: 'i', text: 'Help.' },
      tools: { hash: 't', specs: [{ name: 'erase', description: 'Erases all.', parameters: {} }] },
      turns: [[0, 0]] as const,
      added: [{ role: 'user' as const, text: run.runId }],
    };
    run.say({ type: 'model.asked', ...asked, request });
    const usage = { input: 100, output: 300 };
    run.say({
      type: 'model.answered',
      model: 'acme:large',
      key,
      text: '',
      calls: 0,
      finish: 'stop',
      usage,
      durationMs: 1,
    });
  },
  'unread-context': (run) => {
    run.tool('dump', { table: 'all' }, 'elephants giraffes '.repeat(200));
    run.model('It is 42.');
  },
  'futile-retry': (run) => {
    const error = { code: 'model.unavailable', message: 'down', retryable: 'yes' } as const;
    run.say({ type: 'model.retrying', model: 'acme:large', attempt: 1, waitMs: 700, error });
    run.say({ type: 'model.failed', model: 'acme:large', key: 'k', error });
  },
  'dead-branch': (run) => {
    const ranking = ['ann', 'bob'].map((member) => ({ member, score: 1 }));
    run.say({ type: 'route.chosen', member: 'ann', strategy: 'best', ranking });
  },
};

/** Runs in which one kind is planted; nothing else is there to find. */
const runsWith = (type: SuggestionType, count = 20) =>
  Array.from({ length: count }, (_, index) => {
    const input = type === 'cache' ? `question ${index % (count / 2)}` : `question ${index}`;
    const run = new PlantedRun(`run-${index}`, { input, at: index * 100 });
    inefficiencies[type](run, index);
    if (type === 'cache') run.model(`answer to ${input}`);
    return run.end();
  });

/** What is not to be found anywhere: the types that serve no target. */
const served: Readonly<Record<SuggestionType, readonly (typeof targets)[number][]>> = {
  cache: ['latency', 'cost'],
  'cacheable-tool': ['latency'],
  'faster-model': ['latency'],
  'smaller-model': ['cost'],
  'stronger-model': ['accuracy'],
  'prompt-prefix': ['cost', 'latency'],
  'parallel-tools': ['latency', 'cost'],
  'unused-tool': ['cost', 'accuracy'],
  'unread-context': ['cost', 'accuracy'],
  'futile-retry': ['latency', 'accuracy'],
  'dead-branch': ['accuracy', 'cost'],
};

const types = Object.keys(inefficiencies) as SuggestionType[];

describe('suggestions from recorded runs', () => {
  test.each(types)(
    '[KAIZEN-58] a planted %s is found, for the targets that it serves, and nothing else is',
    async (type) => {
      const runs = runsWith(type);
      for (const target of targets)
        expect(await typesFor(runs, target)).toEqual(served[type].includes(target) ? [type] : []);
    },
  );

  test('[KAIZEN-57] among 1,000 runs a planted inefficiency of each kind is found, with runs that show it', async () => {
    let made = 0;
    // Made as they are read: only one is there at a time.
    function* runs() {
      for (let index = 0; index < 1_000; index += 1) {
        const type = types[index % types.length] ?? 'cache';
        const input = type === 'cache' ? 'the same' : `question ${index}`;
        const run = new PlantedRun(`run-${index}`, { agent: `agent-${type}`, input, at: index * 100 });
        inefficiencies[type](run, index);
        if (type === 'cache') run.model('the answer');
        made += 1;
        yield run.end();
      }
    }
    for (const target of targets) {
      const found = await suggestions(runs(), { target, unproven: true });
      expect(found.map(({ agent }) => agent).toSorted()).toEqual(
        types
          .filter((type) => served[type].includes(target))
          .map((type) => `agent-${type}`)
          .toSorted(),
      );
      for (const { agent, type, evidence } of found) {
        expect(agent).toBe(`agent-${type}`);
        expect(evidence.runs.length).toBeLessThanOrEqual(10);
        expect(evidence.runs.every((id) => types[Number(id.slice(4)) % types.length] === type)).toBe(true);
      }
    }
    expect(made).toBe(3_000);
  });

  test('[KAIZEN-58] answers that take 1,000 ms on average are not slow, and those that take 1,001 ms are', async () => {
    const taking = (ms: number) =>
      planted(4, (run, index) => run.model('x', { ms: ms + (index % 2 === 0 ? 5 : -5) }));
    expect(await typesFor(taking(1_000), 'latency')).toEqual([]);
    expect(await suggestions(taking(1_001), { target: 'latency', unproven: true })).toMatchObject([
      {
        type: 'faster-model',
        agent: 'clerk',
        model: 'acme:large',
        expected: { latencyMs: 2_002, share: 0.5 },
        evidence: { runs: ['run-0', 'run-1', 'run-2', 'run-3'], runCount: 4, measured: { averageMs: 1_001 } },
        proven: false,
      },
    ]);
  });

  test('[KAIZEN-58] repeated inputs suggest a cache, unless the time between them is longer than it keeps answers', async () => {
    const asking = (...times: readonly number[]) =>
      times.map((at) => new PlantedRun(`run-${at}`, { input: 'same', at }).model('x', { ms: 0 }).end());
    expect(await suggestions(asking(0, 1, 299_999), { unproven: true })).toMatchObject([
      {
        type: 'cache',
        expected: { modelCalls: 2, costUsd: 0.02 },
        evidence: { count: 2, of: 3 },
        proven: false,
      },
    ]);
    expect(await suggestions(asking(0, 1, 300_000, 600_000), { unproven: true })).toEqual([]);
  });

  test.each(types)(
    '[KAIZEN-57] a %s is offered only if it is proven, and says by what, or why it is not',
    async (type) => {
      const runs = runsWith(type);
      const target = served[type][0] ?? 'cost';
      const [found] = await suggestions(runs, { target, unproven: true });
      expect(await suggestions(runs, { target })).toEqual(found?.proven === false ? [] : [found]);
      const isRecounted = ['unused-tool', 'futile-retry', 'dead-branch'].includes(type);
      const by = type === 'futile-retry' ? 'replay' : 'recount';
      expect(found?.proven).toEqual(isRecounted ? { by, runs: 20 } : false);
      expect(found?.basis).toMatch(isRecounted ? /^counted from/ : /; not proven as \S+/);
    },
  );

  test('[KAIZEN-57] another target puts suggestions into another order', async () => {
    const runs = [...runsWith('cache'), ...runsWith('parallel-tools'), ...runsWith('unused-tool')];
    const forCost = await typesFor(runs, 'cost');
    const forLatency = await typesFor(runs, 'latency');
    expect(forLatency).toEqual(['parallel-tools', 'cache']);
    expect(forCost.slice(0, 2)).toEqual(['parallel-tools', 'cache']);
    expect(forCost).toContain('unused-tool');
    const slow = [...runsWith('faster-model', 10), ...runsWith('cache', 10)];
    expect((await typesFor(slow, 'latency'))[0]).toBe('faster-model');
    expect((await typesFor(slow, 'cost'))[0]).toBe('cache');
  });

  test('calls that need each other, and retries that help, are no inefficiency', async () => {
    const dependent = planted(20, (run, index) => {
      run.model('look it up', { calls: 1 }).tool('find', { who: `Ada${index}` }, `id-${index}00`);
      run
        .model('and then', { calls: 1, step: 1 })
        .tool('read', { id: `id-${index}00` }, 'found', { step: 1 });
    });
    expect(await typesFor(dependent, 'latency')).toEqual([]);
    const error = { code: 'model.unavailable', message: 'down', retryable: 'yes' } as const;
    const helped = planted(20, (run) => {
      run.say({ type: 'model.retrying', model: 'acme:large', attempt: 1, waitMs: 700, error }).model('there');
    });
    expect(await typesFor(helped, 'latency')).toEqual([]);
  });

  test.each([
    [[], { target: 'speed' }, /target is not one of latency, cost, accuracy: found 'speed'/],
    [[], { limit: 0 }, /limit is not a whole number from 1: found 0/],
    [[], { unproven: 'yes' }, /unproven is not true or false|unproven is/],
    [[], { proven: true }, /did you mean `prove`|did you mean `unproven`/],
    [[], { prove: { agent: 7, model: 'offline' } }, /prove.agent is not an agent: found 7/],
    [7, {}, /there are no recorded runs: give a store, or results of runs, found 7/],
    [[{}], {}, /there are no recorded runs/],
    [[], { prove: { agent: { name: 'clerk' }, model: 'offline' } }, /in no store/],
  ])('%j with %j is refused, and the error says why', async (runs, options, problem) => {
    // As a JavaScript caller might.
    const given = suggestions(runs as never, options as never);
    await expect(given).rejects.toThrow(
      expect.objectContaining({ code: 'input.invalid', message: expect.stringMatching(problem) }),
    );
  });
});

/** A model that takes its time by a clock, at a price. */
const timed = (
  id: string,
  ms: number,
  usd: number,
  clock: ReturnType<typeof virtualClock>,
  says = (text: string) => text,
): Model => ({
  provider: 'acme',
  id,
  answer: ({ messages }) =>
    new Promise((resolve) => {
      const usage = { input: 50, output: 5, billedUsd: usd };
      const text = says(messages.at(-1)?.text ?? '');
      clock.setTimeout(() => resolve(modelAnswer({ text, usage })), ms);
    }),
});

describe('suggestions from a store', () => {
  test('a tool whose equal calls get equal results in a run is suggested as cacheable, and one whose results change is not', async () => {
    const looking = (...texts: readonly string[]) =>
      planted(2, (run) =>
        texts.reduce((all, text, step) => all.tool('look', { at: 1 }, text, { ms: 30, step }), run),
      );
    const found = async (runs: Parameters<typeof suggestions>[0]) =>
      (await suggestions(runs, { target: 'latency', unproven: true })).filter(
        ({ type }) => type === 'cacheable-tool',
      );
    expect(await found(looking('3 left', '3 left', '3 left'))).toMatchObject([
      {
        agent: 'clerk',
        tool: 'look',
        description: expect.stringContaining('`cacheable: true` where it only reads') as string,
        expected: { latencyMs: 120 },
        evidence: { runs: ['run-0', 'run-1'], count: 4, of: 6, measured: { savedMs: 120 } },
        proven: false,
      },
    ]);
    // What it reads has changed, or the equal calls are of different runs.
    expect(await found(looking('3 left', '2 left', '3 left'))).toEqual([]);
    expect(await found(looking('3 left'))).toEqual([]);
    expect(await suggestions(looking('3 left', '3 left'), { target: 'latency' })).toEqual([]);
  });

  test('[KAIZEN-58] repeated calls are proven by the requests that were sent', async () => {
    const store = memoryStore();
    const clerk = agent({
      name: 'clerk',
      model: scriptedModel(['a', 'b', 'a', 'a'].map((text) => ({ text }))),
    });
    for (const input of ['same', 'other', 'same', 'same']) await clerk.run(input, { store });
    const found = await suggestions(store, { target: 'latency' });
    expect(found).toMatchObject([
      {
        type: 'cache',
        proven: { by: 'replay', runs: 2 },
        basis: expect.stringMatching(
          /^counted from the recorded requests: of 4 calls, 2 .* got the same answer$/,
        ),
      },
    ]);
  });

  test('[KAIZEN-58] repeated calls that get other answers, or call tools otherwise, are not proven: a cache would change their runs', async () => {
    const store = memoryStore();
    const find = (text: string) => calls({ name: 'echo', input: { text } });
    const echo = tool({
      name: 'echo',
      description: 'Gives back what it is given.',
      input: z.object({ text: z.string() }),
      execute: ({ text }) => text,
    });
    const drafts = agent({ name: 'drafts', model: scriptedModel(['a', 'b', 'c']) });
    const finder = agent({
      name: 'finder',
      tools: [echo],
      model: scriptedModel([find('x'), 'done', find('x'), 'done', find('y'), 'done']),
    });
    for (const who of [drafts, finder])
      for (let index = 0; index < 3; index += 1) await who.run('same', { store });
    expect(await suggestions(store)).toEqual([]);
    const found = await suggestions(store, { unproven: true });
    const words = found.flatMap(({ type, agent: who, proven, basis }) =>
      type === 'cache' && proven === false ? [`${who}: ${basis.replace(/^.*; /, '')}`] : [],
    );
    expect(words.toSorted()).toEqual([
      'drafts: not proven as 2 of them got another answer, which a cache would take from their runs',
      'finder: not proven as 1 of them got another answer, which a cache would take from their runs',
    ]);
  });

  test('prompts that do not begin alike are proven by the requests that were sent', async () => {
    const store = memoryStore();
    const usage = { input: 5_000, output: 200, cached: 0 };
    for (let index = 0; index < 4; index += 1)
      await agent({
        name: 'clerk',
        instructions: `It is ${index} o'clock.`,
        model: scriptedModel([{ text: 'a long answer', usage }]),
      }).run(`q${index}`, { store });
    expect(await suggestions(store)).toMatchObject([
      {
        type: 'prompt-prefix',
        proven: { by: 'recount', runs: 3 },
        basis: expect.stringContaining('recorded prompts'),
      },
    ]);
  });

  test('a smaller model is proven where all forks end the same and cost less, and refuted where one does not', async () => {
    const clock = virtualClock();
    const store = memoryStore();
    const clerk = agent({ name: 'clerk', model: timed('large', 2_000, 0.1, clock) });
    for (let index = 0; index < 6; index += 1)
      await letTimePass(clock, clerk.run(`q${index}`, { store, clock }));
    const fast = virtualClock();
    const prove = (model: Model, target: 'cost' | 'latency') =>
      letTimePass(
        fast,
        suggestions(store, { target, unproven: true, prove: { agent: clerk, model, runs: 3 } }),
      );
    const small: Model = {
      provider: 'acme',
      id: 'small',
      answer: ({ messages }) =>
        modelAnswer({ text: messages.at(-1)?.text ?? '', usage: { input: 50, output: 5, billedUsd: 0.025 } }),
    };
    expect(await prove(small, 'cost')).toMatchObject([
      {
        type: 'smaller-model',
        proven: { by: 'forks', runs: 3 },
        basis:
          '3 of 3 forks with acme:small ended the same; they cost 0.075 US dollars instead of 0.3 US dollars',
        expected: { costUsd: expect.closeTo(0.45), share: expect.closeTo(0.75) },
      },
    ]);
    expect(await prove(small, 'latency')).toMatchObject([
      { type: 'faster-model', proven: { by: 'forks', runs: 3 } },
    ]);
    const wrong: Model = {
      ...small,
      id: 'wrong',
      answer: () => modelAnswer({ text: 'no idea', usage: { input: 1, output: 1, billedUsd: 0 } }),
    };
    expect(await prove(wrong, 'cost')).toMatchObject([
      {
        type: 'smaller-model',
        proven: false,
        basis: expect.stringContaining('0 of 3 forks with acme:wrong ended the same'),
      },
    ]);
    const dear: Model = {
      ...small,
      id: 'dear',
      answer: ({ messages }) =>
        modelAnswer({ text: messages.at(-1)?.text ?? '', usage: { input: 1, output: 1, billedUsd: 5 } }),
    };
    expect(await prove(dear, 'cost')).toMatchObject([{ proven: false }]);
    // None is offered that was refuted, or not tried.
    const offered = (model: Model) =>
      letTimePass(fast, suggestions(store, { prove: { agent: clerk, model, runs: 3 } }));
    expect(await offered(small)).toMatchObject([{ type: 'smaller-model', proven: { runs: 3 } }]);
    expect(await offered(wrong)).toEqual([]);
    expect(await suggestions(store)).toEqual([]);
    expect(await suggestions(store, { prove: { agent: clerk } })).toEqual([]);
    // Forks are made elsewhere.
    expect(await store.list()).toHaveLength(6);
  });

  test('a trial executes no tool, and a call that the run did not make refutes', async () => {
    const store = memoryStore();
    let executed = 0;
    const counted = tool({
      name: 'echo',
      description: 'Gives back what it is given.',
      input: z.object({ text: z.string() }),
      execute: ({ text }) => {
        executed += 1;
        return text;
      },
    });
    const usage = { input: 9, output: 2, billedUsd: 0.1 };
    const script = [
      { ...calls({ name: 'echo', input: { text: 'x' } }), usage },
      { text: 'done', usage },
    ];
    const clerk = agent({
      name: 'clerk',
      tools: [counted],
      model: scriptedModel([...script, ...script, ...script]),
    });
    for (let index = 0; index < 3; index += 1) await clerk.run(`q${index}`, { store });
    expect(executed).toBe(3);
    const cheap = (text: string) =>
      scriptedModel([calls({ name: 'echo', input: { text } }), 'done'], 'cheap');
    const proof = (text: string) =>
      suggestions(store, { unproven: true, prove: { agent: clerk, model: cheap(text), runs: 1 } });
    expect((await proof('x')).filter(({ type }) => type === 'smaller-model')).toMatchObject([
      { proven: { by: 'forks', runs: 1 } },
    ]);
    expect((await proof('y')).filter(({ type }) => type === 'smaller-model')).toMatchObject([
      { proven: false },
    ]);
    expect(executed).toBe(3);
  });

  test('a stronger model is proven where forks of the runs that show the need are completed, and nothing is sent back', async () => {
    const store = memoryStore();
    const clerk = agent({
      name: 'clerk',
      model: scriptedModel(Array.from({ length: 6 }, () => ['a draft', 'the answer']).flat()),
      critics: [
        {
          name: 'editor',
          critique: ({ candidate }) =>
            candidate === 'a draft' ? { verdict: 'revise', note: 'no draft' } : { verdict: 'accept' },
        },
      ],
    });
    for (let index = 0; index < 6; index += 1) await clerk.run(`q${index}`, { store });
    const prove = (...answers: readonly string[]) =>
      suggestions(store, {
        target: 'accuracy',
        unproven: true,
        prove: { agent: clerk, model: scriptedModel(answers, 'strong'), runs: 2 },
      });
    expect(await suggestions(store, { target: 'accuracy' })).toEqual([]);
    expect(await prove('the answer', 'another answer')).toMatchObject([
      {
        type: 'stronger-model',
        proven: { by: 'forks', runs: 2 },
        basis: '2 of 2 forks with scripted:strong were completed, and nothing was sent back',
      },
    ]);
    expect(await prove('the answer', 'a draft', 'the answer')).toMatchObject([
      { proven: false, basis: expect.stringContaining('1 of 2 forks') },
    ]);
  });

  test('shorter results are proven where forks with them end the same, by the same model, and take less', async () => {
    const store = memoryStore();
    const dump = tool({
      name: 'dump',
      description: 'Reads all.',
      input: z.object({ table: z.string() }),
      execute: ({ table }) => `${table}: ${'elephants giraffes '.repeat(200)}`,
    });
    /** A model whose input costs a token a character, and which answers by what it is given. */
    const reader = (answer: (result: string) => string): Model => ({
      provider: 'acme',
      id: 'reader',
      answer: ({ messages }) => {
        const text = messages.map((message) => message.text).join('');
        const result = messages.findLast(({ role }) => role === 'tool')?.text;
        const usage = { input: text.length, output: 200, billedUsd: 0.01 };
        return modelAnswer(
          result === undefined
            ? { calls: [{ id: '1', name: 'dump', input: { table: 'all' } }], usage }
            : { text: answer(result), usage },
        );
      },
    });
    const made = (answer: (result: string) => string) =>
      agent({ name: 'clerk', tools: [dump], model: reader(answer) });
    for (let index = 0; index < 6; index += 1) await made(() => '42').run(`q${index}`, { store });
    const prove = async (answer: (result: string) => string) =>
      (await suggestions(store, { unproven: true, prove: { agent: made(answer), runs: 2 } })).filter(
        ({ type }) => type === 'unread-context',
      );
    expect((await suggestions(store)).map(({ type }) => type)).not.toContain('unread-context');
    expect(await prove(() => '42')).toMatchObject([
      {
        type: 'unread-context',
        tool: 'dump',
        proven: { by: 'forks', runs: 2 },
        basis: expect.stringMatching(
          /^2 of 2 forks with results of 'dump' cut to 500 characters ended the same; they took \d+ tokens instead of \d+$/,
        ),
      },
    ]);
    expect(await prove((result) => (result.length > 500 ? '42' : '41'))).toMatchObject([
      { proven: false, basis: expect.stringContaining('0 of 2 forks') },
    ]);
  });

  test('runs that go on, forks and journals that cannot be read are left out', async () => {
    const store = memoryStore();
    const clerk = agent({ name: 'clerk', model: scriptedModel(['a', 'a', 'a', 'd']) });
    for (let index = 0; index < 3; index += 1) await clerk.run('same', { store, runId: `r${index}` });
    const broken = {
      ...store,
      list: store.list.bind(store),
      read: (runId: string, from?: number, limit?: number) => {
        if (runId === 'r0') throw new TroupeError('journal.corrupt', 'torn');
        return store.read(runId, from, limit);
      },
    };
    const other = await fork(clerk, 'r0', { store, at: { step: 0 }, runId: 'f' });
    expect((await other.result).output).toBe('d');
    void start(clerk, 'same', { store, runId: 'running', paused: true });
    expect(await suggestions(broken)).toEqual([]);
    expect(await suggestions(store)).toMatchObject([{ type: 'cache', evidence: { count: 2, of: 3 } }]);
  });
});
