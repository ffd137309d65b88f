import { expect, test } from 'vitest';
import { act, answer } from '../../src/contracts/decision.ts';
import { stagnation } from '../../src/machines/soft-rules.ts';
import { maxSteps } from '../../src/machines/stop-rules.ts';
import { windowMemory } from '../../src/memory/window-memory.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { memoryEnvironment } from '../../src/tools/environments/memory-environment.ts';
import { echo } from '../support/runs.ts';

test('[KAIZEN-70] layers are paid for as they are used: a step without them is cheaper than one with all', async () => {
  const steps = 100;
  const plain = {
    name: 'a',
    tools: [echo],
    stop: maxSteps(steps + 1),
    decide: ({ step }: { readonly step: number }) =>
      step < steps ? act({ name: 'echo', input: { text: `${step}` } }) : answer('done'),
  };
  const bare = agent(plain);
  const layered = agent({
    ...plain,
    budget: { tokens: 1_000_000, steps: steps + 1 },
    memory: windowMemory(),
    environment: memoryEnvironment(),
    critics: [{ name: 'kind', each: 'step', critique: () => ({ verdict: 'accept' }) }],
    stop: [stagnation({ steps }), plain.stop],
    state: { count: 0 },
    reduce: ({ step }) => ({ count: step }),
    hooks: [{ name: 'ear', handle: () => undefined }],
  });
  const timeOf = async (one: typeof bare | typeof layered): Promise<number> => {
    const since = performance.now();
    for (let run = 0; run < 4; run += 1) await one.run('go');
    return performance.now() - since;
  };
  const best = { bare: Infinity, layered: Infinity };
  // In turn, so that both have the same quiet moments; the first rounds warm up.
  for (let round = 0; round < 20; round += 1) {
    best.bare = Math.min(best.bare, await timeOf(bare));
    best.layered = Math.min(best.layered, await timeOf(layered));
  }
  expect(best.bare).toBeLessThan(best.layered);
});
