import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import type { Model } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import type {
  OptimizerChange,
  OptimizerOptions,
} from '../../../src/inspect/suggestions/optimizer/optimizer-options.ts';
import { optimizer } from '../../../src/inspect/suggestions/optimizer/optimizer.ts';
import { act, answer, createGlobalEngine, replay, tool } from '../../../src/index.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { deferred, echo, ofType, quiet, settled } from '../../support/runs.ts';

/** A model at a price that counts how often it is asked. */
const priced = (id: string, usd: number, answer = 'yes') => {
  const model = {
    asked: 0,
    provider: 'acme',
    id,
    answer: () => {
      model.asked += 1;
      return modelAnswer({ text: answer, usage: { input: 40, output: 2, billedUsd: usd } });
    },
  } satisfies Model & { asked: number };
  return model;
};

/** A model that is down. */
const down: Model = {
  provider: 'acme',
  id: 'down',
  answer: () => {
    throw new TroupeError('model.unavailable', 'out of order', { retryable: 'no' });
  },
};

/** An engine with an optimiser, whose runs are made one after the other. */
const optimised = (options: OptimizerOptions, model: Model) => {
  const changes: OptimizerChange[] = [];
  const better = optimizer({ runs: 5, onChange: (change) => void changes.push(change), ...options });
  const engine = createGlobalEngine({ resources: [better], hooks: [better] });
  const clerk = agent({ name: 'clerk', model, failures: { retry: { attempts: 1 } } });
  let count = 0;
  const run = async (input = `question ${(count += 1)}`, more = {}) => {
    const result = await settled(engine.stream(clerk, input, more));
    return {
      ...result,
      told: result.events.flatMap((event) =>
        event.type === 'custom.emitted' ? [{ name: event.name, data: event.data }] : [],
      ),
    };
  };
  const times = async (most: number, input?: string) => {
    const results = [];
    for (let index = 0; index < most; index += 1) results.push(await run(input));
    return results;
  };
  return { better, engine, clerk, run, times, changes, kinds: () => changes.map(({ kind }) => kind) };
};

