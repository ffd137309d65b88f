import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Model } from '../../src/contracts/models/model.ts';
import type { Usage } from '../../src/contracts/models/usage.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { RunTotals } from '../../src/contracts/runs/run-totals.ts';
import type { Prices } from '../../src/contracts/models/prices.ts';
import { stopWords } from '../../src/inspect/drawing/stop-words.ts';
import { totalsParts } from '../../src/cli/words/ending.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { pipeline } from '../../src/patterns/pipeline.ts';
import { genaiPrices } from '../../src/models/genai-prices.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { ofType, settled, start } from '../support/runs.ts';

const says = (provider: string, id: string, usage: Usage): Model => ({
  provider,
  id,
  answer: () => modelAnswer({ text: 'done', usage }),
});
const usage = { input: 1_000, output: 100 };

describe('the list', () => {
  test('[DODO-59] a cost is that of uncached input, cached input and output', async () => {
    const list = await genaiPrices();
    const gpt = { provider: 'openai', id: 'gpt-4o' };
    // $2.50, $1.25 and $10 for a million of each.
    expect(list.cost(gpt, usage)).toBeCloseTo(0.0035, 10);
    expect(list.cost(gpt, { ...usage, cached: 500 })).toBeCloseTo(0.002875, 10);
    expect(list.cost(gpt, { ...usage, cached: 5_000 })).toBeCloseTo(0.00225, 10);
  });

  test('what is written to a cache costs what its provider takes for that', async () => {
    const list = await genaiPrices();
    const claude = { provider: 'anthropic', id: 'claude-sonnet-4-5' };
    // $3, $0.30 to read and $3.75 to write a million.
    const input = { input: 10_000, output: 0 };
    expect(list.cost(claude, { ...input, stored: 10_000 })).toBeCloseTo(0.0375, 10);
    expect(list.cost(claude, { ...input, cached: 4_000, stored: 6_000 })).toBeCloseTo(0.0237, 10);
    expect(list.cost(claude, { ...input, cached: 4_000, stored: 60_000 })).toBeCloseTo(0.0237, 10);
  });

  test('a model that the list only guesses at is unknown, its dated name is not', async () => {
    const list = await genaiPrices();
    expect(list.cost({ provider: 'anthropic', id: 'claude-sonnet-5-5' }, usage)).toBeUndefined();
    expect(list.cost({ provider: 'openai', id: 'gpt-6.1-sol' }, usage)).toBeUndefined();
    expect(list.cost({ provider: 'nobody', id: 'gpt-4o' }, usage)).toBeUndefined();
    expect(list.cost({ provider: 'anthropic', id: 'claude-sonnet-4-5-20250929' }, usage)).toBeGreaterThan(0);
  });
});

const run = (model: Model, options = {}) => settled(start(agent({ name: 'a', model }), 'go', options));

test('a run says what it cost; where a price is not known it says so, and never 0', async () => {
  const known = await run(says('openai', 'gpt-4o', usage));
  expect(known.totals.costUsd).toBeCloseTo(0.0035, 10);
  expect(ofType(known.events, 'model.answered')[0]?.costUsd).toBeCloseTo(0.0035, 10);
  const { totals } = await run(says('compatible', 'mine', usage));
  expect('costUsd' in totals).toBe(false);
  expect(totals.unpriced).toEqual(['compatible:mine']);
  expect(totalsParts(totals).join(' · ')).toContain('cost unknown');
  expect(totalsParts(known.totals).join(' · ')).toContain('$0.0035');
  expect((await run(scriptedModel(['free']))).totals.costUsd).toBe(0);
});

test('a model without a price is named once, though its answers are by a dated name and its discarded ones are not', async () => {
  let asked = 0;
  const dated: Model = {
    provider: 'compatible',
    id: 'mine',
    answer: (_, { delta }) => {
      asked += 1;
      if (asked % 2 === 0) return modelAnswer({ text: 'done', usage, model: 'mine-2026-11-20' });
      delta({ type: 'text', text: 'do' });
      throw new TroupeError('model.network', 'Cannot read on', { retryable: 'yes' });
    },
  };
  const member = (name: string) => agent({ name, model: dated, failures: { retry: { initialWaitMs: 0 } } });
  const team = pipeline({ name: 'team', stages: [member('first'), member('second')] });
  const { totals } = await team.run('go');
  expect(totals).toMatchObject({ modelCalls: 4, unpriced: ['compatible:mine'] });
});

