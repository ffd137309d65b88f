import { expect, test } from 'vitest';
import { z } from 'zod';
import type { LoopLimits } from '../../src/contracts/agents/ending.ts';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { ofType, settled, start } from '../support/runs.ts';

const read = tool({
  name: 'read',
  description: 'Reads.',
  input: z.object({ file: z.string(), at: z.number().optional() }),
  execute: ({ file }) => `text of ${file}`,
});
const reads = (file: string, at?: number) =>
  calls({ name: 'read', input: at === undefined ? { file } : { file, at } });
/** A call for each letter. */
const reading = (files: string) => files.split('').map((file) => reads(file));

const run = async (script: readonly ScriptedReply[], loops?: false | Partial<LoopLimits>) => {
  const model = scriptedModel(script);
  const one = agent({ name: 'ada', model, tools: [read], limits: { loops }, stop: maxSteps(40) });
  const result = await settled(start(one, 'go'));
  /** The requests that end with a word of warning, by number from 1. */
  const warned = model.requests.flatMap(({ messages }, index) =>
    messages.at(-1)?.text.includes('in circles') === true ? [index + 1] : [],
  );
  return { result, warned };
};

test('[TENEX-U4] the third call of a kind with the same result is flagged, and told once', async () => {
  const { result, warned } = await run([...reading('aaaa'), 'enough']);
  expect(warned).toEqual([4]);
  expect(ofType(result.events, 'loop.warned')).toMatchObject([
    { step: 2, period: 1, repeats: 3, tools: ['read'] },
  ]);
  expect(result.output).toBe('enough');
});

test('[F27] at five in a row the run ends, and says what it did', async () => {
  const { result } = await run([...reading('aaaaa'), 'too late']);
  expect(result.stopReason).toEqual({ kind: 'loop', period: 1, repeats: 5, tools: ['read'] });
  expect(result).toMatchObject({ status: 'stopped', output: undefined, totals: { steps: 5 } });
});

test.each([
  ['abababababab', 2, 6, 10],
  ['abcabcabcabcabc', 3, 9, 15],
  ['abcdabcdabcdabcdabcd', 4, 12, 20],
])('[F27] %s goes round in %i', async (files, period, warnedAfter, steps) => {
  const { result, warned } = await run([...reading(files), 'x']);
  expect(warned).toEqual([warnedAfter + 1]);
  expect(result.stopReason).toMatchObject({ kind: 'loop', period, repeats: 5 });
  expect(result.totals.steps).toBe(steps);
});

test('[F27] real work repeats calls: two are never a loop, and neither are five a round', async () => {
  for (const files of ['aabbccaabb', 'abab', 'abcdeabcdeabcdeabcde']) {
    const { result, warned } = await run([...reading(files), 'done']);
    expect(warned).toEqual([]);
    expect(ofType(result.events, 'loop.warned')).toEqual([]);
    expect(result.output).toBe('done');
  }
});

test('[QITOS-85] another input breaks the row, and it has to build up again', async () => {
  const { result, warned } = await run([...reading('aaabaaaabaaaa'), 'done']);
  expect(warned).toEqual([4, 8, 13]);
  expect(result.output).toBe('done');
});

test('[QITOS-85] keys that mean nothing are not compared where they are named', async () => {
  const script = [0, 1, 2, 3, 4].map((at) => reads('a', at));
  expect((await run([...script, 'done'])).result.output).toBe('done');
  expect((await run([...script, 'done'], { ignore: ['at'] })).result.stopReason.kind).toBe('loop');
});

test('[QITOS-85] the limits are knobs: warned from the fourth, stopped at the eighth', async () => {
  const { result, warned } = await run([...reading('aaaaaaaa'), 'done'], { warnAt: 4, stopAt: 8 });
  expect(warned).toEqual([5]);
  expect(result.stopReason).toMatchObject({ kind: 'loop', repeats: 8 });
});

test('switched off, nobody looks', async () => {
  const { result, warned } = await run([...reading('aaaaaaaaaa'), 'done'], false);
  expect(warned).toEqual([]);
  expect(result.output).toBe('done');
});

test('what the agent’s own code repeats it repeats on purpose', async () => {
  const polls = agent({
    name: 'polls',
    tools: [read],
    decide: ({ step }) => (step < 8 ? act({ name: 'read', input: { file: 'a' } }) : answer('ready')),
  });
  expect((await settled(start(polls, 'go'))).output).toBe('ready');
});

test.each([
  [{ warnAt: 1 }, 'loops.warnAt is not a whole number from 2: found 1'],
  [{ warnAt: NaN }, 'loops.warnAt is not a whole number from 2: found NaN'],
  [{ warnAt: 6 }, 'loops.warnAt is past stopAt, 5 by default: found 6'],
])('limits of %j are refused', (loops, message) => {
  expect(() => agent({ name: 'a', limits: { loops } })).toThrow(
    `Cannot define the agent 'a' as its limits.${message}`,
  );
});
