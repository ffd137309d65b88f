import { expect, test } from 'vitest';
import { agent } from '../../src/runtime/agent.ts';
import { pipeline } from '../../src/runtime/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo } from '../support/runs.ts';

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
