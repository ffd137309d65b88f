import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { PlainStore } from '../support/plain-store.ts';
import { echo, quiet } from '../support/runs.ts';

test('[TENEX-82] with models and tools that take no time a run takes none: nothing of the runtime waits by the clock', async () => {
  const clock = virtualClock(1_000);
  const worker = (name: string) =>
    agent({
      name,
      tools: [echo],
      model: scriptedModel([calls({ name: 'echo', input: { text: 'a' } }), 'done']),
    });
  const team = pipeline({ name: 'team', stages: [worker('ann'), worker('bob')] });
  const { totals, events } = await team.run('go', { clock });
  expect(totals).toMatchObject({ durationMs: 0, modelCalls: 4, toolCalls: 2 });
  expect(new Set(events.map(({ at }) => at))).toEqual(new Set([1_000]));
  expect(clock.pending).toBe(0);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The delays of timers that came due while something was done, in ms: what it slept for. */
const sleptFor = async (work: () => Promise<unknown>): Promise<readonly number[]> => {
  const fired: number[] = [];
  const { setTimeout: real } = globalThis;
  const counted = (due: (_: void) => void, ms = 0): NodeJS.Timeout =>
    real(() => {
      if (ms > 0) fired.push(ms);
      due();
    }, ms);
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(
    Object.assign(counted, { __promisify__: real.__promisify__ }),
  );
  await work();
  vi.restoreAllMocks();
  return fired;
};

test.each(['live', 'stored'])(
  '[FIND-35] [TENEX-82] a run of models and tools that are asynchronous never sleeps, by the clock of the machine either: %s',
  async (how) => {
    const slow = tool({
      name: 'slow',
      description: 'Takes some turns of the event loop.',
      input: z.object({}),
      execute: async () => {
        await quiet();
        return 'there';
      },
    });
    const model = scriptedModel([
      async () => (await quiet(), calls({ name: 'slow', input: {} })),
      async () => (await quiet(), 'done'),
    ]);
    const one = agent({ name: 'a', tools: [slow], model });
    const team = pipeline({ name: 'team', stages: [one] });
    expect(await sleptFor(() => new Promise((resolve) => setTimeout(resolve, 1)))).toEqual([1]);
    const run = () => team.run('go', how === 'live' ? {} : { store: new PlainStore() });
    expect(await sleptFor(run)).toEqual([]);
  },
);
