import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { toolset, wrapTool } from '../../src/tools/wrappers/compose.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { perform, performNow } from './tool-context.ts';

const double = tool({
  name: 'double',
  description: 'Doubles.',
  input: z.object({ a: z.number() }),
  tags: ['math'],
  execute: ({ a }) => a * 2,
});

test('[QITOS-44] a toolset needs a name that can be a namespace', () => {
  expect(toolset({ name: 'math', tools: [double] })).toEqual({ name: 'math', tools: [double] });
  expect(() => toolset({ name: 'a.b', tools: [] })).toThrow("Cannot define toolset 'a.b'");
});

test('[TENEX-95] [M25] a wrapped tool is the same tool with something around its execution', async () => {
  const wrapped = wrapTool(double, async (input, _, next) => `${String(await next(input))}!`);
  expect({ ...wrapped }).toEqual({
    ...double,
    ...Object.fromEntries(
      ['check', 'describe', 'execute', 'needsApproval'].map((key) => [key, expect.any(Function)]),
    ),
  });
  expect(await perform(wrapped, { a: 2 })).toMatchObject({ text: '4!' });
});

test('[M25] an interceptor sees checked input only, and may answer itself', () => {
  const seen: unknown[] = [];
  const cached = wrapTool(double, (input) => {
    seen.push(input);
    return 'from the cache';
  });
  expect(performNow(cached, { a: 'x' })).toMatchObject({ kind: 'validation' });
  expect(performNow(cached, { a: 1 })).toMatchObject({ value: 'from the cache' });
  expect(seen).toEqual([{ a: 1 }]);
});

test('[M25] a wrapped tool that gives work away in the background still finds whom it gives it to', async () => {
  const worker = agent({ name: 'worker', model: scriptedModel(['It is dug.']) });
  const wrapped = wrapTool(
    delegate({ to: [worker], mode: 'background', beforeEnd: 'wait' }),
    (input, _, next) => next(input),
  );
  const model = scriptedModel([
    calls({ name: 'delegate', input: { to: 'worker', task: 'Dig.' } }),
    'Is it done?',
    ({ instructions, messages }) => {
      expect(instructions).toContain('worker');
      expect(JSON.stringify(messages)).toContain('It is dug.');
      return 'It is done.';
    },
  ]);
  const { output } = await agent({ name: 'lead', model, tools: [wrapped] }).run('Have it dug.');
  expect(output).toBe('It is done.');
});
