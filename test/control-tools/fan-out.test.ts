import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import type { FannedOut, FanOutOptions } from '../../src/tools/built-in/delegation/fan-out.ts';
import { fanOut } from '../../src/tools/built-in/delegation/fan-out.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { z } from 'zod';
import { echo, letTimePass, ofType, settled, start } from '../support/runs.ts';

const fanning = (options: FanOutOptions, ...to: readonly string[]) =>
  agent({
    name: 'lead',
    model: scriptedModel([
      calls({
        name: 'fan_out',
        input: { tasks: to.map((name, index) => ({ to: name, task: `task ${index}` })) },
      }),
      'Done.',
    ]),
    tools: [fanOut(options)],
  });

/** Answers its task, after a while. */
const taking = (clock: VirtualClock, name: string, ms: number) =>
  agent({
    name,
    decide: ({ input }) =>
      new Promise((resolve) => {
        clock.setTimeout(() => {
          resolve(answer(`${name}: ${typeof input === 'string' ? input : ''}`));
        }, ms);
      }),
  });

describe('[QITOS-93] fanning out', () => {
  const play = async (lead: Agent<string, unknown>, clock = virtualClock()) => {
    const result = await letTimePass(clock, settled(start(lead, 'go', { clock })), 100);
    const found = result.records[0]?.results[0];
    return {
      result,
      found,
      values: (found?.ok === true ? found.value : []) as unknown as readonly FannedOut[],
    };
  };

  test('each task has a child of its own; what came back is in the order of the tasks', async () => {
    const clock = virtualClock();
    const slow = taking(clock, 'slow', 900);
    const quick = taking(clock, 'quick', 100);
    const { values, found, result } = await play(
      fanning({ to: [slow, quick] }, 'slow', 'quick', 'quick'),
      clock,
    );
    expect(values.map(({ output }) => output)).toEqual(['slow: task 0', 'quick: task 1', 'quick: task 2']);
    expect(found?.text).toBe('1. [slow] slow: task 0\n2. [quick] quick: task 1\n3. [quick] quick: task 2');
    const paths = ofType(result.events, 'member.engaged').map(({ path }) => path);
    expect(new Set(paths).size).toBe(3);
  });

  test('no more than four are at work at the same time, and none of them is kept waiting by a slow one', async () => {
    const clock = virtualClock();
    const slow = taking(clock, 'slow', 5_000);
    const quick = taking(clock, 'quick', 100);
    const names = ['slow', ...Array<string>(9).fill('quick')];
    const { result } = await play(fanning({ to: [slow, quick] }, ...names), clock);
    let atWork = 0;
    let most = 0;
    for (const { type } of result.events) {
      if (type === 'member.engaged') atWork += 1;
      if (type === 'member.ended') atWork -= 1;
      most = Math.max(most, atWork);
    }
    expect(most).toBe(4);
    expect(ofType(result.events, 'member.ended').at(-1)?.member).toBe('slow');
  });

  test('[D35] who is out of time is stopped, with what it has under way; the others are not touched', async () => {
    const clock = virtualClock();
    const aborted: number[] = [];
    const stuckTool = tool({
      name: 'stick',
      description: 'Does not come back by itself.',
      input: z.object({}),
      timeoutMs: Infinity,
      execute: (_, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.push(clock.now());
            reject(new Error('aborted'));
          });
        }),
    });
    const stuck = agent({
      name: 'stuck',
      model: scriptedModel([calls({ name: 'stick', input: {} })]),
      tools: [stuckTool],
    });
    const quick = taking(clock, 'quick', 100);
    const began = clock.now();
    const { values, result } = await play(fanning({ to: [stuck, quick] }, 'stuck', 'quick'), clock);
    expect(values).toMatchObject([
      { agent: 'stuck', status: 'timedOut', output: null },
      { agent: 'quick', status: 'success' },
    ]);
    expect(aborted).toEqual([began + 120_000]);
    expect(ofType(result.events, 'member.ended').find(({ member }) => member === 'stuck')).toMatchObject({
      status: 'aborted',
      stopReason: { reason: 'its time was up' },
    });
    expect(result.output).toBe('Done.');
    expect(clock.pending).toBe(0);
  });

  test('[D35] children of one agent share nothing', async () => {
    const counting = agent({
      name: 'counting',
      state: { count: 0 },
      decide: ({ step }) =>
        step < 2 ? { kind: 'act', calls: [{ name: 'echo', input: { text: 'x' } }] } : undefined,
      reduce: ({ state }) => ({ count: state.count + 1 }),
      stop: { shouldStop: ({ step, state }) => step === 2 && JSON.stringify(state) },
      tools: [echo],
    });
    const { values, result } = await play(fanning({ to: [counting] }, 'counting', 'counting', 'counting'));
    expect(values.map(({ status }) => status)).toEqual(['partial', 'partial', 'partial']);
    const ends = ofType(result.events, 'member.ended').map(({ stopReason }) => stopReason);
    expect(ends).toEqual(Array(3).fill({ kind: 'agentCondition', detail: '{"count":2}' }));
  });

  test('after the time of all together, those at work are stopped, and no other begins', async () => {
    const clock = virtualClock();
    const slow = taking(clock, 'slow', 2_000);
    const { values } = await play(
      fanning({ to: [slow], concurrency: 1, totalMs: 3_000 }, 'slow', 'slow', 'slow'),
      clock,
    );
    expect(values.map(({ status }) => status)).toEqual(['success', 'timedOut', 'notStarted']);
  });

  test('failures and refusals are lines of the result; it succeeds only where the answer was final', async () => {
    const broken = agent({ name: 'broken', model: scriptedModel([]) });
    const short = agent({
      name: 'short',
      model: scriptedModel([calls({ name: 'echo', input: { text: 'x' } })]),
      tools: [echo],
      stop: maxSteps(1),
    });
    const lead = fanning({ to: [broken, short], self: true, maxDepth: 1 }, 'broken', 'short');
    const { values, found } = await play(lead);
    expect(found?.ok).toBe(true);
    expect(values).toMatchObject([
      { agent: 'broken', status: 'failed' },
      { agent: 'short', status: 'partial', stop: 'maxSteps' },
    ]);
  });

  test('the abort of the run is no result', async () => {
    const clock = virtualClock();
    const handle = start(fanning({ to: [taking(clock, 'slow', 60_000)] }, 'slow'), 'go', { clock });
    const result = settled(handle);
    await clock.advance(100);
    handle.abort('enough');
    expect((await result).status).toBe('aborted');
  });

  test('each has its part of the budget, and one that has used it up leaves what it has', async () => {
    const long = agent({
      name: 'long',
      decide: ({ step }) =>
        step < 5 ? { kind: 'act', calls: [{ name: 'echo', input: { text: String(step) } }] } : answer('x'),
      tools: [echo],
    });
    const lead = agent({
      name: 'lead',
      model: scriptedModel([
        calls({
          name: 'fan_out',
          input: {
            tasks: [
              { to: 'long', task: 'a' },
              { to: 'long', task: 'b' },
            ],
          },
        }),
        'Done.',
      ]),
      tools: [fanOut({ to: [long], budget: { steps: 2 } })],
      limits: { budget: { steps: 50 } },
    });
    const { values, result } = await play(lead);
    expect(result).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(values).toMatchObject([
      { status: 'partial', stop: 'budget', steps: 2 },
      { status: 'partial', stop: 'budget', steps: 2 },
    ]);
  });
});

test('a number that bounds nothing is refused', () => {
  const to = [agent({ name: 'worker' })];
  expect(() => fanOut({ to, concurrency: 0 })).toThrow(
    'its concurrency is not a whole number from 1: found 0',
  );
  expect(() => fanOut({ to, totalMs: NaN })).toThrow('totalMs');
  expect(() => fanOut({ to: [] })).toThrow('needs agents');
});
