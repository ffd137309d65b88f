import type { InspectionEvent } from 'xstate';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { memorySessions } from '../../src/actors/strategies/session-store.ts';
import { passthrough } from '../../src/actors/strategies/passthrough.ts';
import type { Clock } from '../../src/base/clock.ts';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { LiveEvent } from '../../src/contracts/events/event.ts';
import type { Prices } from '../../src/contracts/models/prices.ts';
import type { RunTotals } from '../../src/contracts/runs/run-totals.ts';
import { addUsage } from '../../src/events/progress/add-totals.ts';
import { byTool } from '../../src/machines/endings/endings.ts';
import { stagnation } from '../../src/machines/stopping/soft-rules.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline } from '../../src/patterns/index.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { complete } from '../../src/tools/built-in/ending/complete.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { memoryEnvironment } from '../../src/tools/environments/memory-environment.ts';
import { echo, letTimePass, ofType, phasesOf, quiet, settled, start, typesOf } from '../support/runs.ts';

const looks = calls({ name: 'echo', input: { text: 'seen' } });
const completes = calls({ name: 'complete', input: { answer: '42' } });
const round = ['OBSERVE', 'DECIDE', 'REDUCE', 'CHECK_STOP'];

const breaks = tool({
  name: 'breaks',
  description: 'Breaks.',
  idempotent: false,
  input: z.object({}),
  execute: () => {
    throw new Error('disk full');
  },
});

/** An agent that has to say that it is done, and what came of it. */
const insisted = async (script: readonly ScriptedReply[], options = {}) => {
  const model = scriptedModel(script);
  const clock = virtualClock();
  const one = agent({ name: 'a', model, tools: [echo, complete], stop: { ends: byTool(options) } });
  const result = await letTimePass(clock, settled(start(one, 'go', { clock })), 100);
  return { model, clock, result };
};

test('[TENEX-16] one that ends at its second attempt is asked twice, and checked after each', async () => {
  const { model, result } = await insisted(['thinking aloud', completes]);
  model.assertConsumed();
  expect(model.requests).toHaveLength(2);
  const acting = ['OBSERVE', 'DECIDE', 'ACT', 'REDUCE', 'CHECK_STOP'];
  expect(phasesOf(result.events)).toEqual(['preparing', ...round, ...acting, 'completed']);
});

test('[TENEX-61] an answer that ends nothing is no failure: the next prompt has a reminder', async () => {
  const { model, result } = await insisted(['thinking aloud', completes]);
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'user', from: 'runtime' });
  expect(result).toMatchObject({ status: 'completed', error: undefined });
  expect(typesOf(result.events).filter((type) => type.endsWith('failed'))).toEqual([]);
});

describe('[TENEX-89] with a scripted model', () => {
  test('an agent that did not say that it is done is reminded', async () => {
    const { result } = await insisted(['well', completes]);
    expect(ofType(result.events, 'agent.reminded')).toMatchObject([{ times: 1 }]);
  });
  test('in a chat it is not', async () => {
    const { result } = await insisted(['hello'], { phase: 'chat' });
    expect([result.output, ofType(result.events, 'agent.reminded')]).toEqual(['hello', []]);
  });
  test('a stubborn one is completed', async () => {
    const { result } = await insisted(['no', 'never']);
    expect(result).toMatchObject({ status: 'completed', output: 'never', autoCompleted: true });
  });
  test('one that says so is not reminded', async () => {
    const { result } = await insisted([completes]);
    expect([result.output, ofType(result.events, 'agent.reminded')]).toEqual(['42', []]);
  });
});

test('[TENEX-Q03] a reminder comes at once, or after as long as said', async () => {
  const script = ['well', completes];
  const { result, clock } = await insisted(script);
  expect([result.totals.durationMs, clock.pending]).toEqual([0, 0]);
  expect(typesOf(result.events)).not.toContain('agent.waiting');
  expect((await insisted(script, { remindAfterMs: 700 })).result.totals.durationMs).toBe(700);
});

test('[TENEX-Q20] order is by number, and a run that has ended leaves no timer behind', async () => {
  const clock = virtualClock();
  const slow = tool({
    name: 'slow',
    description: 'Takes its time.',
    input: z.object({}),
    execute: async () => (await quiet(), 'done'),
  });
  const set = { name: 'set', tools: [slow], teardown: quiet };
  const script = [calls({ name: 'set.slow', input: {} }), async () => (await quiet(), 'there')];
  const one = agent({ name: 'a', model: scriptedModel(script), tools: [set] });
  const handle = start(one, 'go', { clock });
  const seen: LiveEvent[] = [];
  let armed = 0;
  handle.events$.subscribe((event) => {
    seen.push(event);
    armed = Math.max(armed, clock.pending);
  });
  const { output, totals } = await settled(handle);
  expect({ output, durationMs: totals.durationMs }).toEqual({ output: 'there', durationMs: 0 });
  const numbers = seen.flatMap((event) => (event.type === 'model.delta' ? [] : [event.seq]));
  expect(numbers).toEqual(numbers.map((_, index) => index));
  expect([armed > 0, clock.pending]).toEqual([true, 0]);
});

