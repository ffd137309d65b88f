import { expect, test } from 'vitest';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { Model, ModelAnswer, ModelRequest } from '../../src/contracts/models/model.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { z } from 'zod';

const COUNT = 20;

/** So many agents that wait for a model which answers all of them when it is let. */
const waiting = async (speaks: boolean) => {
  const clock = virtualClock();
  const requests: ModelRequest[] = [];
  const answers: ((answer: ModelAnswer) => void)[] = [];
  let onAll = (): void => undefined;
  const all = new Promise<void>((resolve) => {
    onAll = resolve;
  });
  const model: Model = {
    provider: 'test',
    id: 'held',
    answer: (request, { delta }) => {
      requests.push(request);
      if (speaks) delta({ type: 'text', text: 'So' });
      if (requests.length === COUNT) onAll();
      return new Promise((resolve) => answers.push(resolve));
    },
  };
  const add = tool({
    name: 'add',
    description: 'Add.',
    input: z.object({ a: z.number() }),
    execute: () => 1,
  });
  const one = agent({ name: 'one', instructions: 'Add up.', model, tools: [add] });
  const runs = Array.from({ length: COUNT }, () => one.run('go', { clock }));
  await all;
  // The promises that they wait by are set up in the same turn.
  await Promise.resolve();
  return {
    clock,
    requests,
    end: () => {
      for (const answer of answers) answer(modelAnswer({ text: 'So.' }));
      return Promise.all(runs);
    },
  };
};

test.each([
  { model: 'is silent', speaks: false, timers: 1 },
  { model: 'has spoken', speaks: true, timers: 2 },
])('an agent that waits for a model which $model has $timers of the timers of its clock', async (given) => {
  const { clock, end } = await waiting(given.speaks);
  expect(clock.pending).toBe(COUNT * given.timers);
  await end();
  expect(clock.pending).toBe(0);
});

test('agents of one definition that wait hold the list of their tools once', async () => {
  const { requests, end } = await waiting(false);
  expect(new Set(requests.map(({ tools }) => tools)).size).toBe(1);
  expect(new Set(requests.map(({ instructions }) => instructions))).toEqual(new Set(['Add up.']));
  const ended = await end();
  expect(ended.every(({ status }) => status === 'completed')).toBe(true);
});

test('what is added to or removed from the tools of one run is no other run’s', async () => {
  const names: string[][] = [];
  const model: Model = {
    provider: 'test',
    id: 'names',
    answer: ({ tools }) => {
      names.push(tools.map(({ name }) => name));
      return modelAnswer({ text: 'So.' });
    },
  };
  const named = (name: string) =>
    tool({ name, description: 'Add.', input: z.object({ a: z.number() }), execute: () => 1 });
  const one = agent({ name: 'one', model, tools: [named('add'), named('take')] });
  const changed = one.stream('go', { paused: true });
  await changed.addTools([named('more')]);
  expect(changed.removeTool('add')).toBe(true);
  changed.resume();
  await changed.result;
  await one.run('go');
  expect(names).toEqual([
    ['take', 'more'],
    ['add', 'take'],
  ]);
});
