import { expect, test } from 'vitest';
import { z } from 'zod';
import { runtimeEventSchema } from '../../src/contracts/events/event.ts';
import type { StopReason } from '../../src/contracts/agents/stop-reason.ts';
import type { StopRule } from '../../src/contracts/agents/stop-rule.ts';
import { allOf, anyOf, nearestLimit } from '../../src/machines/stopping/composed-rules.ts';
import { byTool } from '../../src/machines/endings/endings.ts';
import { softCap, stagnation } from '../../src/machines/stopping/soft-rules.ts';
import { maxSteps, maxTime, maxTokens, maxToolCalls } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { echo, ofType, settled, start } from '../support/runs.ts';

const build = tool({
  name: 'build',
  description: 'Builds, or fails to.',
  input: z.object({ file: z.string(), works: z.boolean() }),
  retry: false,
  execute: ({ works }) => {
    if (!works) throw new Error('does not build');
    return 'built';
  },
});
const builds = (file: string, works: boolean) => calls({ name: 'build', input: { file, works } });
const looks = (text: string) => calls({ name: 'echo', input: { text } });
const many = (count: number) => Array.from({ length: count }, (_, index) => looks(`${index}`));
const costly = { ...looks('a'), usage: { input: 90, output: 20 } };

const run = async (script: readonly ScriptedReply[], options: object) => {
  const model = scriptedModel(script);
  const one = agent({ name: 'ada', model, tools: [echo, build], ...options });
  const result = await settled(start(one, 'go'));
  return { model, result, choices: model.requests.map(({ toolChoice }) => toolChoice ?? 'auto') };
};

test('[DODO-54] [D21] the fortieth call stops the run with a message, and not one before', async () => {
  const stop = [softCap({ name: 'tool calls', limit: 40, counts: () => true }), maxSteps(99)];
  expect((await run([...many(39), 'done'], { stop })).result.output).toBe('done');
  expect((await run(many(40), { stop })).result.stopReason).toEqual({
    kind: 'softCap',
    cap: 'tool calls',
    limit: 40,
    detail: 'tool calls: 40, and the limit is 40',
  });
});

test('[DODO-54] the third failed build stops it, and the model is warned before', async () => {
  const counts = ({ tool: name, ok }: { tool: string; ok: boolean }) => name === 'build' && !ok;
  const stop = softCap({ name: 'failed builds', limit: 3, warnAt: 2, message: 'No build.', counts });
  const script = [false, true, false, true, false].map((works, index) => builds(`${index}`, works));
  const { result, model } = await run(script, { stop });
  expect(result.stopReason).toMatchObject({ cap: 'failed builds', detail: 'No build.' });
  expect(model.requests[3]?.messages.at(-1)?.text).toContain('failed builds: 2 so far');
});

test('[DODO-54] things are counted apart where they have a key', async () => {
  const stop = softCap({
    name: 'failures',
    limit: 3,
    counts: ({ ok }, call) => !ok && z.object({ file: z.string() }).parse(call?.input).file,
  });
  const { result } = await run(
    ['a', 'b', 'a', 'b', 'a'].map((file) => builds(file, false)),
    { stop },
  );
  expect(result.stopReason).toMatchObject({ kind: 'softCap', key: 'a' });
  expect(result.totals.steps).toBe(5);
});

test('[QITOS-26] three equal steps are stagnation, two are not; the model may be warned', async () => {
  const options = { limits: { loops: false }, stop: stagnation({ warnAt: 2 }) };
  const same = looks('a');
  expect((await run([same, same, looks('b'), same, same, 'x'], options)).result.output).toBe('x');
  const { result, model } = await run([same, same, same], options);
  expect(result.stopReason).toEqual({ kind: 'stagnation', steps: 3 });
  expect(model.requests[2]?.messages.at(-1)?.text).toContain('Nothing has changed for 2 steps');
});

test('[QITOS-26] what has to change can be said, and rules with a memory compose', async () => {
  const stuck = stagnation({ steps: 4, of: ({ state }) => state });
  expect((await run(many(9), { stop: stuck })).result.totals.steps).toBe(4);
  expect((await run(many(9), { stop: anyOf(maxSteps(9), stuck) })).result.totals.steps).toBe(4);
  expect((await run(many(9), { stop: allOf(stuck, maxToolCalls(6)) })).result.totals.steps).toBe(6);
});

test('[TENEX-93] the model is warned, then has no tools, and its answer ends the run', async () => {
  const { result, model, choices } = await run([...many(8), 'so far'], {
    stop: maxSteps(10),
    limits: { wrapUp: { warnAt: 0.5, wrapUpAt: 0.8 } },
  });
  expect(choices).toEqual([...Array.from({ length: 8 }, () => 'auto'), 'none']);
  expect(result).toMatchObject({ status: 'completed', output: 'so far' });
  expect(model.requests[5]?.messages.at(-1)?.text).toContain('You have used 50 %');
  expect(model.requests[8]?.messages.at(-1)?.text).toContain('no more tools');
  expect(ofType(result.events, 'limit.neared').map(({ step, stage }) => [step, stage])).toEqual([
    [4, 'warned'],
    [7, 'wrappingUp'],
  ]);
});

