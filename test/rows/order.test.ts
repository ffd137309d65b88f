import { describe, expect, test } from 'vitest';
import type { MemoryRecord, MemorySource } from '../../src/contracts/conversations/memory.ts';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { PlainStore } from '../support/plain-store.ts';
import { echo, never, quiet, settled, start } from '../support/runs.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { letTimePass } from '../support/runs.ts';

/** A memory that takes some turns of the event loop for each write. */
const slowMemory = (order: string[], append?: () => Promise<void>): MemorySource => ({
  name: 'slow',
  scope: 'run',
  open: async () => ({
    append: async (records: readonly MemoryRecord[]) => {
      await (append ?? quiet)();
      order.push(`memory: ${records.map(({ kind }) => kind).join(', ')}`);
    },
    recall: () => [],
    summarise: () => '',
    evict: () => 0,
    reset: () => undefined,
  }),
  release: async () => undefined,
});

const worker = (order: string[], memory: MemorySource) =>
  agent({
    name: 'worker',
    memory: { sources: memory, recall: { k: 0 } },
    tools: [echo],
    state: { steps: 0 },
    reduce: ({ state }) => {
      order.push('state');
      return { steps: state.steps + 1 };
    },
    decide: ({ step }) => {
      order.push(`decide ${step}`);
      return step < 2 ? act({ name: 'echo', input: { text: 'hi' } }) : answer('done');
    },
    hooks: [{ name: 'telemetry', on: 'step.ended', handle: () => void order.push('told') }],
  });

describe.each([{ name: 'without a store' }, { name: 'stored', store: true }])(
  '[FIND-33] [ENG-08] a step, $name',
  (how) => {
    test('is in the state, published and in the memory before the next decision begins, in this order', async () => {
      const order: string[] = [];
      const options = 'store' in how ? { store: new PlainStore() } : {};
      const subject = worker(order, slowMemory(order));
      const { status } = await ('store' in how
        ? subject.run('go', options)
        : settled(start(subject, 'go', options)));
      expect(status).toBe('completed');
      const steps = order.filter((line) => !line.includes('run')).map((line) => line.split(':')[0]);
      expect(steps.slice(0, 10)).toEqual([
        'memory',
        'decide 0',
        'state',
        'told',
        'memory',
        'decide 1',
        'state',
        'told',
        'memory',
        'decide 2',
      ]);
    });
  },
);

test('[FIND-33] [ENG-08] a memory that hangs holds the next decision up for as long as it may be asked, and once', async () => {
  const clock = virtualClock(0);
  const order: string[] = [];
  const subject = worker(
    order,
    slowMemory(order, () => never()),
  );
  const handle = start(subject, 'go', { clock });
  const { status, events } = await letTimePass(clock, settled(handle));
  expect(status).toBe('completed');
  expect(events.filter(({ type }) => type === 'memory.failed').length).toBeGreaterThan(0);
});
