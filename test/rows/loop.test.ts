import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { Hook } from '../../src/contracts/events/event.ts';
import type { StopRule } from '../../src/contracts/agents/stop-rule.ts';
import { hook } from '../../src/events/hooks/define-hook.ts';
import { allOf, anyOf } from '../../src/machines/stopping/composed-rules.ts';
import { maxSteps, maxTime, maxTokens, maxToolCalls } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { echo, hang, ofType, phasesOf, quiet, settled, start, typesOf } from '../support/runs.ts';

const looks = (text: string) => calls({ name: 'echo', input: { text } });

/** Writes down the types of events as they come, beside whatever else a test writes down. */
const scribe = (order: string[], ...types: readonly string[]): Hook =>
  hook({ name: 'scribe', handle: ({ type }) => void (types.includes(type) && order.push(type)) });

/** A toolset whose life is written down. */
const watchedSet = (order: string[]) => ({
  name: 'set',
  tools: [echo],
  setup: () => void order.push('set-up'),
  teardown: () => void order.push('teardown'),
});

describe('the choice', () => {
  test('[QITOS-08] a decision of the agent itself asks no model; undefined asks it once', async () => {
    const model = scriptedModel(['from the model']);
    const own = agent({ name: 'own', model, decide: () => answer('from the agent') });
    expect((await settled(start(own, 'go'))).output).toBe('from the agent');
    expect(model.requests).toHaveLength(0);
    const none = agent({ name: 'none', model, decide: () => undefined });
    const { output, totals } = await settled(start(none, 'go'));
    expect(output).toBe('from the model');
    expect(model.requests).toHaveLength(1);
    expect(totals.modelCalls).toBe(1);
  });

  test('[QITOS-08] an agent may decide itself in one step and leave the next to its model', async () => {
    const model = scriptedModel(['there']);
    const mixed = agent({
      name: 'mixed',
      model,
      tools: [echo],
      decide: ({ step }) => (step === 0 ? act({ name: 'echo', input: { text: 'seen' } }) : undefined),
    });
    expect((await settled(start(mixed, 'go'))).output).toBe('there');
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'seen' });
  });
});

describe('budgets', () => {
  const walks = (...stop: readonly StopRule[]) =>
    agent({
      name: 'walker',
      // It does the same over and over, so that nothing but the limits ends it.
      limits: { loops: false },
      tools: [echo],
      stop,
      model: scriptedModel(
        Array.from({ length: 60 }, () => ({ ...looks('on'), usage: { input: 30, output: 10 } })),
      ),
    });

  test('[QITOS-28] tokens are checked between steps: a limit is passed by one call at most', async () => {
    const { stopReason, totals } = await settled(start(walks(maxTokens(100)), 'go'));
    expect(stopReason).toEqual({ kind: 'maxTokens', limit: 100 });
    // 40 a call: 80 is below the limit, 120 is past it by less than one call.
    expect(totals).toMatchObject({ modelCalls: 3, inputTokens: 90, outputTokens: 30 });
  });

  test('[QITOS-28] time ends a run past its limit, also in the midst of a step', async () => {
    const clock = virtualClock();
    const slow = agent({
      name: 'slow',
      stop: maxTime(2_500),
      tools: [echo],
      decide: async () => {
        await new Promise<void>((resolve) => {
          clock.setTimeout(resolve, 1_000);
        });
        return act({ name: 'echo', input: { text: 'on' } });
      },
    });
    const handle = start(slow, 'go', { clock });
    for (let second = 0; second < 3; second += 1) {
      await quiet();
      await clock.advance(1_000);
    }
    const { stopReason, totals } = await settled(handle);
    expect(stopReason).toEqual({ kind: 'maxTime', limitMs: 2_500 });
    expect(totals).toMatchObject({ steps: 2, durationMs: 2_501 });
  });

  test.each([
    ['50 where nothing is said', walks, 50],
    ['as many as said, fewer or more', () => walks(maxSteps(30)), 30],
    ['50 beside a rule of another kind', () => walks(maxToolCalls(80)), 50],
    ['as many as any rule of several says', () => walks(anyOf(maxToolCalls(80), maxSteps(25))), 25],
    [
      '50 where a limit of steps is only one of several conditions',
      () => walks(allOf(maxSteps(2), maxTime(1_000_000))),
      50,
    ],
  ])('[QITOS-28] [D31] steps: %s', async (_, make, limit) => {
    const { stopReason, totals } = await settled(start(make(), 'go', { clock: virtualClock() }));
    expect(stopReason).toEqual({ kind: 'maxSteps', limit });
    expect(totals.steps).toBe(limit);
  });

  test('[D25] a run that its limit ended has no output, and does not call itself completed', async () => {
    const { status, output } = await settled(start(walks(maxSteps(2)), 'go'));
    expect(status).toBe('stopped');
    expect(output).toBeUndefined();
  });
});

