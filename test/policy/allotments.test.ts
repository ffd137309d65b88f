import { describe, expect, test } from 'vitest';
import { answer } from '../../src/contracts/agents/decision.ts';
import type { Agent, AgentOptions } from '../../src/contracts/agents/agent.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline, supervisorWorker } from '../../src/patterns/index.ts';
import { team } from '../../src/runtime/define/team.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { calls } from '../../src/testing/scripted-model.ts';
import { awaitDelegates } from '../../src/tools/built-in/delegation/delegation-controls.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { echo, ofType, settled, start } from '../support/runs.ts';

/** Takes so many steps. */
const busy = (name: string, steps: number, more: Pick<AgentOptions, 'limits'> = {}) =>
  agent({
    name,
    tools: [echo],
    decide: ({ step }) =>
      step < steps - 1
        ? { kind: 'act', calls: [{ name: 'echo', input: { text: String(step) } }] }
        : answer(name),
    ...more,
  });

describe('[QITOS-93] parts of a budget', () => {
  const play = (who: Agent<string, unknown>, budget = { steps: 20 }) =>
    settled(start(who, 'go', { limits: { budget } }));

  const giving = (worker: Agent<string, unknown>, budget: { share: number } | { steps: number }) =>
    agent({
      name: 'lead',
      model: scriptedModel([calls({ name: 'delegate', input: { to: worker.name, task: 'x' } }), 'Done.']),
      tools: [delegate({ to: [worker], budget })],
    });

  test.each([
    ['amounts', { steps: 3 }, 3],
    ['a share of what limits the giver', { share: 0.25 }, 5],
    ['at least a step', { share: 0.001 }, 1],
  ] as const)('a child has no more than its part: %s', async (_, budget, steps) => {
    const result = await play(giving(busy('worker', 9), budget));
    // What stops the child by its own budget is a part of the answer, and the giver goes on.
    expect(result).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(result.records[0]?.results[0]).toMatchObject({
      ok: true,
      value: { status: 'partial', stop: 'budget', steps },
    });
  });

  test('what its definition says holds as well, where it is tighter', async () => {
    const result = await play(giving(busy('worker', 9, { limits: { budget: { steps: 2 } } }), { steps: 5 }));
    expect(result.records[0]?.results[0]).toMatchObject({ value: { stop: 'budget', steps: 2 } });
  });

  test('what is not used was never taken', async () => {
    const model = scriptedModel([
      calls({ name: 'delegate', input: { to: 'worker', task: 'x' } }),
      calls({ name: 'delegate', input: { to: 'worker', task: 'x' } }),
      'Done.',
    ]);
    const lead = agent({
      name: 'lead',
      model,
      tools: [delegate({ to: [busy('worker', 2)], budget: { share: 1 } })],
    });
    // Three of its own, and two of each child: 7 in all, though twice the whole was given.
    expect(await play(lead, { steps: 7 })).toMatchObject({ status: 'completed', output: 'Done.' });
  });

  test('nobody gets more than there is', async () => {
    const result = await play(giving(busy('worker', 9), { steps: 100 }), { steps: 4 });
    expect(result).toMatchObject({ status: 'stopped', stopReason: { kind: 'budget', path: 'lead' } });
    expect(result.totals.steps).toBeLessThanOrEqual(4);
  });

  test('in the background as well', async () => {
    const model = scriptedModel([
      calls({ name: 'delegate', input: { to: 'worker', task: 'x' } }, { name: 'await_delegates', input: {} }),
      'Done.',
    ]);
    const lead = agent({
      name: 'lead',
      model,
      tools: [
        delegate({ to: [busy('worker', 9)], mode: 'background', budget: { share: 0.2 } }),
        awaitDelegates,
      ],
    });
    const result = await play(lead);
    expect(result.output).toBe('Done.');
    expect(ofType(result.events, 'member.ended')).toMatchObject([
      { stopReason: { kind: 'budget', limit: 4, path: 'lead/worker-0_0' } },
    ]);
  });

  test('members of a team have their parts, and the team goes on with what they leave', async () => {
    const desk = supervisorWorker({
      name: 'desk',
      supervisor: {
        decide: () =>
          answer({
            assignments: [
              { worker: 'greedy', task: 'x' },
              { worker: 'modest', task: 'y' },
            ],
          }),
      },
      workers: { greedy: busy('greedy', 9), modest: busy('modest', 2) },
      result: 'replies',
      limits: { budgets: { greedy: { share: 0.2 }, modest: { steps: 5 } } },
    });
    const result = await play(desk);
    expect(result.status).toBe('completed');
    expect(result.output).toMatchObject([
      { member: 'greedy', status: 'stopped' },
      { member: 'modest', status: 'completed' },
    ]);
  });

  test('of a nested team, the overshoot is at most the calls that were under way', async () => {
    const worker = (name: string) =>
      agent({
        name,
        model: scriptedModel(
          Array.from({ length: 50 }, (_, index) => calls({ name: 'echo', input: { text: String(index) } })),
        ),
        tools: [echo],
      });
    const inner = pipeline({ name: 'inner', stages: [worker('deep'), worker('deeper')] });
    const outer = supervisorWorker({
      name: 'outer',
      supervisor: {
        decide: () =>
          answer({ assignments: ['inner', 'one', 'two'].map((name) => ({ worker: name, task: 'x' })) }),
      },
      workers: { inner, one: worker('one'), two: worker('two') },
      result: 'replies',
      concurrency: 3,
    });
    const result = await settled(start(outer, 'go', { limits: { budget: { steps: 12 } } }));
    expect(result).toMatchObject({
      status: 'stopped',
      stopReason: { kind: 'budget', budget: 'steps', path: 'outer' },
    });
    // Steps are taken before they begin: there is no overshoot at all.
    expect(
      ofType(result.events, 'step.ended').filter(({ record }) => record.decision !== undefined).length,
    ).toBeLessThanOrEqual(12);
    expect(ofType(result.events, 'budget.warned')).toHaveLength(1);
  });

  test('warned, wrapping up, stopped: for all that is below', async () => {
    const writer = agent({
      name: 'writer',
      model: scriptedModel([
        ...Array.from({ length: 8 }, (_, index) => calls({ name: 'echo', input: { text: String(index) } })),
        'What I have.',
      ]),
      tools: [echo],
      limits: { wrapUp: { warnAt: 0.5, wrapUpAt: 0.8 } },
    });
    const inner = pipeline({ name: 'inner', stages: [writer] });
    const outer = pipeline({ name: 'outer', stages: [inner] });
    const result = await settled(start(outer, 'go', { limits: { budget: { steps: 10 } } }));
    expect(result).toMatchObject({ status: 'completed', output: 'What I have.' });
    expect(ofType(result.events, 'limit.neared').map(({ stage }) => stage)).toEqual(['warned', 'wrappingUp']);
  });
});

test('parts that are none are refused when they are defined', () => {
  const worker = agent({ name: 'worker' });
  expect(() => agent({ name: 'x', tools: [delegate({ to: [worker], budget: { share: 1.5 } })] })).toThrow(
    'budget.share is not a number above 0 and at most 1: found 1.5',
  );
  expect(() => agent({ name: 'x', tools: [delegate({ to: [worker], budget: { steps: 0 } })] })).toThrow(
    'budget.steps',
  );
  const options = { name: 'desk', machine: supervisorWorker.machine, members: { worker }, options: {} };
  expect(() => team({ ...options, limits: { budgets: { nobody: { share: 0.5 } } } })).toThrow(
    "to 'nobody', who is no member: worker",
  );
  expect(() => team({ ...options, limits: { budgets: { worker: { share: 0 } } } })).toThrow('above 0');
});
