import { describe, expect, test } from 'vitest';
import { agent } from '../../../src/index.ts';
import type { Model } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { defineEval } from '../../../src/testing/evals/define-eval.ts';
import { evaluators } from '../../../src/testing/evaluators/evaluators.ts';

/** Answers a question with its number, unless it is among those that it gets wrong; counts how often it is asked. */
const counting = (id: string, wrong: readonly number[], costUsd = 0.01) => {
  const model = {
    provider: 'scripted',
    id,
    asked: 0,
    isLanguageModel: false,
    answer: ({ messages }: Parameters<Model['answer']>[0]) => {
      model.asked += 1;
      const number = Number(/\d+/.exec(messages.at(-1)?.text ?? '')?.[0]);
      const text = wrong.includes(number) ? 'wrong' : `It is ${number}.`;
      return modelAnswer({ text, usage: { input: 10, output: 5, billedUsd: costUsd } });
    },
  };
  return model satisfies Model;
};

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `q${index}`,
    input: `Number ${index}?`,
    expected: `${index}`,
  }));

const evalOf = (model: Model, count = 20) =>
  defineEval({
    name: 'numbers',
    agent: agent({ name: 'clerk', model }),
    dataset: rows(count),
    evaluators: [evaluators.contains()],
  });

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('two candidates over the same cases', () => {
  test('are told apart where chance alone does not do it: six of twenty the same way', async () => {
    const found = await evalOf(counting('old', upTo(6))).compare({ model: counting('new', [], 0.03) });
    expect(found).toMatchObject({
      candidates: { baseline: 'clerk', candidate: 'scripted:new' },
      pairs: 20,
      finding: 'better',
      passes: { both: 14, onlyBaseline: 0, onlyCandidate: 6, neither: 0, pValue: expect.closeTo(2 / 64, 10) },
      scores: [{ name: 'contains', difference: { value: 0.3 }, finding: 'better' }],
      costUsd: { value: expect.closeTo(0.02, 10) },
    });
    expect(found.summary).toBe(
      'The candidate is better: 6 of 20 cases pass only with the candidate, 0 only with the baseline (p = 0.031).',
    );
  });

  test('a difference that is not established is said to be none: five are too few, and six against three as well', async () => {
    const five = await evalOf(counting('old', upTo(5))).compare({ model: counting('new', []) });
    expect(five.finding).toBe('not established');
    expect(five.scores[0]?.finding).toBe('not established');
    expect(five.summary).toContain('At least 6 have to differ');
    const mixed = await evalOf(counting('old', upTo(6))).compare({ model: counting('new', [7, 8, 9]) });
    expect(mixed).toMatchObject({
      finding: 'not established',
      passes: { onlyBaseline: 3, onlyCandidate: 6 },
    });
    expect(mixed.summary).toContain('which chance alone does, too');
    const worse = await evalOf(counting('old', [])).compare({ model: counting('new', upTo(8)) });
    expect(worse.finding).toBe('worse');
  });

  test('are paired case by case, not pooled: the same rate in other cases is a difference in each of them', async () => {
    const found = await evalOf(counting('old', upTo(10))).compare({
      model: counting('new', [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]),
    });
    expect(found.passes).toMatchObject({
      both: 0,
      neither: 0,
      onlyBaseline: 10,
      onlyCandidate: 10,
      pValue: 1,
    });
  });

  test('refuses a candidate that is none', async () => {
    const measured = evalOf(counting('old', []));
    await expect(measured.compare({})).rejects.toThrow('nor is a `model`');
    const answers = defineEval({
      name: 'a',
      dataset: [{ input: 'x', output: 'y' }],
      evaluators: [evaluators.contains('y')],
    });
    await expect(answers.compare({ model: counting('new', []) })).rejects.toThrow('it has no agent');
  });
});

describe('two candidates over stored runs', () => {
  const clerk = (model: Model, instructions: string) => agent({ name: 'clerk', model, instructions });

  const stored = async (model: Model, count: number) => {
    const store = memoryStore();
    const old = clerk(model, 'Answer.');
    for (const { id, input } of rows(count)) await old.run(input, { store, runId: id });
    return { store, old };
  };

  const measure = (old: ReturnType<typeof clerk>) =>
    defineEval({
      name: 'numbers',
      agent: old,
      dataset: [],
      evaluators: [evaluators.matches(/It is/)],
    });

  test('cost nothing for what does the same, and are equal there', async () => {
    const model = counting('m', [1, 2]);
    const { store, old } = await stored(model, 5);
    const found = await measure(old).compare({ agent: clerk(model, 'Answer.') }, { over: store });
    expect(model.asked).toBe(5);
    expect(found).toMatchObject({
      pairs: 5,
      spent: { modelCalls: 0, costUsd: 0 },
      passes: { both: 3, neither: 2, onlyCandidate: 0, onlyBaseline: 0 },
      finding: 'not established',
    });
  });

  test('ask only for what differs, in forks, and leave the store as it is', async () => {
    const { store, old } = await stored(counting('m', upTo(7)), 10);
    const before = await store.list();
    const better = counting('m', []);
    const found = await measure(old).compare(
      { agent: clerk(better, 'Answer exactly.'), name: 'exact' },
      { over: store },
    );
    expect(better.asked).toBe(10);
    expect(found).toMatchObject({
      candidates: { baseline: 'clerk', candidate: 'exact' },
      spent: { modelCalls: 10, costUsd: expect.closeTo(0.1, 10) },
      passes: { both: 3, onlyCandidate: 7, onlyBaseline: 0, neither: 0 },
      finding: 'better',
    });
    expect(found.durationMs).toBeUndefined();
    expect(await store.list()).toEqual(before);
  });

  test('leave out what cannot be told, and say why', async () => {
    const { store, old } = await stored(counting('m', []), 3);
    const other = clerk(counting('m', []), 'Answer exactly.');
    const found = await measure(old).compare({ agent: other }, { over: store, budgetUsd: 0.015 });
    expect(found.pairs).toBe(1);
    expect(found.left).toMatchObject([
      { reason: expect.stringContaining('budget of 0.015') },
      { reason: expect.stringContaining('budget of 0.015') },
    ]);
  });
});
