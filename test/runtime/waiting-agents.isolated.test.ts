import { expect, test } from 'vitest';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/models/index.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { collector } from '../support/garbage.ts';
import { deferred, echo } from '../support/runs.ts';

const COUNT = 1_000;

/** Bytes of the heap that each of a thousand runs holds while it waits inside its model, once all else was collected. */
const bytesOfEach = async (steps: number): Promise<number> => {
  const collect = collector();
  const used = (): number => {
    collect();
    collect();
    return process.memoryUsage().heapUsed;
  };
  const allAsked = deferred<void>();
  const gate = deferred<void>();
  let asked = 0;
  const model: Model = {
    provider: 'test',
    id: 'held',
    isLanguageModel: false,
    answer: async ({ messages }) => {
      if (messages.length <= 2 * steps)
        return modelAnswer({ calls: [{ id: 'same', name: 'echo', input: { text: 'a step' } }] });
      asked += 1;
      if (asked === COUNT) allAsked.resolve();
      await gate.promise;
      return modelAnswer({ text: 'done' });
    },
  };
  const waiting = agent({ name: `waiting-${steps}`, tools: [echo], model });
  const before = used();
  const runs = Array.from({ length: COUNT }, () => waiting.run('go'));
  await allAsked.promise;
  const bytes = (used() - before) / COUNT;
  gate.resolve();
  const results = await Promise.all(runs);
  expect(results.every(({ output }) => output === 'done')).toBe(true);
  return bytes;
};

test('an agent that waits for its model holds at most 25 kB, and at most 10 more for each step that it has made', async () => {
  // What is loaded and compiled by the first runs belongs to no agent.
  await bytesOfEach(1);
  const atFirst = await bytesOfEach(0);
  const afterFour = await bytesOfEach(4);
  expect(atFirst).toBeLessThan(25_000);
  expect((afterFour - atFirst) / 4).toBeLessThan(10_000);
});
