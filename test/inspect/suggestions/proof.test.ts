import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Model } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import type { Safety } from '../../../src/contracts/tools/tool.ts';
import { suggestions } from '../../../src/inspect/suggestions/suggestions.ts';
import { pipeline } from '../../../src/patterns/pipeline.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { letTimePass } from '../../support/runs.ts';

type Clock = ReturnType<typeof virtualClock>;

const after = <Value>(clock: Clock, ms: number, value: Value): Promise<Value> =>
  new Promise((resolve) => {
    clock.setTimeout(() => resolve(value), ms);
  });

const usage = { input: 200, output: 150, billedUsd: 0.01 };

/** Looks up the weather of two cities, one after the other, and says what it was told; `reads` says it otherwise. */
const asking = (clock: Clock, reads = (results: readonly string[]) => results.toSorted().join()): Model => ({
  provider: 'acme',
  id: 'careful',
  answer: ({ messages }) => {
    const results = messages.flatMap(({ role, text }) => (role === 'tool' ? [text] : []));
    const city = ['Oslo', 'Rome'][results.length];
    const calls = city === undefined ? [] : [{ id: city, name: 'weather', input: { city } }];
    return after(clock, 1_000, modelAnswer({ text: city ? '' : reads(results), calls, usage }));
  },
});

/** A weather service, and the number of times that it was asked. */
const weatherOf = (clock: Clock, safety: Safety | undefined) => {
  const asked = { count: 0 };
  const weather = tool({
    name: 'weather',
    description: 'Tells the weather.',
    input: z.object({ city: z.string() }),
    ...(safety === undefined ? {} : { safety }),
    execute: ({ city }) => {
      asked.count += 1;
      return after(clock, 500, `${city}: rain`);
    },
  });
  return { weather, asked };
};

const clerkWith = (weather: ReturnType<typeof weatherOf>['weather'], model: Model) =>
  agent({ name: 'clerk', tools: [weather], model });

const writer = () =>
  agent({
    name: 'writer',
    model: { provider: 'acme', id: 'pen', answer: () => modelAnswer({ text: 'It rains.' }) },
  });

const QUESTION = 'Compare Oslo and Rome';

describe.each(['root', 'member'] as const)('calls in one answer, of a %s', (place) => {
  const among = (clerk: ReturnType<typeof clerkWith>) =>
    place === 'root' ? clerk : pipeline({ name: 'desk', stages: [clerk, writer()] });

  /** Records three runs, and tries on forks of two of them what is found, with the agents as they are then. */
  const proofOf = async (now: (clock: Clock) => Model, safety: Safety | 'none' = 'read') => {
    const clock = virtualClock();
    const store = memoryStore();
    const { weather, asked } = weatherOf(clock, safety === 'none' ? undefined : safety);
    for (let index = 0; index < 3; index += 1)
      await letTimePass(clock, among(clerkWith(weather, asking(clock))).run(QUESTION, { store, clock }), 100);
    const recorded = asked.count;
    const found = await letTimePass(
      clock,
      suggestions(store, {
        target: 'latency',
        unproven: true,
        prove: { agent: among(clerkWith(weather, now(clock))), runs: 2 },
      }),
    );
    expect([recorded, asked.count]).toEqual([6, 6]);
    return found.filter(({ type }) => type === 'parallel-tools');
  };

  test('are proven where forks end the same with them in either order, and take fewer calls', async () => {
    const [found] = await proofOf((clock) => asking(clock));
    expect(found).toMatchObject({
      agent: 'clerk',
      proven: { by: 'forks', runs: 2 },
      // Of each run an answer of 1,000 ms, and one of two calls of 500 ms.
      expected: { latencyMs: 4_500, tokens: 1_050 },
    });
    const [before, now] = place === 'root' ? [12, 8] : [16, 12];
    expect(found?.basis).toContain(
      '4 of 4 forks with these calls in one answer, in either order, ended the same',
    );
    expect(found?.basis).toContain(`they took ${now} model calls instead of ${before}`);
  });

  test('are not proven where the order of results makes another answer', async () => {
    const inOrder = (results: readonly string[]) =>
      results[0]?.startsWith('Oslo') === true ? results.join() : 'Rome came first';
    const found = await proofOf((clock) => asking(clock, inOrder));
    // The writer says the same of whatever it is told: the team ends the same.
    const proven = place === 'root' ? false : { by: 'forks', runs: 2 };
    const ended = place === 'root' ? /^2 of 4 forks/ : /^4 of 4 forks/;
    expect(found).toMatchObject([{ proven, basis: expect.stringMatching(ended) }]);
  });

  test('are not proven where the model then asks for more than before', async () => {
    const again = (clock: Clock): Model => ({
      ...asking(clock),
      answer: ({ messages }) => {
        const count = messages.filter(({ role }) => role === 'tool').length;
        const calls = count < 4 ? [{ id: `${count}`, name: 'weather', input: { city: 'Rome' } }] : [];
        return after(
          clock,
          1_000,
          modelAnswer({ text: count < 4 ? '' : 'Oslo: rain,Rome: rain', calls, usage }),
        );
      },
    });
    expect(await proofOf(again)).toMatchObject([
      { proven: false, basis: expect.stringMatching(/^4 of 4 forks .* ended the same; they took/) },
    ]);
  });

  test.each(['write', 'none'] as const)('are not proven where the tool may write: %s', async (safety) => {
    expect(await proofOf((clock) => asking(clock), safety)).toMatchObject([
      {
        proven: false,
        basis: expect.stringContaining("not proven as 'weather' may change what others read"),
      },
    ]);
  });
});

