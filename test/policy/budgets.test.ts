import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Budget } from '../../src/contracts/runs/budget.ts';
import { act } from '../../src/contracts/agents/decision.ts';
import type { Critic } from '../../src/contracts/agents/critic.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { StopView } from '../../src/contracts/agents/stop-rule.ts';
import { stopWhen } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline, supervisorWorker } from '../../src/patterns/index.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { deferred, echo, ofType, quiet, settled, start } from '../support/runs.ts';

const looks = calls({ name: 'echo', input: { text: 'x' } });
const costing = (tokens: number, text?: string): ScriptedReply => ({
  ...(text === undefined ? looks : { text }),
  usage: { input: tokens, output: 0 },
});
const endless = (tokens: number) => scriptedModel(Array.from({ length: 100 }, () => costing(tokens)));
const walker = (budget: Budget | undefined, model: Model = endless(30)) =>
  agent({ name: 'walker', model, tools: [echo], limits: { budget, loops: false } });

test.each<[Budget, object]>([
  [{ steps: 3 }, { budget: 'steps', limit: 3, used: 3 }],
  [{ tokens: 90 }, { budget: 'tokens', limit: 90, used: 90 }],
  [{ tokens: 91 }, { budget: 'tokens', limit: 91, used: 120 }],
  [{ toolCalls: 2 }, { budget: 'toolCalls', limit: 2, used: 2 }],
])('[QITOS-28] %j ends the run as data, an overshoot is one call', async (budget, reason) => {
  const { status, stopReason, totals } = await settled(start(walker(budget), 'go'));
  expect([status, stopReason]).toEqual(['stopped', { kind: 'budget', path: 'walker', ...reason }]);
  expect(totals.toolCalls).toBeLessThanOrEqual(budget.toolCalls ?? 10);
});

test('[QITOS-28] time is compared with `>`, by the clock of the run', async () => {
  const clock = virtualClock();
  const nap = tool({
    name: 'echo',
    description: 'Sleeps.',
    input: z.object({ text: z.string() }),
    execute: () =>
      new Promise<string>(
        (resolve) =>
          void clock.setTimeout(() => {
            resolve('slept');
          }, 10),
      ),
  });
  const sleeper = agent({
    name: 'sleeper',
    model: endless(1),
    tools: [nap],
    limits: { budget: { timeMs: 20 } },
  });
  const handle = start(sleeper, 'go', { clock });
  for (let passed = 0; passed < 5; passed += 1) await clock.advance(10);
  const { stopReason, totals } = await settled(handle);
  expect(stopReason).toMatchObject({ kind: 'budget', budget: 'timeMs', limit: 20, used: 21 });
  expect(totals.steps).toBe(2);
});

test('an answer counts although it uses the last of the budget', async () => {
  const model = scriptedModel([costing(100, 'there')]);
  const { status, output } = await settled(start(walker({ tokens: 100, steps: 1 }, model), 'go'));
  expect([status, output]).toEqual(['completed', 'there']);
});

test('a call past the limit does not start, and the conversation stays whole', async () => {
  const three = calls(...['a', 'b', 'c'].map((text) => ({ name: 'echo', input: { text } })));
  const { stopReason, events, records } = await settled(
    start(walker({ toolCalls: 2 }, scriptedModel([three])), 'go'),
  );
  expect(stopReason).toMatchObject({ kind: 'budget', budget: 'toolCalls' });
  expect(ofType(events, 'tool.started')).toHaveLength(2);
  expect(ofType(events, 'tool.denied')).toHaveLength(1);
  expect(records[0]?.results.map(({ ok }) => ok)).toEqual([true, true, false]);
  expect(records[0]?.results[2]).toMatchObject({ error: { code: 'budget.spent' } });
});

test('an agent may answer after exactly as many tool calls as it has', async () => {
  const model = scriptedModel([looks, 'done']);
  expect((await settled(start(walker({ toolCalls: 1 }, model), 'go'))).output).toBe('done');
});

test('[KAIZEN-65] a budget is warned of once, at 80 % or where its owner says, and ends the run at 100 %', async () => {
  const warnings = async (budget: Budget) => {
    const { events, stopReason } = await settled(start(walker(budget, endless(10)), 'go'));
    expect(stopReason).toMatchObject({ kind: 'budget', used: 100 });
    return ofType(events, 'budget.warned').map(({ budget: kind, used, path }) => [kind, used, path]);
  };
  expect(await warnings({ tokens: 100 })).toEqual([['tokens', 80, 'walker']]);
  expect(await warnings({ tokens: 100, warnAt: 0.35 })).toEqual([['tokens', 40, 'walker']]);
});

