import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Decision } from '../../src/contracts/agents/decision.ts';
import { answer, decisionSchema } from '../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { toolset } from '../../src/tools/wrappers/compose.ts';
import { echo, letTimePass, never, ofType, settled, start } from '../support/runs.ts';

/** A tool that fails so often before it works. */
const shaky = (failures: number, attempts: number) => {
  let tried = 0;
  return tool({
    name: 'shaky',
    description: 'Works in the end.',
    version: '1.2.0',
    retry: { attempts, initialWaitMs: 100 },
    input: z.object({}),
    execute: () => {
      tried += 1;
      if (tried <= failures) throw new TroupeError('tool.failed', `no ${tried}`, { retryable: 'yes' });
      return 'well';
    },
  });
};

const resultOf = async (name: string, ...tools: Parameters<typeof agent>[0]['tools'] & object) => {
  const clock = virtualClock();
  const model = scriptedModel([calls({ name, input: {} }), 'there']);
  const handle = start(agent({ name: 'a', tools, model }), 'go', { clock });
  const { records, totals } = await letTimePass(clock, settled(handle), 100);
  return { result: records[0]?.results[0], totals };
};

test('[QITOS-18] a plain object is a decision like any other; one of a kind that there is not is refused', async () => {
  const plain = { kind: 'act', calls: [{ name: 'echo', input: { text: 'x' } }] };
  expect(decisionSchema.parse(plain)).toEqual(plain);
  const run = async (said: unknown) => {
    const decide = ({ step }: { step: number }) => (step === 0 ? (said as Decision) : answer('there'));
    return settled(start(agent({ name: 'a', tools: [echo], decide }), 'go'));
  };
  expect((await run(plain)).records[0]?.results).toMatchObject([{ ok: true, text: 'x' }]);
  for (const odd of [
    { ...plain, kind: 'dance' },
    { kind: 'act', calls: [] },
    { kind: 'act', calls: [{}] },
  ])
    expect(await run(odd)).toMatchObject({ status: 'failed', error: { code: 'decision.invalid' } });
});

test.each([
  [1, 3, 2, true],
  [9, 3, 3, false],
  [9, 1, 1, false],
])(
  '[QITOS-19] a tool that fails %i times and may try %i times is tried %i times',
  async (failures, most, times, ok) => {
    const { result, totals } = await resultOf('shaky', shaky(failures, most));
    expect(result).toMatchObject({ ok, attempts: times });
    expect(totals).toMatchObject({ toolCalls: 1, retries: times - 1 });
  },
);

test('[QITOS-19] [D32] its time-out holds for each attempt, and ends the call where it is the last', async () => {
  let tried = 0;
  const slow = tool({
    name: 'slow',
    description: 'Never comes back.',
    timeoutMs: 1_000,
    retry: { attempts: 2, initialWaitMs: 100 },
    input: z.object({}),
    execute: () => ((tried += 1), never<string>()),
  });
  const { result, totals } = await resultOf('slow', slow);
  expect(result).toMatchObject({
    ok: false,
    kind: 'timeout',
    attempts: 2,
    durationMs: 1_000,
    error: { code: 'tool.timeout' },
  });
  expect(tried).toBe(2);
  // Two attempts, and half of the longest wait between them.
  expect(totals.durationMs).toBe(1_000 + 50 + 1_000);
});

test('[QITOS-20] a result says which tool, how often tried, how long, and of what kind its error is', async () => {
  const { result } = await resultOf('set.shaky', toolset({ name: 'set', tools: [shaky(1, 3)] }));
  expect(result).toMatchObject({
    ok: true,
    tool: 'set.shaky',
    attempts: 2,
    durationMs: expect.any(Number),
  });
  const unknown = (await resultOf('nothing', echo)).result;
  expect(unknown).toMatchObject({ ok: false, kind: 'unknown', error: { code: 'tool.unknown' } });
});

test('[QITOS-30] tokens that the provider counted are taken; where it does not say they are estimated, and marked', async () => {
  const provider = (usage?: { input: number; output: number }): Model => ({
    provider: 'p',
    id: 'm',
    answer: () => modelAnswer({ text: 'twelve chars', ...(usage === undefined ? {} : { usage }) }),
  });
  const totalsOf = async (model: Model) => (await settled(start(agent({ name: 'a', model }), 'go'))).totals;
  const counted = await totalsOf(provider({ input: 70, output: 9 }));
  expect(counted).toMatchObject({ inputTokens: 70, outputTokens: 9 });
  expect(counted.estimated).toBeUndefined();
  const guessed = await totalsOf(provider());
  expect(guessed).toMatchObject({ outputTokens: 3, estimated: 1 });
  expect(guessed.inputTokens).toBeGreaterThan(0);
});

test('[DODO-60] a set that is given shows exactly its tools, and one that is taken away none', async () => {
  const set = toolset({ name: 'set', tools: [shaky(0, 1), echo] });
  const model = scriptedModel([
    () => (handle.removeTool('set'), calls({ name: 'echo', input: { text: 'x' } })),
    'there',
  ]);
  const handle = start(agent({ name: 'a', tools: [echo, set], model }), 'go');
  await settled(handle);
  const shown = model.requests.map(({ tools }) => tools.map(({ name }) => name));
  expect(shown).toEqual([['echo', 'set.shaky', 'set.echo'], ['echo']]);
  expect(ofType((await handle.result).events, 'tool.finished')).toHaveLength(1);
});
