import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Critic } from '../../../src/contracts/agents/critic.ts';
import type { Model, ModelRequest } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import type { AgentOptions, RunOptions } from '../../../src/index.ts';
import { delegate, replay } from '../../../src/index.ts';
import { parallel } from '../../../src/patterns/parallel.ts';
import { pipeline } from '../../../src/patterns/pipeline.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { rehearse } from '../../../src/testing/rehearsal/rehearse.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { letTimePass, settled } from '../../support/runs.ts';
import { isThorough } from '../../support/thorough.ts';

/** A model that looks up the city that it is asked for, and says what it found, in the manner of its instructions. */
const clerkModel = (id = 'clerk-1', asked = { count: 0 }): Model => ({
  provider: 'acme',
  id,
  answer: ({ instructions, messages }) => {
    asked.count += 1;
    const results = messages.flatMap(({ role, text }) => (role === 'tool' ? [text] : []));
    const city = messages.at(0)?.text ?? '';
    const usage = { input: 100, output: 10, billedUsd: 0.01 };
    if (results.length === 0)
      return modelAnswer({ calls: [{ id: 'c', name: 'weather', input: { city } }], usage });
    const said = results.join();
    return modelAnswer({ text: instructions.includes('loud') ? said.toUpperCase() : said, usage });
  },
});

const looked = { count: 0 };

const weather = (description = 'Tells the weather.') =>
  tool({
    name: 'weather',
    description,
    input: z.object({ city: z.string() }),
    safety: 'read',
    execute: ({ city }) => {
      looked.count += 1;
      return `${city}: rain`;
    },
  });

type Changes = Partial<
  Pick<AgentOptions, 'instructions' | 'settings' | 'model' | 'tools' | 'limits' | 'critics' | 'conversation'>
>;

const clerk = (changes: Changes = {}) =>
  agent({
    name: 'clerk',
    instructions: 'You are calm.',
    model: clerkModel(),
    tools: [weather()],
    ...changes,
  });

/** It finds nothing wrong: that it is asked is another course. */
const critic: Critic = { name: 'strict', critique: () => ({ verdict: 'accept' }) };

const writer = (model: Model = writerModel()) => agent({ name: 'writer', instructions: 'You write.', model });

const writerModel = (asked = { count: 0 }): Model => ({
  provider: 'acme',
  id: 'writer-1',
  answer: ({ messages }) => {
    asked.count += 1;
    const usage = { input: 50, output: 10, billedUsd: 0.02 };
    return modelAnswer({ text: `Dear reader, ${lastOf(messages)}`, usage });
  },
});

const lastOf = (messages: ModelRequest['messages']): string => messages.at(messages.length - 1)?.text ?? '';

const desk = (changes: Changes = {}, model?: Model) =>
  pipeline({ name: 'desk', stages: [clerk(changes), writer(model)] });

interface Runnable {
  run(input: string, options: RunOptions): Promise<unknown>;
}

/** A store with runs of the unchanged agent or team. */
const recorded = async (of: Runnable, inputs: readonly string[]) => {
  const store = memoryStore();
  for (const [index, input] of inputs.entries()) await of.run(input, { store, runId: `run-${index}` });
  return store;
};

const CITIES = ['Oslo', 'Rome', 'Paris'];