test('a child says what it and all below it cost, and nothing of its siblings', async () => {
  const priced = agent({ name: 'priced', model: says('openai', 'gpt-4o', usage) });
  const unpriced = agent({ name: 'unpriced', model: says('compatible', 'mine', usage) });
  const found: RunTotals[] = [];
  const asking = (name: string, ...others: (typeof priced)[]) =>
    tool({
      name,
      description: 'Asks others.',
      input: z.object({}),
      execute: async (_, { run: runWithin }) => {
        for (const other of others) found.push((await runWithin(other, 'go')).totals);
        return 'asked';
      },
    });
  const once = () => scriptedModel([calls({ name: 'ask', input: {} }), 'done']);
  const middle = agent({ name: 'middle', model: once(), tools: [asking('ask', priced)] });
  const top = agent({ name: 'top', model: once(), tools: [asking('ask', middle, priced, unpriced)] });
  const whole = await settled(start(top, 'go'));
  expect(found.map(({ costUsd }) => costUsd?.toFixed(6))).toEqual([
    '0.003500',
    '0.003500',
    '0.003500',
    undefined,
  ]);
  expect(found[3]?.unpriced).toEqual(['compatible:mine']);
  expect(whole.totals.unpriced).toEqual(['compatible:mine']);
});

test('prices of one’s own count; what throws or makes no sense is unknown', async () => {
  const mine = says('compatible', 'mine', usage);
  const flat: Prices = { name: 'flat', cost: (_, { input, output }) => (input + output) / 1_000 };
  expect((await run(mine, { prices: flat })).totals.costUsd).toBeCloseTo(1.1, 10);
  for (const cost of [
    () => NaN,
    () => -1,
    () => {
      throw new Error('no');
    },
  ])
    expect((await run(mine, { prices: { name: 'odd', cost } })).totals.unpriced).toEqual(['compatible:mine']);
});

test('a money budget ends the run, and is refused before the first step for a model without a price', async () => {
  const flat: Prices = { name: 'flat', cost: (_, { input }) => input / 1_000 };
  const mine = says('compatible', 'mine', usage);
  const refused = await run(mine, { limits: { budget: { usd: 5 } } });
  expect(refused).toMatchObject({
    status: 'failed',
    error: { code: 'budget.unpriced' },
    totals: { steps: 0 },
  });
  expect((await run(mine, { limits: { budget: { usd: 5, unpriced: 'ignore' } } })).status).toBe('completed');
  expect((await run(mine, { limits: { budget: { usd: 0 } }, prices: flat })).stopReason).toMatchObject({
    budget: 'usd',
  });
  expect((await run(scriptedModel(['free']), { limits: { budget: { usd: 0 } } })).status).toBe('completed');
});

test('a call whose input alone costs more than what is left of the dollars is not made, and the stop reason says what it would have cost', async () => {
  // A dollar for a thousand tokens, a tenth of it for those that the provider may have kept.
  const prices: Prices = {
    name: 'by input',
    cost: (_, { input, cached = 0, output }) => (input - cached + cached / 10 + output) / 1_000,
  };
  let asked = 0;
  const model: Model = {
    provider: 'compatible',
    id: 'mine',
    answer: () => {
      asked += 1;
      return modelAnswer({ text: 'done', usage: { input: 1_000, output: 10 } });
    },
  };
  const clerk = agent({ name: 'clerk', model });
  const long = 'word '.repeat(2_000);
  const dear = await settled(start(clerk, long, { prices, limits: { budget: { usd: 2 } } }));
  expect([asked, dear.status, dear.totals.modelCalls]).toEqual([0, 'stopped', 0]);
  expect(dear.stopReason).toMatchObject({ kind: 'budget', budget: 'usd', limit: 2, used: 0 });
  expect(dear.stopReason).toHaveProperty('neededUsd', expect.closeTo(2.8, 0));
  expect(stopWords(dear.stopReason, undefined)).toMatch(
    /too small for the next call: \$2, of which \$0 are used, and the call's input alone costs \$2\.\d+/,
  );
  expect((await settled(start(clerk, long, { prices, limits: { budget: { usd: 3 } } }))).status).toBe(
    'completed',
  );
  // What was answered before may be in the provider's cache, which makes it cheaper.
  const history = [
    { role: 'user', text: long },
    { role: 'assistant', text: 'done' },
  ] as const;
  const again = await settled(start(clerk, 'And?', { prices, history, limits: { budget: { usd: 2 } } }));
  expect(again.status).toBe('completed');
});