describe('preparing', () => {
  const broken = () =>
    agent({
      name: 'broken',
      input: z.object({ city: z.string() }),
      model: 'no-such-provider:x',
      tools: [{ name: 'set', tools: [echo], setup: () => Promise.reject(new Error('no disk')) }],
    });

  test('[QITOS-32] three things wrong at once are three problems, and no step', async () => {
    // @ts-expect-error: that is no input
    const { error, totals, events } = await settled(start(broken(), { city: 1 }));
    const codes = ofType(events, 'agent.prepared')[0]?.problems.map(({ code }) => code);
    expect(codes?.toSorted()).toEqual(['input.invalid', 'model.unknown', 'tool.setup']);
    expect(error?.details).toHaveLength(3);
    expect(totals).toMatchObject({ steps: 0, modelCalls: 0 });
  });

  test('[D28] a run that cannot begin is finished like any other: teardown, one last event, a result', async () => {
    const order: string[] = [];
    const dead = agent({ name: 'dead', model: 'no-such-provider:x', tools: [watchedSet(order)] });
    const handle = start(dead, 'go', { hooks: [scribe(order, 'run.ended')] });
    let isComplete = false;
    handle.events$.subscribe({
      complete: () => {
        isComplete = true;
      },
    });
    const { status, events } = await settled(handle);
    expect(status).toBe('failed');
    expect(order).toEqual(['set-up', 'teardown', 'run.ended']);
    expect(typesOf(events).at(-1)).toBe('run.ended');
    expect(phasesOf(events)).toEqual(['preparing', 'failed']);
    expect(isComplete).toBe(true);
  });
});

describe('the order of things', () => {
  test('[KAIZEN-08] the input is checked, the work done, the state updated, the result given, in this order', async () => {
    const order: string[] = [];
    const clerk = agent({
      name: 'clerk',
      input: z.string().refine((text) => (order.push('check'), text !== '')),
      state: { seen: 0 },
      decide: ({ state }) => (order.push(`work ${state.seen}`), state.seen === 0 ? waitNot : answer('done')),
      tools: [echo],
      reduce: ({ state }) => (order.push('update'), { seen: state.seen + 1 }),
    });
    const { output, state } = await settled(start(clerk, 'go'));
    order.push(`result ${output}`);
    expect(order).toEqual(['check', 'work 0', 'update', 'work 1', 'update', 'result done']);
    expect(state).toEqual({ seen: 2 });
  });

  test('[DODO-02] a step is told in one order: phase, prompt, answer, tools, state, end of the step', async () => {
    const order: string[] = [];
    const told = hook({
      name: 'told',
      handle: (event) => {
        if (event.type === 'phase.entered') order.push(event.phase);
        else if (/^(model|tool|step)\./.test(event.type)) order.push(event.type);
      },
    });
    const model = scriptedModel([looks('1'), 'there']);
    await settled(start(agent({ name: 'a', tools: [echo], model }), 'go', { hooks: [told] }));
    const wanted = [
      'preparing',
      'OBSERVE DECIDE model.asked model.answered',
      'ACT tool.requested tool.started tool.finished',
      'REDUCE CHECK_STOP step.ended',
      'OBSERVE DECIDE model.asked model.answered',
      'REDUCE CHECK_STOP step.ended',
      'completed',
    ];
    expect(order.filter((type) => type !== 'model.delta').join(' ')).toBe(wanted.join(' '));
  });

  test.each([
    ['that goes well', ['there'], 'completed'],
    ['whose model throws', [new Error('dead')], 'failed'],
    ['that a rule ends', [looks('1'), looks('2')], 'stopped'],
  ] as const)(
    '[TENEX-01] of a run %s cleaning up is the last thing that is done',
    async (_, replies, ends) => {
      const order: string[] = [];
      const set = watchedSet(order);
      const model = scriptedModel(replies.map((reply) => () => (order.push('model'), reply)));
      const one = agent({ name: 'one', tools: [set], model, stop: maxSteps(1) });
      const hooks = [scribe(order, 'run.started', 'run.ended')];
      const { status } = await settled(start(one, 'go', { hooks }));
      expect(status).toBe(ends);
      expect(order).toEqual(['run.started', 'set-up', 'model', 'teardown', 'run.ended']);
    },
  );
});

