import { expect, test } from 'vitest';
import { progressCritic } from '../../src/patterns/index.ts';
import type { ProgressOptions } from '../../src/runtime/critics/progress-critic.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, letTimePass, never, ofType, phasesOf, settled, start } from '../support/runs.ts';

const goesOn = JSON.stringify({ verdict: 'continue', reason: 'it learns' });
const isStuck = JSON.stringify({ verdict: 'stop', reason: 'it reads the same page' });
const works = (steps: number): readonly ScriptedReply[] =>
  Array.from({ length: steps }, (_, index) => calls({ name: 'echo', input: { text: `${index}` } }));

const watched = async (
  script: readonly ScriptedReply[],
  looks: readonly ScriptedReply[],
  options: Partial<ProgressOptions> = {},
) => {
  const clock = virtualClock();
  const monitor = scriptedModel(looks, 'cheap');
  const one = agent({
    name: 'ada',
    model: scriptedModel(script),
    tools: [echo],
    stop: maxSteps(200),
    critics: [progressCritic({ model: monitor, ...options })],
  });
  const result = await letTimePass(clock, settled(start(one, 'read it', { clock })), 10_000);
  const steps = ofType(result.events, 'step.ended').filter(({ path }) => path === 'ada').length;
  const judged = phasesOf(result.events, 'ada').filter((phase) => phase === 'CRITIC');
  return { result, steps, asked: monitor.requests, judged };
};

test('[TENEX-U5] the fiftieth step asks the monitor once, and no other step so much as enters CRITIC', async () => {
  const before = await watched([...works(49), 'done'], []);
  expect(before.result.output).toBe('done');
  expect(before.asked).toHaveLength(0);
  const { result, asked, judged } = await watched([...works(60), 'done'], [goesOn]);
  expect(result.output).toBe('done');
  expect(asked).toHaveLength(1);
  expect(JSON.parse(asked[0]?.messages.at(-1)?.text ?? '')).toMatchObject({ task: 'read it', steps: 50 });
  const [at] = ofType(result.events, 'agent.critiqued');
  expect(at).toMatchObject({ step: 49, verdict: 'accept' });
  // The answer of the last step is the other one.
  expect(judged).toHaveLength(2);
});

test('[TENEX-U5] what the monitor says is done: the run goes on from look to look, and stops at the word', async () => {
  const { result, steps, asked } = await watched(works(9), [goesOn, isStuck], { every: 3 });
  expect(asked).toHaveLength(2);
  expect(steps).toBe(6);
  expect(result.stopReason).toEqual({
    kind: 'criticStopped',
    note: 'no progress after 6 steps: it reads the same page',
  });
});

test.each<[string, ScriptedReply]>([
  ['fails', new Error('no power')],
  ['gives no verdict', '{"verdict":"perhaps"}'],
  ['never answers', () => never<ScriptedReply>()],
])('[TENEX-U5] a monitor that %s stops the run', async (_, look) => {
  const { result, steps } = await watched(works(4), [look, look, look], { every: 2 });
  expect(steps).toBe(2);
  expect(result.stopReason.kind).toBe('criticStopped');
  expect(ofType(result.events, 'critic.failed')).toHaveLength(1);
});

test('critics that look now and then go by their own steps, and answers are for the others', async () => {
  const seen: string[] = [];
  const looks = (name: string, every?: number) => ({
    name,
    ...(every === undefined ? {} : { each: 'step' as const, every }),
    critique: ({ step, candidate }: { step: number; candidate?: unknown }) => {
      seen.push(`${name} ${step + 1}${candidate === undefined ? '' : ' answer'}`);
      return { verdict: 'accept' as const };
    },
  });
  const one = agent({
    name: 'ada',
    model: scriptedModel([...works(6), 'done']),
    tools: [echo],
    critics: [looks('two', 2), looks('three', 3), looks('answers')],
  });
  await settled(start(one, 'go'));
  expect(seen).toEqual(['two 2', 'three 3', 'two 4', 'two 6', 'three 6', 'answers 7 answer']);
});

test.each([
  [
    () => progressCritic({ model: scriptedModel([]), every: 0 }),
    "'every' is not a whole number from 1: found 0",
  ],
  [
    () => agent({ name: 'a', critics: [{ name: 'c', every: 2, critique: () => ({ verdict: 'accept' }) }] }),
    "critics[0].every is of no use without `each: 'step'`: found 2",
  ],
])('what cannot be honoured is refused: %#', (make, message) => {
  expect(make).toThrow(message);
});
