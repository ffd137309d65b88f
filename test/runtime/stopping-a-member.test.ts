import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Decision } from '../../src/contracts/agents/decision.ts';
import type { RuntimeEvent } from '../../src/contracts/events/event.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { SupervisionPolicy } from '../../src/contracts/agents/supervision.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay, resume } from '../../src/index.ts';
import { supervisorWorker } from '../../src/patterns/index.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { PlainStore } from '../support/plain-store.ts';
import { hang, letTimePass, ofType, settled, start } from '../support/runs.ts';

/** Two workers: `ann` hangs in her first life and answers in the next, `bob` answers. */
const house = (supervision?: SupervisionPolicy) => {
  let lives = 0;
  const ann = agent({
    name: 'ann',
    tools: [hang],
    decide: ({ step }): Decision => {
      if (step === 0) lives += 1;
      return lives === 1
        ? { kind: 'act', calls: [{ name: 'hang', input: {} }] }
        : { kind: 'answer', answer: 'ann' };
    },
  });
  const bob = agent({ name: 'bob', decide: () => ({ kind: 'answer', answer: 'bob' }) });
  const assignments = ['ann', 'bob'].map((worker) => ({ worker, task: 'work' }));
  return supervisorWorker({
    name: 'house',
    supervisor: {
      model: scriptedModel([
        JSON.stringify({ assignments, answer: null }),
        JSON.stringify({ assignments: [], answer: 'all' }),
      ]),
    },
    workers: { ann, bob },
    ...(supervision === undefined ? {} : { failures: { supervision } }),
  });
};

/** Resolves with the address of whoever hangs. */
const whoHangs = (handle: Pick<RunHandle, 'events$'>): Promise<string> =>
  new Promise((resolve) => {
    handle.events$.subscribe((event) => {
      if (event.type === 'tool.started' && event.tool === 'hang') resolve(event.path);
    });
  });

const ends = (events: readonly RuntimeEvent[], member: string) =>
  ofType(events, 'member.ended')
    .filter((event) => event.member === member)
    .map(({ status, error }) => ({ status, code: error?.code }));

describe.each([
  { name: 'without a store', options: () => ({}) },
  { name: 'stored', options: () => ({ store: new PlainStore() }) },
])('a member that is stopped: $name', ({ options }) => {
  const begin = (supervision?: SupervisionPolicy) => {
    const clock = virtualClock(1_000);
    const handle = start(house(supervision), 'go', { runId: 'r', clock, ...options() });
    return { clock, handle };
  };

  test('has failed for its supervisor, and begins anew where the policy says so', async () => {
    const { clock, handle } = begin({});
    const path = await whoHangs(handle);
    expect(handle.stop(path, 'it hangs')).toBe(true);
    const result = await letTimePass(clock, settled(handle));
    expect(ends(result.events, 'ann')).toEqual([
      { status: 'failed', code: 'agent.stopped' },
      { status: 'completed', code: undefined },
    ]);
    expect(ofType(result.events, 'child.supervised')).toMatchObject([
      { member: 'ann', failure: 'stopped', directive: 'restart' },
    ]);
    expect(ofType(result.events, 'child.supervised')[0]?.error?.message).toContain('it hangs');
    expect(result.output).toBe('all');
  });

  test('is a reply that failed where nobody says anything, and what it had under way is over', async () => {
    const { clock, handle } = begin();
    handle.stop(await whoHangs(handle));
    const result = await letTimePass(clock, settled(handle));
    expect(ends(result.events, 'ann')).toEqual([{ status: 'failed', code: 'agent.stopped' }]);
    expect(ofType(result.events, 'tool.finished')).toMatchObject([{ ok: false, synthesised: true }]);
    expect(result.status).toBe('completed');
  });

  test('has to be there, and cannot be the root, or stopped twice', async () => {
    const { clock, handle } = begin();
    const path = await whoHangs(handle);
    expect(['house', 'house/nobody', ''].map((each) => handle.stop(each))).toEqual([false, false, false]);
    handle.stop(path);
    handle.stop(path);
    const result = await letTimePass(clock, settled(handle));
    expect(ends(result.events, 'ann')).toHaveLength(1);
    expect(handle.stop(path)).toBe(false);
  });
});

describe('what a tool runs', () => {
  const clerk = () => {
    const below = agent({
      name: 'below',
      tools: [hang],
      decide: (): Decision => ({ kind: 'act', calls: [{ name: 'hang', input: {} }] }),
    });
    const ask = tool({
      name: 'ask',
      description: 'Asks below.',
      input: z.object({}),
      execute: async (_, context) => (await context.run(below, 'go')).output,
    });
    return agent({
      name: 'clerk',
      tools: [ask],
      decide: ({ step }): Decision =>
        step === 0
          ? { kind: 'act', calls: [{ name: 'ask', input: {} }] }
          : { kind: 'answer', answer: 'done' },
    });
  };

  test.each([{ store: undefined }, { store: new PlainStore() }])(
    'can be stopped, too: its tool is told',
    async ({ store }) => {
      const handle = clerk().stream('go', { runId: 'r', store });
      handle.stop(await whoHangs(handle));
      const { output, events } = await handle.result;
      expect(output).toBe('done');
      const asked = ofType(events, 'tool.finished').find((event) => event.tool === 'ask');
      expect(asked?.text).toContain('as it was stopped');
      if (store === undefined) return;
      expect(JSON.stringify((await replay(clerk(), 'r', { store })).events)).toBe(JSON.stringify(events));
    },
  );
});

test('a stored run in which one was stopped is gone through again, and resumed after, to the same events', async () => {
  const store = new PlainStore();
  const handle = house({ intensity: { restarts: 3, withinMs: 1_000 } }).stream('go', { runId: 'r', store });
  handle.stop(await whoHangs(handle), 'it hangs');
  const { events } = await settled(handle);
  const again = await replay(house({ intensity: { restarts: 3, withinMs: 1_000 } }), 'r', { store });
  expect(JSON.stringify(again.events)).toBe(JSON.stringify(events));
  const resumed = await resume(house({ intensity: { restarts: 3, withinMs: 1_000 } }), 'r', { store });
  expect((await resumed.result).output).toBe('all');
});