describe('a rehearsal', () => {
  test.each([
    ['an agent', () => clerk(), 2],
    ['a team', () => desk(), 3],
  ])('of what is unchanged finds nothing, and asks no model: %s', async (_, make, calls) => {
    const store = await recorded(make(), CITIES);
    const found = await rehearse(make(), { store, live: true });
    expect(found).toMatchObject({ same: 3, differs: 0, unseen: 0, failed: 0 });
    expect(found.spent).toEqual({ modelCalls: 0, costUsd: 0 });
    expect(found.recorded.modelCalls).toBe(calls * 3);
    expect(found.runs.map(({ runId }) => runId)).toEqual(['run-0', 'run-1', 'run-2']);
  });

  test.each([
    ['model', { model: clerkModel('clerk-2') }, 0],
    ['instructions', { instructions: 'You are loud.' }, 0],
    ['settings', { settings: { temperature: 0 } }, 0],
    ['tools', { tools: [weather('Tells the weather of a city.')] }, 0],
    ['toolChoice', { settings: { toolChoice: 'required' } }, 0],
    ['budget', { limits: { budget: { steps: 1 } } }, 0],
    ['budget', { limits: { budget: { toolCalls: 5 } } }, 0],
    ['events', { critics: [critic] }, 1],
  ] as const)('names what differs first, by whom and in which step: %s', async (part, changes, step) => {
    const store = await recorded(desk(), ['Oslo']);
    const { runs } = await rehearse(desk(changes), { store });
    const [run] = runs;
    expect(run).toMatchObject({ verdict: 'differs', difference: { path: 'desk/clerk-1' } });
    const expected = part === 'toolChoice' ? 'settings' : part;
    expect(run?.difference?.part).toBe(expected);
    expect(run?.difference?.step).toBe(step);
  });

  test('compares what each step is told, and the conversation', async () => {
    const before = agent({
      name: 'clerk',
      instructions: 'You are calm.',
      model: clerkModel(),
      tools: [weather()],
    });
    const store = await recorded(before, ['Oslo']);
    const told = clerk({
      conversation: {
        fragments: [
          { name: 'pace', priority: 1, each: 'step', text: ({ step }) => (step > 0 ? 'Hurry.' : '') },
        ],
      },
    });
    const { runs } = await rehearse(told, { store });
    expect(runs[0]?.difference).toMatchObject({ part: 'messages', step: 1, recorded: null });
  });

  test('goes on live in the branch that differs, and answers equal requests of all others from the journal', async () => {
    const clerkAsked = { count: 0 };
    const writerAsked = { count: 0 };
    const store = await recorded(desk(), CITIES);
    const louder = desk(
      { instructions: 'You are calm, as ever.', model: clerkModel('clerk-1', clerkAsked) },
      writerModel(writerAsked),
    );
    const before = looked.count;
    const found = await rehearse(louder, { store, live: true });
    expect(found).toMatchObject({ same: 0, differs: 3, spent: { modelCalls: 6 } });
    expect(found.spent.costUsd).toBeCloseTo(0.06);
    expect(found.recorded.costUsd).toBeCloseTo(0.12);
    // The clerk says the same by other words, so the writer is sent the same.
    expect([clerkAsked.count, writerAsked.count, looked.count - before]).toEqual([6, 0, 0]);
    expect(found.runs.every(({ live }) => live?.isSame === true)).toBe(true);
    expect(found.changedOutcomes).toMatchObject({ value: 0 });
    expect(found.costChange).toMatchObject({ value: 0 });
  });

  test('says what ends otherwise, in how many runs, and with which confidence', async () => {
    const store = await recorded(desk(), CITIES);
    const { runs, changedOutcomes } = await rehearse(desk({ instructions: 'You are loud.' }), {
      store,
      live: true,
    });
    expect(runs.map(({ live }) => live?.output)).toEqual([
      'Dear reader, OSLO: RAIN',
      'Dear reader, ROME: RAIN',
      'Dear reader, PARIS: RAIN',
    ]);
    expect(changedOutcomes?.value).toBe(1);
    expect(changedOutcomes?.low).toBeCloseTo(0.4385, 3);
    expect(changedOutcomes?.high).toBe(1);
  });

  test('executes no tool that is not on record, and stops there; with `read`, those that only read', async () => {
    const store = await recorded(clerk(), ['Oslo']);
    const curious: Model = {
      ...clerkModel('clerk-2'),
      answer: (request, call) =>
        clerkModel().answer({ ...request, messages: request.messages }, call) === undefined
          ? modelAnswer({ text: '' })
          : modelAnswer(
              request.messages.length === 1
                ? { calls: [{ id: 'c', name: 'weather', input: { city: 'Rome' } }] }
                : { text: lastOf(request.messages) },
            ),
    };
    const before = looked.count;
    const stopped = await rehearse(clerk({ model: curious }), { store, live: true });
    expect(stopped.runs[0]?.live?.stopped).toBe(
      'it calls \'weather\' with {"city":"Rome"}, which is not on record',
    );
    expect(stopped.changedOutcomes).toBeUndefined();
    expect(looked.count).toBe(before);
    const read = await rehearse(clerk({ model: curious }), { store, live: { tools: 'read' } });
    expect(read.runs[0]?.live).toMatchObject({ output: 'Rome: rain', isSame: false, stopped: undefined });
    expect(looked.count).toBe(before + 1);
  });

  test('spends no more than its budget', async () => {
    const store = await recorded(clerk(), CITIES);
    const asked = { count: 0 };
    const changed = clerk({ instructions: 'You are loud.', model: clerkModel('clerk-1', asked) });
    const found = await rehearse(changed, { store, live: { budgetUsd: 0.035 } });
    expect(asked.count).toBe(3);
    expect(found.spent.costUsd).toBeCloseTo(0.03);
    expect(found.runs.map(({ live }) => live?.stopped)).toEqual([
      undefined,
      'the budget of 0.035 US dollars is spent',
      'the budget of 0.035 US dollars is spent',
    ]);
    const none = await rehearse(changed, { store, live: { budgetUsd: 0 } });
    expect([asked.count, none.spent.modelCalls]).toEqual([3, 0]);
  });

  test('spends no more than its budget on calls that are made at once', async () => {
    const asked = { count: 0 };
    const slow = (id: string): Model => ({
      provider: 'acme',
      id,
      answer: async () => {
        asked.count += 1;
        await Promise.resolve();
        return modelAnswer({ text: 'x', usage: { input: 1, output: 1, billedUsd: 0.01 } });
      },
    });
    const one = (name: string, id: string) => agent({ name, model: slow(id) });
    const team = (id: string) =>
      parallel({
        name: 'crowd',
        members: { a: one('a', id), b: one('b', id), c: one('c', id), d: one('d', id) },
      });
    const store = await recorded(team('one'), ['go']);
    asked.count = 0;
    const { runs, spent } = await rehearse(team('two'), { store, live: { budgetUsd: 0.025 } });
    expect(runs[0]?.live?.stopped).toBe('the budget of 0.025 US dollars is spent');
    expect([asked.count, spent.modelCalls]).toEqual([2, 2]);
  });

  test('writes nothing to the store', async () => {
    const store = await recorded(desk(), CITIES);
    const rows = async () => {
      const found = [];
      for (const { runId } of await store.list()) found.push(await store.read(runId));
      return found;
    };
    const before = await rows();
    await rehearse(desk({ instructions: 'You are loud.' }), { store, live: true });
    expect(await rows()).toEqual(before);
  });

  test('says why a run cannot be rehearsed, and goes on with the others', async () => {
    const store = await recorded(clerk(), CITIES);
    await writer().run('Rain', { store, runId: 'other' });
    const found = await rehearse(clerk(), { store, runs: ['run-0', 'other', 'run-2'] });
    expect(found).toMatchObject({ same: 2, failed: 1 });
    expect(found.runs[1]).toMatchObject({ verdict: 'failed', error: { code: 'journal.diverged' } });
    expect((await rehearse(clerk(), { store, limit: 2 })).runs.map(({ runId }) => runId)).toEqual([
      'run-1',
      'run-2',
    ]);
    await expect(rehearse(clerk(), { store, runs: ['nobody'] })).rejects.toMatchObject({
      code: 'journal.unknown',
    });
    await expect(rehearse(clerk(), { store, limt: 1 } as never)).rejects.toThrow('did you mean `limit`?');
  });

  test('is an error without a run of the agent, as that would look like nothing that differs', async () => {
    const store = await recorded(clerk(), ['Oslo']);
    const cannot = "Cannot rehearse 'writer' as the store has no run of it: ";
    await expect(rehearse(writer(), { store })).rejects.toMatchObject({
      code: 'journal.unknown',
      message: `${cannot}it has runs of 'clerk'`,
    });
    await expect(rehearse(writer(), { store: memoryStore() })).rejects.toThrow(`${cannot}it is empty`);
  });

  test('does not say that agents within a call are the same, as no replay comes to them', async () => {
    const sub = (instructions: string) =>
      agent({
        name: 'sub',
        instructions,
        model: { provider: 'acme', id: 'sub-1', answer: () => modelAnswer({ text: 'found' }) },
      });
    const lead = (instructions: string) =>
      agent({
        name: 'lead',
        model: scriptedModel([calls({ name: 'delegate', input: { to: 'sub', task: 'look' } }), 'done']),
        tools: [delegate({ to: [sub(instructions)] })],
      });
    const store = await recorded(lead('a'), ['go']);
    const { runs } = await rehearse(lead('b'), { store });
    expect(runs).toMatchObject([
      {
        verdict: 'unseen',
        unseen: [expect.stringMatching(/^'lead\/sub-0' asks models within a call/)],
      },
    ]);
  });

  test('an agent whose time was up is the same, though it was warned as its call was withdrawn', async () => {
    const clock = virtualClock();
    const slow = () =>
      agent({
        name: 'slow',
        limits: { budget: { timeMs: 40 } },
        model: {
          provider: 'acme',
          id: 'slow-1',
          answer: () =>
            new Promise((resolve) => {
              clock.setTimeout(() => resolve(modelAnswer({ text: 'late' })), 150);
            }),
        },
      });
    const store = memoryStore();
    const { events } = await letTimePass(
      clock,
      settled(slow().stream('go', { store, clock, runId: 'r' })),
      200,
    );
    expect(events.map(({ type }) => type)).toContain('budget.warned');
    expect((await replay(slow(), 'r', { store })).events).toHaveLength(events.length);
    expect(await rehearse(slow(), { store })).toMatchObject({ same: 1 });
  });

  test('never takes what is changed for the same', async () => {
    const store = await recorded(desk(), CITIES);
    const change = fc.record(
      {
        instructions: fc.constantFrom('You are calm.', 'You are calm!', 'You are loud.'),
        temperature: fc.constantFrom(undefined, 0, 1),
        model: fc.constantFrom('clerk-1', 'clerk-2'),
        description: fc.constantFrom('Tells the weather.', 'Tells it.'),
        isSwapped: fc.boolean(),
      },
      { noNullPrototype: true },
    );
    await fc.assert(
      fc.asyncProperty(change, async ({ instructions, temperature, model, description, isSwapped }) => {
        const changed = clerk({
          instructions,
          model: clerkModel(model),
          tools: [weather(description)],
          ...(temperature === undefined ? {} : { settings: { temperature } }),
        });
        const stages = isSwapped ? [writer(), changed] : [changed, writer()];
        const candidate = pipeline({ name: 'desk', stages: [stages[0] ?? changed, stages[1] ?? changed] });
        const isUnchanged =
          instructions === 'You are calm.' &&
          temperature === undefined &&
          model === 'clerk-1' &&
          description === 'Tells the weather.' &&
          !isSwapped;
        const { same, differs } = await rehearse(candidate, { store });
        expect([same, differs]).toEqual(isUnchanged ? [3, 0] : [0, 3]);
      }),
      { numRuns: 60 },
    );
  });

  const many = isThorough ? 500 : 40;

  test(`finds three planted regressions among ${many} runs, for a part of what all of them would cost`, async () => {
    const asked = { count: 0 };
    const store = await recorded(
      desk(),
      Array.from({ length: many }, (_, index) => `city ${index}`),
    );
    /** Three cities are handled by another model now, which gets one of them right. */
    const regressed: Model = {
      ...writerModel(asked),
      id: 'writer-1',
      answer: (request, call) =>
        /city (?:3|17|29):/.test(lastOf(request.messages))
          ? modelAnswer({ text: 'Dear reader, sun', usage: { input: 50, output: 10, billedUsd: 0.02 } })
          : writerModel(asked).answer(request, call),
    };
    const planted = (input: string): boolean => /^city (?:3|17|29)$/.test(input);
    const candidate = pipeline({
      name: 'desk',
      stages: [
        clerk(),
        agent({
          name: 'writer',
          instructions: 'You write.',
          model: regressed,
          // Only these three are told more.
          observe: ({ input }) =>
            typeof input === 'string' && planted(input.replace(/: rain$/, '')) ? { hint: 'sun' } : undefined,
        }),
      ],
    });
    const found = await rehearse(candidate, { store, live: true });
    const worse = found.runs.filter(({ live }) => live?.isSame === false);
    expect(worse.map(({ runId }) => runId)).toEqual(['run-3', 'run-17', 'run-29']);
    expect([found.failed, found.unseen]).toEqual([0, 0]);
    expect(found.spent.modelCalls).toBeLessThan(found.recorded.modelCalls / 2);
    expect(found.changedOutcomes?.value).toBeCloseTo(3 / many);
  });

  test(`asks no model for ${many} runs of what is unchanged`, async () => {
    const store = await recorded(
      desk(),
      Array.from({ length: many }, (_, index) => `city ${index}`),
    );
    const refusing: Model = {
      ...clerkModel(),
      answer: () => {
        throw new Error('asked');
      },
    };
    const found = await rehearse(desk({ model: refusing }, { ...refusing, id: 'writer-1' }), {
      store,
      live: true,
    });
    expect(found).toMatchObject({ same: many, differs: 0, spent: { modelCalls: 0 } });
  });
});