describe('an optimiser of runs', () => {
  test('a tool that might be cacheable is suggested, and nothing of it is applied', async () => {
    const better = optimizer({ apply: true, unproven: true, target: 'latency', runs: 2, cache: {} });
    const engine = createGlobalEngine({ resources: [better], hooks: [better] });
    const look = tool({
      name: 'look',
      description: 'Looks.',
      safety: 'read',
      input: z.object({}),
      execute: () => '3 left',
    });
    const clerk = agent({
      name: 'clerk',
      tools: [look],
      decide: ({ step }) => (step < 2 ? act({ name: 'look', input: {} }) : answer('done')),
    });
    for (let index = 0; index < 5; index += 1) await settled(engine.stream(clerk, `question ${index}`));
    expect(better.suggestions).toMatchObject([{ type: 'cacheable-tool', tool: 'look', proven: false }]);
    expect(better.applied).toEqual([]);
  });

  test('[KAIZEN-59] repeated calls have it apply a cache: the next equal run asks no model, and its log says so', async () => {
    const model = priced('large', 0.1);
    const { better, run, times, changes } = optimised({ apply: true, cache: {} }, model);
    await times(5, 'same');
    expect(model.asked).toBe(5);
    expect(changes).toMatchObject([
      {
        kind: 'applied',
        metric: 'errors',
        before: 0,
        suggestion: { type: 'cache', proven: { by: 'replay' } },
      },
    ]);
    expect(better.applied).toMatchObject([{ type: 'cache', agent: 'clerk' }]);
    const first = await run('same');
    const second = await run('same');
    expect(model.asked).toBe(6);
    expect(second.output).toBe('yes');
    expect(second.totals.costUsd).toBe(0);
    for (const { told } of [first, second])
      expect(told).toEqual([
        {
          name: 'optimizer.applied',
          data: {
            type: 'cache',
            agent: 'clerk',
            description: expect.stringContaining('asks its model the same again'),
          },
        },
      ]);
  });

  test('[KAIZEN-59] easy steps have it switch to a smaller model, and it keeps that where nothing gets worse', async () => {
    const [large, small] = [priced('large', 0.1), priced('small', 0.01)];
    const { times, kinds } = optimised(
      { apply: true, unproven: true, models: { 'acme:large': small } },
      large,
    );
    await times(5);
    const [next] = await times(5);
    expect([large.asked, small.asked]).toEqual([5, 5]);
    expect(next?.told).toMatchObject([
      { name: 'optimizer.applied', data: { type: 'smaller-model', model: 'acme:large' } },
    ]);
    expect(next?.events.find(({ type }) => type === 'run.started')).toMatchObject({ model: 'acme:small' });
    expect(kinds()).toEqual(['applied', 'kept']);
    await times(5);
    expect([large.asked, small.asked]).toEqual([5, 10]);
  });

  test('[KAIZEN-59] a suggestion that makes errors more frequent is rolled back at once, and not applied again', async () => {
    const large = priced('large', 0.1);
    const { better, times, kinds, changes } = optimised(
      { apply: true, unproven: true, models: { 'acme:large': down } },
      large,
    );
    await times(5);
    const [failed, after] = await times(2);
    expect(failed?.error?.code).toBe('model.unavailable');
    expect(kinds()).toEqual(['applied', 'rolled-back']);
    expect(changes[1]).toMatchObject({ metric: 'errors', before: 0, after: 1 });
    expect(after?.output).toBe('yes');
    expect(after?.told).toMatchObject([
      {
        name: 'optimizer.rolled-back',
        data: { type: 'smaller-model', metric: 'errors', before: 0, after: 1 },
      },
    ]);
    const later = await times(20);
    expect(later.flatMap(({ told }) => told)).toEqual([]);
    expect(kinds()).toEqual(['applied', 'rolled-back']);
    expect(better.applied).toEqual([]);
    expect(large.asked).toBe(26);
  });

  test('[KAIZEN-59] one that costs more is rolled back after a window of runs, where cost is guarded', async () => {
    const [large, dear] = [priced('large', 0.1), priced('dear', 0.12)];
    const guarded = (worseBy: number) =>
      optimised(
        { apply: true, unproven: true, models: { 'acme:large': dear }, guard: { metric: 'cost', worseBy } },
        large,
      );
    const strict = guarded(0.1);
    await strict.times(9);
    expect(strict.kinds()).toEqual(['applied']);
    await strict.times(1);
    expect(strict.kinds()).toEqual(['applied', 'rolled-back']);
    const lenient = guarded(0.3);
    await lenient.times(10);
    expect(lenient.kinds()).toEqual(['applied', 'kept']);
  });

  test('where a price is not known, a guard on cost lets nothing be applied', async () => {
    const unpriced: Model = {
      provider: 'acme',
      id: 'large',
      answer: () => modelAnswer({ text: 'yes', usage: { input: 4, output: 2 } }),
    };
    const { times, kinds } = optimised({ apply: true, cache: {}, guard: { metric: 'cost' } }, unpriced);
    await times(10, 'same');
    expect(kinds()).toEqual([]);
  });

  test('a run with several calls is told of a change once', async () => {
    const twice = (id: string): Model => ({
      ...priced(id, 0.1),
      answer: ({ messages }) => {
        const call = { id: '1', name: 'echo', input: { text: 'x' } };
        const usage = { input: 40, output: 2, billedUsd: 0.1 };
        return modelAnswer(
          messages.at(-1)?.role === 'tool' ? { text: 'yes', usage } : { calls: [call], usage },
        );
      },
    });
    const better = optimizer({
      apply: true,
      unproven: true,
      runs: 5,
      models: { 'acme:large': twice('small') },
    });
    const clerk = agent({ name: 'clerk', model: twice('large'), tools: [echo] });
    const options = { resources: [better], hooks: [better] };
    for (let run = 0; run < 5; run += 1) await clerk.run(`question ${run}`, options);
    const { events, totals } = await clerk.run('the last', options);
    expect(totals.modelCalls).toBe(2);
    expect(ofType(events, 'custom.emitted').map(({ name }) => name)).toEqual(['optimizer.applied']);
  });

  test('a run that began before a change is not counted for it', async () => {
    const large = priced('large', 0.1);
    const gate = deferred<undefined>();
    const slow: Model = {
      ...large,
      answer: async () => {
        await gate.promise;
        throw new TroupeError('model.unavailable', 'down', { retryable: 'no' });
      },
    };
    const { engine, times, kinds } = optimised(
      { apply: true, unproven: true, models: { 'acme:large': priced('small', 0.01) } },
      large,
    );
    const old = engine.stream(
      agent({ name: 'other', model: slow, failures: { retry: { attempts: 1 } } }),
      'long',
    );
    await times(5);
    expect(kinds()).toEqual(['applied']);
    gate.resolve(undefined);
    expect((await settled(old)).status).toBe('failed');
    await times(5);
    expect(kinds()).toEqual(['applied', 'kept']);
  });

  test('[KAIZEN-57] without `apply` it suggests, and changes nothing', async () => {
    const model = priced('large', 0.1);
    const { better, times, kinds } = optimised({ cache: {} }, model);
    const results = await times(10, 'same');
    expect(model.asked).toBe(10);
    expect(better.suggestions).toMatchObject([{ type: 'cache', proven: { by: 'replay' } }]);
    expect(better.applied).toEqual([]);
    expect(kinds()).toEqual([]);
    expect(results.flatMap(({ told }) => told)).toEqual([]);
  });

  test('a stored run that it changed replays the same without it', async () => {
    const [large, small] = [priced('large', 0.1), priced('small', 0.01)];
    const { clerk, times, run } = optimised(
      { apply: true, unproven: true, models: { 'acme:large': small } },
      large,
    );
    await times(5);
    const store = memoryStore();
    const { events, told } = await run('stored', { store, runId: 'r' });
    expect(told).toHaveLength(1);
    expect((await replay(clerk, 'r', { store })).events.slice(1)).toEqual(events.slice(1));
    expect(large.asked).toBe(5);
  });

  describe('[KAIZEN-59] that proves another model on recorded runs', () => {
    /** Eight stored runs one after the other, the sixth after the proof, of a clerk whose optimiser may use `other`. */
    const proving = async (other: Model, isKnown = true, more: OptimizerOptions = {}) => {
      const store = memoryStore();
      const large = priced('large', 0.1);
      const clerk = agent({ name: 'clerk', model: large, failures: { retry: { attempts: 1 } } });
      const agents = [isKnown ? clerk : agent({ name: 'other', model: large })];
      const better = optimizer({
        apply: true,
        runs: 5,
        models: { 'acme:large': other },
        prove: { store, agents, runs: 3 },
        unproven: true,
        ...more,
      });
      const engine = createGlobalEngine({ resources: [better], hooks: [better] });
      const basis = () => better.suggestions.find(({ type }) => type === 'smaller-model')?.basis ?? '';
      for (let run = 0; run < 8; run += 1) {
        await settled(engine.stream(clerk, `question ${run}`, { store }));
        if (run !== 4) continue;
        const before = basis();
        for (let turn = 0; turn < 1_000 && basis() === before; turn += 1) await quiet();
      }
      return { large, better, basis: basis() };
    };

    test('it applies one with which all forks end the same, for less', async () => {
      const small = priced('small', 0.01);
      const { large, better, basis } = await proving(small);
      expect(basis).toContain('3 of 3 forks with acme:small ended the same');
      expect(better.applied).toMatchObject([{ type: 'smaller-model', proven: { by: 'forks', runs: 3 } }]);
      // Three forks, and the runs after the first one that followed them.
      expect([large.asked, small.asked]).toEqual([6, 5]);
    });

    test('without `apply` it is suggested once it is proven, and changes nothing', async () => {
      const small = priced('small', 0.01);
      const { large, better } = await proving(small, true, { apply: false });
      const proven = { type: 'smaller-model', proven: { by: 'forks', runs: 3 } };
      expect(better.suggestions.filter(({ type }) => type === 'smaller-model')).toMatchObject([proven]);
      expect(better.applied).toEqual([]);
      expect([large.asked, small.asked]).toEqual([8, 3]);
    });

    test('what is not proven is suggested only where that is asked for', async () => {
      const typesFor = async (more: OptimizerOptions) =>
        (await proving(priced('small', 0.01, 'no'), true, more)).better.suggestions.map(({ type }) => type);
      expect(await typesFor({ unproven: true })).toContain('smaller-model');
      expect(await typesFor({ unproven: false })).not.toContain('smaller-model');
    });

    test.each([
      ['with which forks end otherwise', priced('small', 0.01, 'no'), true, '0 of 3 forks'],
      ['that takes more', priced('dear', 0.2), true, '3 of 3 forks with acme:dear ended the same'],
      ['that fails', down, true, '0 of 3 forks'],
      ['for runs of an agent that it was not given', priced('small', 0.01), false, "'clerk' is none"],
    ])('it never applies one %s, and says so', async (_, other, isKnown, words) => {
      const { large, better, basis } = await proving(other, isKnown);
      expect(basis).toContain(words);
      expect(better.applied).toEqual([]);
      expect(large.asked).toBe(8);
    });
  });

  test.each([
    [{ apply: true }, /apply is not of use|apply is of use|apply.*`cache` or `models`/],
    [
      { apply: true, models: { 'acme:large': priced('small', 1) } },
      /models is.*to be applied without proof: give `prove`, or `unproven: true`/,
    ],
    [{ target: 'speed' }, /target is not one of latency, cost, accuracy/],
    [{ guard: { metric: 'luck' } }, /guard.metric is not one of errors, latency, cost: found 'luck'/],
    [{ guard: { worseBy: -1 } }, /guard.worseBy is not a number from 0: found -1/],
    [{ runs: 0 }, /runs is not a whole number from 1/],
    [{ models: { 'acme:large': 7 } }, /models.* is not a model, or the name of one: found 7/],
    [{ prove: { store: {}, agents: [] } }, /prove.store is not a store of runs/],
    [{ prove: { store: memoryStore(), agents: [] } }, /prove.agents is not a list of agents/],
    [{ cache: { entries: 0 } }, /entries is not a whole number from 1/],
    [{ aply: true }, /did you mean `apply`/],
  ])('it refuses %j, and says why', (options, problem) => {
    // As a JavaScript caller might.
    expect(() => optimizer(options as never)).toThrow(
      expect.objectContaining({ code: 'resource.invalid', message: expect.stringMatching(problem) }),
    );
  });
});