test('the budget of a run takes the place of its agent’s, kind by kind, and is gone in the next run', async () => {
  const one = walker({ steps: 4, tokens: 60 });
  const ended = async (budget?: Budget) =>
    (await settled(start(one, 'go', { limits: { budget } }))).stopReason;
  expect(await ended({ steps: 1 })).toMatchObject({ budget: 'steps', limit: 1 });
  expect(await ended({ tokens: Infinity })).toMatchObject({ budget: 'steps', limit: 4 });
  expect(await ended()).toMatchObject({ budget: 'tokens', limit: 60 });
});

test('a step budget stands in place of the default of 50; any other leaves that as it is', async () => {
  const { totals } = await settled(start(walker({ steps: 60 }), 'go'));
  expect(totals.steps).toBe(60);
  const { stopReason } = await settled(start(walker({ tokens: 1_000_000 }), 'go'));
  expect(stopReason).toEqual({ kind: 'maxSteps', limit: 50 });
});

test('a run that is given a bad budget is refused, and says what was found', () => {
  expect(() => start(walker(undefined), 'go', { limits: { budget: { steps: NaN } } })).toThrow(
    expect.objectContaining({ code: 'input.invalid' }),
  );
});

test('members that work at the same time cannot overspend together', async () => {
  const gates = [deferred<undefined>(), deferred<undefined>(), deferred<undefined>()];
  let underWay = 0;
  let most = 0;
  const slow = (index: number): Model => ({
    provider: 'test',
    id: `slow-${index}`,
    isLanguageModel: false,
    answer: async () => {
      most = Math.max(most, (underWay += 1));
      await gates[index]?.promise;
      underWay -= 1;
      return modelAnswer({ text: 'done', usage: { input: 100, output: 0 } });
    },
  });
  const worker = (index: number) => agent({ name: `w${index}`, model: slow(index) });
  const plan = {
    assignments: ['w0', 'w1', 'w2'].map((name) => ({ worker: name, task: 't' })),
    answer: null,
  };
  const desk = supervisorWorker({
    name: 'desk',
    supervisor: { model: scriptedModel([costing(10, JSON.stringify(plan))]) },
    workers: { w0: worker(0), w1: worker(1), w2: worker(2) },
    limits: { budget: { tokens: 150 } },
  });
  const handle = start(desk, 'go');
  for (const gate of gates) {
    await quiet();
    gate.resolve(undefined);
  }
  const { status, stopReason, totals, events } = await settled(handle);
  expect(most).toBe(1);
  expect([status, stopReason]).toMatchObject(['stopped', { kind: 'budget', path: 'desk', used: 210 }]);
  expect(totals.inputTokens).toBe(210);
  expect(ofType(events, 'run.ended')).toHaveLength(1);
});

test('children of a run draw on its budget, and an agent’s own holds for it and below', async () => {
  const child = agent({
    name: 'child',
    model: endless(10),
    tools: [echo],
    limits: { budget: { tokens: 40 } },
  });
  const ask = tool({
    name: 'echo',
    description: 'Asks a child.',
    input: z.object({ text: z.string() }),
    execute: async (_, context) => (await context.run(child, 'go')).stopReason.kind,
  });
  const parent = agent({
    name: 'parent',
    model: endless(10),
    tools: [ask],
    limits: { budget: { tokens: 100 } },
  });
  const { stopReason, totals, events } = await settled(start(parent, 'go'));
  expect(stopReason).toMatchObject({ kind: 'budget', path: 'parent', used: 100 });
  expect(totals.inputTokens).toBe(100);
  expect(ofType(events, 'member.ended').map(({ stopReason: { kind, limit } }) => [kind, limit])).toEqual([
    ['budget', 40],
    ['budget', 40],
  ]);
});

test('a critic’s judge is charged to the tree', async () => {
  const judge = agent({ name: 'judge', model: endless(50), limits: { budget: { steps: 1 } } });
  const critic: Critic = {
    name: 'strict',
    critique: async ({ run }) => {
      await run(judge, 'is it good?');
      return { verdict: 'revise', note: 'no' };
    },
  };
  const model = scriptedModel(Array.from({ length: 9 }, () => costing(10, 'answer')));
  const writer = agent({
    name: 'writer',
    model,
    critics: [critic],
    limits: { maxRejections: 9, budget: { tokens: 100 } },
  });
  const { stopReason, totals } = await settled(start(writer, 'go'));
  expect(stopReason).toMatchObject({ kind: 'budget', path: 'writer', used: 120 });
  expect(totals.inputTokens).toBe(120);
});

test('a stage that stops for want of budget stops the pipeline', async () => {
  const row = pipeline({
    name: 'row',
    stages: [walker(undefined), walker(undefined)],
    limits: { budget: { steps: 5 } },
  });
  const { stopReason, totals } = await settled(start(row, 'go'));
  expect(stopReason).toMatchObject({ kind: 'budget', budget: 'steps', path: 'row' });
  expect(totals.steps).toBe(5);
});