/** Answers in a while, at a price. */
const pricedModel = (clock: Clock, id: string, text: string, ms: number, billedUsd: number): Model => ({
  provider: 'acme',
  id,
  answer: () => after(clock, ms, modelAnswer({ text, usage: { input: 50, output: 5, billedUsd } })),
});

describe('another model for a member of a team', () => {
  const teamOf = (clock: Clock, asked: string[]) => {
    const noted = (model: Model): Model => ({
      ...model,
      answer: (request, call) => {
        asked.push(model.id);
        return model.answer(request, call);
      },
    });
    return pipeline({
      name: 'desk',
      stages: [
        agent({ name: 'reader', model: noted(pricedModel(clock, 'large', 'read', 3_000, 0.3)) }),
        agent({ name: 'writer', model: noted(pricedModel(clock, 'small', 'done', 100, 0.01)) }),
      ],
    });
  };

  const proofWith = async (model: (clock: Clock) => Model) => {
    const clock = virtualClock();
    const store = memoryStore();
    const asked: string[] = [];
    const desk = teamOf(clock, asked);
    for (let index = 0; index < 6; index += 1)
      await letTimePass(clock, desk.run(`q${index}`, { store, clock }), 100);
    asked.length = 0;
    const found = await letTimePass(
      clock,
      suggestions(store, {
        target: 'cost',
        unproven: true,
        prove: { agent: desk, model: model(clock), runs: 3 },
      }),
      100,
    );
    return { found: found.filter(({ agent: who }) => who === 'reader'), asked };
  };

  test('is proven on forks in which that member alone has it, and the gain is of its part', async () => {
    const { found, asked } = await proofWith((clock) => pricedModel(clock, 'quick', 'read', 300, 0.03));
    expect(found).toMatchObject([
      {
        type: 'smaller-model',
        agent: 'reader',
        proven: { by: 'forks', runs: 3 },
        basis:
          '3 of 3 forks with acme:quick ended the same; they cost 0.12 US dollars instead of 0.93 US dollars',
        expected: { costUsd: expect.closeTo(6 * 0.27) },
      },
    ]);
    // Of all others, what is on record is not asked again.
    expect(asked).toEqual([]);
  });

  test('is not proven where the whole team then costs more, or ends otherwise', async () => {
    const { found } = await proofWith((clock) => pricedModel(clock, 'dear', 'read', 5_000, 3));
    expect(found).toMatchObject([{ type: 'smaller-model', proven: false }]);
    const other = await proofWith((clock) => pricedModel(clock, 'cheap', '', 300, 0));
    expect(other.found).toMatchObject([{ proven: false, basis: expect.stringContaining('0 of 3 forks') }]);
  });
});