test('[TENEX-Q08] who is told of work that was completed for it: who gave it; a router’s is none, and fails', async () => {
  const run = async (role: 'worker' | 'router') => {
    const child = agent({ name: 'ann', model: scriptedModel(['a', 'b']), stop: { ends: byTool({ role }) } });
    const asks = calls({ name: 'delegate', input: { to: 'ann', task: 'x' } });
    const model = scriptedModel([asks, 'thanks']);
    const lead = agent({ name: 'lead', model, tools: [delegate({ to: [child] })] });
    const { events } = await settled(start(lead, 'go'));
    return { told: model.requests[1]?.messages.at(-1), ended: ofType(events, 'member.ended')[0] };
  };
  const worker = await run('worker');
  expect(worker.told?.text).toBe("'ann' never said that it was done. It left: b");
  expect(worker.ended).toMatchObject({ path: 'lead/ann-0', member: 'ann', autoCompleted: true });
  const router = await run('router');
  expect(router.told).toMatchObject({ role: 'tool', failed: true });
  expect(router.ended).toMatchObject({ status: 'failed', error: { code: 'routing.required' } });
});

test('[TENEX-11] what a child takes is time of its call and of the run, and counted once', async () => {
  const clock = virtualClock(5_000);
  const child = agent({
    name: 'ann',
    model: scriptedModel([async () => (await clock.advance(40), 'below')]),
  });
  const asks = calls({ name: 'delegate', input: { to: 'ann', task: 'x' } });
  const model = scriptedModel([async () => (await clock.advance(2), asks), 'above']);
  const lead = agent({ name: 'lead', model, tools: [delegate({ to: [child] })] });
  const { events, totals, records } = await settled(start(lead, 'go', { clock }));
  expect(totals.durationMs).toBe(42);
  expect(ofType(events, 'tool.finished')).toMatchObject([{ durationMs: 40 }]);
  expect(ofType(events, 'model.answered').map(({ durationMs }) => durationMs)).toEqual([2, 40, 0]);
  expect(records[0]).toMatchObject({ startedAt: 5_000, endedAt: 5_042 });
  // No timer goes on for anybody: a later run begins anew.
  await clock.advance(31 * 60_000);
  const again = agent({ name: 'b', model: scriptedModel(['x']) });
  expect((await settled(start(again, 'go', { clock }))).totals.durationMs).toBe(0);
});

test('[TENEX-80] [DODO-53] each answer says its model, tokens and cost, and turn by turn they add up to the totals', async () => {
  const usages = [
    { input: 11, output: 7, cached: 3 },
    { input: 30, output: 5 },
    { input: 41, output: 2, cached: 30 },
  ] as const;
  const script = usages.map((usage, index) => ({ ...(index < 2 ? looks : { text: 'done' }), usage }));
  // Only what a language model says costs anything.
  const model = { ...scriptedModel(script, 'm-1'), isLanguageModel: true };
  const prices: Prices = { name: 'two', cost: (_, { input, output }) => input + 2 * output };
  const one = agent({ name: 'a', model, tools: [echo] });
  const { events, totals } = await settled(start(one, 'go', { prices }));
  const answers = ofType(events, 'model.answered');
  expect(answers.map(({ usage }) => usage)).toMatchObject(usages);
  expect(new Set(answers.map((event) => event.model))).toEqual(new Set(['scripted:m-1']));
  const none: RunTotals = { ...totals, inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: 0 };
  expect(answers.reduce((sum, each) => addUsage(sum, each.model, each.usage, each.costUsd), none)).toEqual(
    totals,
  );
  expect(totals).toMatchObject({ inputTokens: 82, outputTokens: 14, cachedTokens: 33, costUsd: 110 });
});

test('[DODO-05] a run that is out of steps says so, in its result and in its last event', async () => {
  const model = scriptedModel([looks, looks]);
  const one = agent({ name: 'a', model, tools: [echo], stop: maxSteps(2) });
  const { status, stopReason, events } = await settled(start(one, 'go'));
  expect({ status, stopReason }).toEqual({ status: 'stopped', stopReason: { kind: 'maxSteps', limit: 2 } });
  expect(events.at(-1)).toMatchObject({ type: 'run.ended', status, stopReason });
});

test('[TENEX-Q17] what goes wrong in cleaning up is on record beside the error of the run, and never in its place', async () => {
  const set = {
    name: 'set',
    tools: [],
    teardown: () => {
      throw new Error('will not close');
    },
  };
  const one = agent({ name: 'a', tools: [set], model: scriptedModel([new Error('dead')]) });
  const { error, events } = await settled(start(one, 'go'));
  expect(error).toMatchObject({ code: 'model.failed', cause: { message: 'dead' } });
  const suppressed = ofType(events, 'toolset.failed');
  expect(suppressed.map((event) => event.error.message)).toEqual([expect.stringContaining('will not close')]);
  expect(events.at(-1)).toMatchObject({ type: 'run.ended', error: { code: 'model.failed' } });
});

