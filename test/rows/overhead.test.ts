import { expect, test } from 'vitest';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { stagnation } from '../../src/machines/stopping/soft-rules.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { windowMemory } from '../../src/memory/memories/window-memory.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { memoryEnvironment } from '../../src/tools/environments/memory-environment.ts';
import { PlainStore } from '../support/plain-store.ts';
import { echo } from '../support/runs.ts';

/** The options of an agent that takes so many steps. */
const plain = (steps: number) => ({
  name: 'a',
  tools: [echo],
  stop: maxSteps(steps + 1),
  decide: ({ step }: { readonly step: number }) =>
    step < steps ? act({ name: 'echo', input: { text: `${step}` } }) : answer('done'),
});

const bare = (steps: number) => agent(plain(steps));

const layered = (steps: number) =>
  agent({
    ...plain(steps),
    limits: { budget: { tokens: 1_000_000, steps: steps + 1 } },
    memory: windowMemory(),
    environment: memoryEnvironment(),
    critics: [{ name: 'kind', each: 'step', critique: () => ({ verdict: 'accept' }) }],
    stop: [stagnation({ steps }), maxSteps(steps + 1)],
    state: { count: 0 },
    reduce: ({ step }) => ({ count: step }),
    hooks: [{ name: 'ear', handle: () => undefined }],
  });

/** What is asked for in the fifth step, by phase: whatever is done for it comes back as one arrival. */
const askedIn = async (one: { readonly run: ReturnType<typeof bare>['run'] }): Promise<readonly string[]> => {
  const store = new PlainStore();
  const { runId, status } = await one.run('go', { store });
  expect(status).toBe('completed');
  const { records } = await recordsIn(store, runId);
  return records.flatMap((record) => {
    if (record.kind !== 'arrived' || !('key' in record.arrival)) return [];
    const [, phase] = /#5\.([A-Z_]+)\./.exec(record.arrival.key ?? '') ?? [];
    return phase === undefined ? [] : [phase];
  });
};

test('[KAIZEN-70] layers are paid for as they are used: a step without them is its decision and its call, and nothing else', async () => {
  expect(await askedIn(bare(10))).toEqual(['DECIDE', 'ACT']);
  // Each phase has something to ask for; the environment and the memory more than once.
  const phases = new Set(await askedIn(layered(10)));
  expect([...phases].toSorted()).toEqual(['ACT', 'CHECK_STOP', 'CRITIC', 'DECIDE', 'OBSERVE']);
});