describe('the end', () => {
  test('[TENEX-31] [TENEX-Q11] however often a run is stopped, in one go or later, it ends once', async () => {
    const ends: string[] = [];
    const count = hook({
      name: 'count',
      on: 'run.ended',
      handle: ({ stopReason }) => void ends.push(stopReason.kind),
    });
    const decide = () => act({ name: 'hang', input: {} });
    const handle = start(agent({ name: 'a', tools: [hang], decide }), 'go', { hooks: [count] });
    await quiet();
    handle.abort('once');
    handle.abort('twice');
    const { events, stopReason } = await settled(handle);
    handle.abort('thrice');
    await quiet();
    expect(stopReason).toEqual({ kind: 'aborted', reason: 'once' });
    expect(ends).toEqual(['aborted']);
    expect(ofType(events, 'run.ended')).toHaveLength(1);
    expect((await settled(handle)).events.at(-1)?.type).toBe('run.ended');
  });

  test('[TENEX-31] a run that is stopped again while it cleans up keeps its first end, and the only one', async () => {
    const ends: string[] = [];
    const count = hook({
      name: 'count',
      on: 'run.ended',
      handle: ({ stopReason }) => void ends.push(stopReason.kind),
    });
    const set = {
      name: 'set',
      tools: [echo],
      teardown: async () => {
        handle.abort('again');
        await quiet();
        handle.abort('and again');
      },
    };
    const handle = start(agent({ name: 'a', tools: [set], model: scriptedModel(['there']) }), 'go', {
      hooks: [count],
      clock: virtualClock(),
    });
    const { status, output, events } = await settled(handle);
    await quiet();
    expect({ status, output, ends }).toEqual({ status: 'completed', output: 'there', ends: ['answered'] });
    expect(ofType(events, 'run.ended')).toHaveLength(1);
  });

  test('[TENEX-31] a run that is stopped in the very moment of its answer has one end, too', async () => {
    const model = scriptedModel([
      () => {
        handle.abort('no more');
        return 'there';
      },
    ]);
    const handle = start(agent({ name: 'a', model }), 'go');
    const { events } = await settled(handle);
    expect(ofType(events, 'run.ended')).toHaveLength(1);
    expect(phasesOf(events).filter((phase) => phase === phase.toLowerCase())).toHaveLength(2);
  });

  test('[QITOS-90] called off at once: the tool is told by its signal, and no phase comes after it', async () => {
    let signal: AbortSignal | undefined;
    const listens = tool({
      name: 'listens',
      description: 'Works until it is told not to.',
      input: z.object({}),
      execute: (_, context) =>
        new Promise<string>((_resolve, reject) => {
          ({ signal } = context);
          context.signal.addEventListener('abort', () => {
            reject(new Error('as you wish'));
          });
        }),
    });
    const decide = () => act({ name: 'listens', input: {} });
    const handle = start(agent({ name: 'a', tools: [listens], decide }), 'go');
    await quiet();
    expect(signal?.aborted).toBe(false);
    handle.abort('enough');
    const { status, events, records } = await settled(handle);
    expect(signal?.aborted).toBe(true);
    expect(status).toBe('aborted');
    expect(phasesOf(events)).toEqual(['preparing', 'OBSERVE', 'DECIDE', 'ACT', 'aborted']);
    expect(records).toEqual([]);
  });

  test('[D36] what stops a run is there from its first moment, before anything has happened', async () => {
    const model = scriptedModel(['there']);
    const handle = start(agent({ name: 'a', model }), 'go');
    handle.abort('at once');
    const { status, stopReason, totals } = await settled(handle);
    expect(status).toBe('aborted');
    expect(stopReason).toEqual({ kind: 'aborted', reason: 'at once' });
    expect(totals.modelCalls).toBe(0);
  });
});