describe('[TENEX-90] the flows that matter', () => {
  test('life cycle: begun, asked, acted, answered, ended', async () => {
    const one = agent({ name: 'a', model: scriptedModel([looks, 'there']), tools: [echo] });
    const { events, output } = await settled(start(one, 'go'));
    const told = /^(run|model|tool)\.(started|answered|finished|ended)$/;
    expect(typesOf(events).filter((type) => told.test(type))).toEqual([
      'run.started',
      'model.answered',
      'tool.started',
      'tool.finished',
      'model.answered',
      'run.ended',
    ]);
    expect(output).toBe('there');
  });

  test('an error of a tool: told to the model, which goes on', async () => {
    const model = scriptedModel([calls({ name: 'breaks', input: {} }), 'otherwise']);
    const one = agent({ name: 'a', model, tools: [breaks] });
    const { output, records } = await settled(start(one, 'go'));
    expect(records[0]?.results).toMatchObject([{ ok: false, kind: 'execution' }]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', failed: true });
    expect(output).toBe('otherwise');
  });

  test('an end that is not said: reminded, then said', async () => {
    const { result } = await insisted(['well', completes]);
    expect(result).toMatchObject({ status: 'completed', output: '42', totals: { modelCalls: 2 } });
    expect(result.autoCompleted).toBeUndefined();
  });

  test('a session: the next run of a thread goes on in it', async () => {
    const sessions: (string | undefined)[] = [];
    const ask = ({ session }: { readonly session?: string | undefined }) => {
      sessions.push(session);
      return { text: 'x', session: 's1' };
    };
    const strategy = passthrough({ engine: { ask }, sessions: memorySessions() });
    const one = agent({ name: 'a', strategy });
    for (const input of ['one', 'two']) await settled(start(one, input, { thread: 't' }));
    expect(sessions).toEqual([undefined, 's1']);
  });

  test('several engines: each stage of a team has its own', async () => {
    const ask = ({ prompt }: { readonly prompt: string }) => ({ text: `outside: ${prompt}` });
    const team = pipeline({
      name: 'team',
      stages: [
        agent({ name: 'inside', model: scriptedModel([looks, 'draft']), tools: [echo] }),
        agent({ name: 'outside', strategy: passthrough({ engine: { ask } }) }),
      ],
    });
    expect((await settled(start(team, 'go'))).output).toBe('outside: draft');
  });
});

test('[KAIZEN-70] an agent without options, and without trouble, is one actor; what it needs comes with the need', async () => {
  const actors = async (script: readonly ScriptedReply[]) => {
    const ids = new Set<string>();
    const inspect = (event: InspectionEvent): void => {
      if (event.type === '@xstate.actor' && 'id' in event.actorRef) ids.add(String(event.actorRef.id));
    };
    const one = agent({
      name: 'a',
      model: scriptedModel(script),
      tools: [echo],
      failures: { retry: { initialWaitMs: 0 } },
    });
    await one.run('go', { inspect });
    return [...ids];
  };
  expect(await actors([looks, looks, 'there'])).toEqual(['a']);
  const busy = new TroupeError('model.unavailable', 'Cannot answer: busy', { retryable: 'yes' });
  expect(await actors([looks, busy, 'there'])).toHaveLength(2);
});

test('[KAIZEN-70] a plain step is two effects and no timer; each layer adds its own, and only where it is', async () => {
  const { clock, armed } = counting(virtualClock());
  const effectsOf = async (layers: object) => {
    const decide = ({ step }: { readonly step: number }) =>
      step < 5 ? act({ name: 'echo', input: { text: `${step}` } }) : answer('done');
    const one = agent({ name: 'a', tools: [echo], decide, ...layers });
    const { effects } = await settled(start(one, 'go', { clock }));
    return effects.filter(({ key }) => key.includes('#3.')).map(({ port }) => port);
  };
  const critic = { name: 'kind', each: 'step', critique: () => ({ verdict: 'accept' }) };
  expect(await effectsOf({})).toEqual(['decide', 'act']);
  expect(
    await effectsOf({ limits: { budget: { tokens: 1_000 } }, stop: stagnation(), reduce: () => ({}) }),
  ).toEqual(['decide', 'act']);
  expect(armed()).toBe(0);
  expect(await effectsOf({ environment: memoryEnvironment() })).toEqual(['observe', 'decide', 'act']);
  expect(await effectsOf({ critics: [critic] })).toEqual(['decide', 'act', 'critique']);
});

/** A clock that counts the timers that are set. */
const counting = (clock: Clock) => {
  let timers = 0;
  const counted: Clock = {
    now: () => clock.now(),
    setTimeout: (callback, ms) => {
      timers += 1;
      return clock.setTimeout(callback, ms);
    },
    clearTimeout: (handle) => {
      clock.clearTimeout(handle);
    },
  };
  return { clock: counted, armed: () => timers };
};