test('[TENEX-93] calls that are made all the same are not carried out, and the limit is hard', async () => {
  const { result } = await run(many(5), { stop: maxSteps(3), limits: { wrapUp: true } });
  expect(result.stopReason).toEqual({ kind: 'maxSteps', limit: 3 });
  expect(result.totals).toMatchObject({ steps: 3, toolCalls: 2 });
});

test('[TENEX-93] a limit that was passed in one go leaves a step of grace, and then ends the run', async () => {
  const stop = maxTokens(100);
  const closing = await run([costly, 'so far'], { stop, limits: { wrapUp: true } });
  expect(closing.choices).toEqual(['auto', 'none']);
  expect(closing.result.output).toBe('so far');
  const forced = await run([costly, looks('b'), 'late'], { stop, limits: { wrapUp: true } });
  expect(forced.result.stopReason).toEqual({ kind: 'maxTokens', limit: 100 });
  expect(forced.result.totals.steps).toBe(2);
  const none = await run([costly, 'so far'], { stop, limits: { wrapUp: { graceSteps: 0 } } });
  expect(none.result.totals.steps).toBe(1);
  const bound = await run([costly, 'late'], { stop: [stop, maxSteps(1)], limits: { wrapUp: true } });
  expect(bound.result.totals.steps).toBe(1);
});

test('[TENEX-93] what was said and not accepted is told as partial', async () => {
  const options = { stop: { rules: maxSteps(4), ends: byTool({ attempts: 9 }) }, limits: { wrapUp: true } };
  const { result } = await run(['a draft', looks('a'), looks('b'), 'final'], options);
  expect(ofType(result.events, 'limit.neared').at(-1)).toMatchObject({ partial: 'a draft' });
  expect(result).toMatchObject({ output: 'final', autoCompleted: true });
});

test('[D25] the end by a limit is no success, and nobody who did not ask is hurried', async () => {
  const { result, choices } = await run(many(2), { stop: maxSteps(2) });
  expect(result).toMatchObject({ status: 'stopped', output: undefined });
  expect(choices).toEqual(['auto', 'auto']);
  expect(ofType(result.events, 'limit.neared')).toEqual([]);
});

test('[QITOS-27] a reason that there is not is refused, by the machine and by readers of events', async () => {
  const odd: StopRule = { name: 'odd', check: () => ({ kind: 'bored' }) as never };
  const { result } = await run(many(2), { stop: odd });
  expect(result.error?.message).toContain("it gave a reason that there is not, 'bored'");
  const last = result.events.at(-1);
  expect(runtimeEventSchema.safeParse(last).success).toBe(true);
  expect(runtimeEventSchema.safeParse({ ...last, stopReason: { kind: 'bored' } }).success).toBe(false);
});

test('[QITOS-25] each reason gives way to those before it', async () => {
  const rule = (name: string): StopRule => ({
    name,
    check: (): StopReason => ({ kind: 'rule', rule: name, detail: name }),
  });
  const same = Array.from({ length: 5 }, () => looks('a'));
  const stop = [rule('one'), rule('two')];
  const kindOf = async (script: readonly ScriptedReply[], options: object) =>
    (await run(script, options)).result.stopReason.kind;
  expect(await kindOf(['42'], { stop: { rules: stop, shouldStop: () => 'enough' } })).toBe('answered');
  expect(await kindOf(same, { stop: { rules: stop, shouldStop: () => 'enough' } })).toBe('agentCondition');
  expect((await run(same, { stop })).result.stopReason).toMatchObject({ rule: 'one' });
  expect(await kindOf(same, { stop: maxSteps(5) })).toBe('maxSteps');
  expect(await kindOf(same, { stop: maxSteps(6) })).toBe('loop');
});

test('how near a limit is each rule says, and the nearest counts', () => {
  const used = {
    modelCalls: 0,
    toolCalls: 3,
    inputTokens: 50,
    outputTokens: 10,
    cachedTokens: 0,
    retries: 0,
  };
  const tally = { ...used, startedAt: 1_000, now: 1_700 };
  const view = { step: 4, state: {}, tally, decision: undefined, results: [] };
  const rules = [maxSteps(10), maxTime(1_000), maxTokens(100), maxToolCalls(4)];
  expect(rules.map((rule) => rule.pressure?.(view))).toEqual([0.4, 0.7, 0.6, 0.75]);
  expect(nearestLimit(rules, view)).toEqual({ rule: 'maxToolCalls', used: 0.75 });
  expect(anyOf(...rules).pressure?.(view)).toBe(0.75);
  expect(allOf(...rules).pressure?.(view)).toBe(0.4);
  expect(maxSteps(5).pressure?.(view)).toBe(1);
});

test.each([
  [
    () => agent({ name: 'a', limits: { wrapUp: { warnAt: 0 } } }),
    'wrapUp.warnAt is not a number above 0 and at most 1: found 0',
  ],
  [
    () => agent({ name: 'a', limits: { wrapUp: { wrapUpAt: 0.5 } } }),
    'wrapUp.wrapUpAt is not a fraction from 0.8: found 0.5',
  ],
  [() => stagnation({ steps: 1 }), 'its steps is not a whole number from 2: found 1'],
  [
    () => softCap({ name: 'x', limit: 0, counts: () => true }),
    'its limit is not a whole number from 1: found 0',
  ],
])('numbers that bound nothing are refused: %#', (make, message) => {
  expect(make).toThrow(message);
});