test('attempts and fallbacks are charged: what a failed one used is in tally, totals and budget', async () => {
  const clock = virtualClock();
  const empty: ScriptedReply = { text: '', usage: { input: 40, output: 0 } };
  const seen: StopView[] = [];
  const see = stopWhen('see', (view) => void seen.push(view));
  const one = agent({
    name: 'one',
    model: [scriptedModel([empty, empty], 'a'), scriptedModel([empty, costing(5)], 'b')],
    tools: [echo],
    stop: see,
    limits: { budget: { tokens: 100 } },
  });
  const handle = start(one, 'go', { clock });
  for (let passed = 0; passed < 30; passed += 1) await clock.advance(1_000);
  const { stopReason, totals } = await settled(handle);
  expect(stopReason).toMatchObject({ kind: 'budget', budget: 'tokens', used: 120 });
  expect(totals.inputTokens).toBe(120);
});

test('what a call that fails for good used is in the tally of its agent', async () => {
  const model: Model = {
    provider: 'test',
    id: 'broken',
    isLanguageModel: false,
    answer: (_, { delta }) => {
      delta({ type: 'text', text: 'x'.repeat(400) });
      throw new TroupeError('model.bad-request', 'Cannot answer as it broke off: half of it');
    },
  };
  const child = agent({ name: 'child', model });
  const ask = tool({
    name: 'echo',
    description: 'Asks a child.',
    input: z.object({ text: z.string() }),
    execute: async (_, context) => {
      await context.run(child, 'go').catch(() => undefined);
      return 'it failed';
    },
  });
  const parent = agent({
    name: 'parent',
    model: scriptedModel([{ ...looks, usage: { input: 1, output: 1 } }, costing(1, 'so be it')]),
    tools: [ask],
  });
  const { totals, error } = await settled(start(parent, 'go'));
  expect(error).toBeUndefined();
  expect(totals).toMatchObject({ outputTokens: 101, estimated: 1 });
});

test('a streamed call that is called off midway settles what is known of it', async () => {
  const model: Model = {
    provider: 'test',
    id: 'streams',
    isLanguageModel: false,
    answer: (_, { delta }) => {
      delta({ type: 'text', text: 'x'.repeat(400) });
      return new Promise(() => undefined);
    },
  };
  const handle = start(agent({ name: 'a', model, limits: { budget: { tokens: 1_000 } } }), 'go');
  await quiet();
  handle.abort('enough');
  const { status, totals } = await settled(handle);
  expect(status).toBe('aborted');
  expect(totals).toMatchObject({ outputTokens: 100, estimated: 1 });
  expect(totals.inputTokens).toBeGreaterThan(0);
});

test('a provider that says nothing of its tokens is counted by us, and marked', async () => {
  const silent: Model = {
    provider: 'test',
    id: 'silent',
    answer: () => modelAnswer({ ...looks, text: 'x'.repeat(400) }),
  };
  const { stopReason, totals, events } = await settled(start(walker({ tokens: 300 }, silent), 'go'));
  expect(stopReason).toMatchObject({ kind: 'budget', budget: 'tokens' });
  expect(totals.estimated).toBe(totals.modelCalls);
  expect(ofType(events, 'model.answered')[0]?.usage).toMatchObject({ isEstimate: true });
});

test('how much of each budget is used is in the view of rules, and of the agent’s own functions', async () => {
  const seen: (number | undefined)[][] = [];
  const one = agent({
    name: 'one',
    tools: [echo],
    decide: ({ tally }) => {
      seen.push([tally.budget?.steps?.fraction, tally.budget?.toolCalls?.fraction]);
      return act({ name: 'echo', input: { text: 'x' } });
    },
    limits: { budget: { steps: 4, toolCalls: 8 } },
  });
  await settled(start(one, 'go'));
  expect(seen).toEqual([
    [0, 0],
    [0.25, 0.125],
    [0.5, 0.25],
    [0.75, 0.375],
  ]);
});

test('an agent that wraps up does so before its budget is spent', async () => {
  const model = scriptedModel([costing(60), costing(36), costing(3, 'in short')]);
  const { name, tools } = { name: 'walker', tools: [echo] };
  const one = agent({ name, model, tools, limits: { budget: { tokens: 100 }, wrapUp: true } });
  const { output, events } = await settled(start(one, 'go'));
  expect(output).toBe('in short');
  expect(ofType(events, 'limit.neared').map(({ rule, stage }) => [rule, stage])).toEqual([
    ['budget', 'wrappingUp'],
  ]);
  expect(model.requests[2]?.toolChoice).toBe('none');
});

test('without a budget nothing of it is in the tally', async () => {
  const seen: unknown[] = [];
  const see = stopWhen('see', ({ tally }) => void seen.push('budget' in tally));
  const one = agent({ name: 'one', model: scriptedModel([looks, 'done']), tools: [echo], stop: see });
  await settled(start(one, 'go'));
  expect(seen).toEqual([false]);
});
