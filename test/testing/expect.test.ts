import { describe, expect as plain, test } from 'vitest';
import { z } from 'zod';
import { agent, tool } from '../../src/index.ts';
import { extendExpect } from '../../src/testing/evals/extend-expect.ts';
import { evaluators } from '../../src/testing/evaluators/evaluators.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';

const expect = extendExpect(plain);

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `It rains in ${city}.`,
});

const ask = () => {
  const usage = { input: 10, output: 5, billedUsd: 0.01 };
  const look = { ...calls({ name: 'weather', input: { city: 'Oslo' } }), usage };
  const model = scriptedModel([look, { text: 'It rains.', usage }]);
  return agent({ name: 'clerk', model, tools: [weather] }).run('The weather in Oslo?');
};

describe('expect, with matchers for runs', () => {
  test('says what a run answered, called, cost and ended for', async () => {
    const result = await ask();
    expect(result).toAnswer(' It rains. ');
    expect(result).toAnswer(/rains/);
    expect(result).not.toAnswer('It snows.');
    expect(result).toHaveCalled('weather');
    expect(result).toHaveCalled('weather', { city: 'Oslo' });
    expect(result).not.toHaveCalled('weather', { city: 'Bergen' });
    expect(result).toHaveCalledInOrder('weather');
    expect(result).not.toHaveCalledInOrder('weather', 'weather');
    expect(result).toEndFor('answered');
    expect(result).toCostAtMost(0.02);
    expect(result).not.toCostAtMost(0.01);
    expect(result).toHaveStepsAtMost(2);
    expect(result).not.toHaveStepsAtMost(1);
    expect(result).toTakeAtMost(60_000);
    await expect(result).toPass(evaluators.toolUse({ used: ['weather'] }));
    await expect(ask()).resolves.toAnswer(/rains/);
  });

  test('fails with what was found', async () => {
    const result = await ask();
    expect(() => {
      expect(result).toAnswer('It snows.');
    }).toThrow('expected the run to answer "It snows.": found It rains., expected It snows.');
    expect(() => {
      expect(result).not.toHaveCalled('weather');
    }).toThrow('expected the run not to have called weather');
    await expect(async () => {
      await expect(result).toPass({ name: 'never', evaluate: () => 0 });
    }).rejects.toThrow('expected the run to pass never');
  });

  test('is that of vitest for everything else', () => {
    expect(1 + 1).toBe(2);
    expect({ a: [1] }).toEqual({ a: [1] });
  });

  test('refuses what is not the result of a run, and what is not an expect', () => {
    expect(() => {
      // @ts-expect-error a text has no matchers of runs
      expect('It rains.').toAnswer('It rains.');
    }).toThrow('not the result of one');
    // @ts-expect-error there is no expect
    expect(() => extendExpect({})).toThrow('write extendExpect(expect)');
  });
});