test.each(['an observer', 'a hook', 'a tool', 'a stop rule'])(
  '[D36] %s may stop the run after its first step',
  async (who) => {
    const stop = (by: string) => {
      if (by === who) handle.abort('enough');
    };
    const last = tool({
      name: 'last',
      description: 'Works.',
      input: z.object({}),
      execute: () => stop('a tool'),
    });
    const rule = { name: 'rule', check: () => (stop('a stop rule'), undefined) };
    const walker = agent({
      name: 'a',
      tools: [last],
      decide: () => act({ name: 'last', input: {} }),
      stop: [rule, maxSteps(3)],
    });
    const after = hook({ name: 'after', on: 'step.ended', handle: () => stop('a hook') });
    const handle = start(walker, 'go', { hooks: [after] });
    handle.events$.subscribe(({ type }) => {
      if (type === 'step.ended') stop('an observer');
    });
    const { status, stopReason, totals, events } = await settled(handle);
    expect(status).toBe('aborted');
    expect(stopReason).toEqual({ kind: 'aborted', reason: 'enough' });
    expect(totals.steps).toBeLessThan(3);
    expect(ofType(events, 'observer.failed')).toEqual([]);
  },
);

describe('steps', () => {
  test('[QITOS-64] every step has its record, the one that ended the run by failing too', async () => {
    const fails = agent({
      name: 'fails',
      tools: [echo],
      state: { count: 0 },
      observe: () => 'rain',
      critics: [{ name: 'kind', each: 'step', critique: () => ({ verdict: 'accept', note: 'well' }) }],
      model: scriptedModel([looks('1'), looks('2')]),
      reduce: ({ state, step }) => {
        if (step === 1) throw new TroupeError('internal', 'Cannot count as it is too much: 2');
        return { count: state.count + 1 };
      },
    });
    const { records, status } = await settled(start(fails, 'go', { clock: virtualClock(7) }));
    expect(status).toBe('failed');
    expect(records).toHaveLength(2);
    const base = { path: 'fails', agent: 'fails', observation: 'rain', startedAt: 7, endedAt: 7 };
    const [first, last] = records;
    expect(first).toMatchObject({
      ...base,
      step: 0,
      decision: { kind: 'act', calls: [{ name: 'echo', input: { text: '1' } }] },
      results: [{ ok: true, callId: 'call_0_0', text: '1' }],
      critiques: [{ verdict: 'accept', note: 'well' }],
      diff: { count: { before: 0, after: 1 } },
    });
    expect(last).toMatchObject({ ...base, step: 1, results: [{ text: '2' }], critiques: [], diff: {} });
    expect(JSON.parse(JSON.stringify(records))).toEqual(records);
  });
});

const waitNot = act({ name: 'echo', input: { text: 'on' } });
