import { z } from 'zod';
import { expect, test } from 'vitest';
import { act, answer, wait } from '../../src/contracts/agents/decision.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { dual } from '../../src/tools/calls/tool-result.ts';
import { quiet, settled, start } from '../support/runs.ts';

const draws = (name: string) =>
  tool({
    name,
    description: `Draws ${name}.`,
    input: z.object({}),
    execute: () =>
      dual({
        text: 'drawn',
        artifacts: [{ name: `${name}.svg`, mediaType: 'image/svg+xml', content: '<svg/>' }],
      }),
  });

test('the result of a run within a run holds what is its own, that of the whole holds all', async () => {
  const parts: RunResult<unknown>[] = [];
  const painter = agent({
    name: 'painter',
    tools: [draws('moon')],
    decide: ({ step }) => (step === 0 ? act({ name: 'moon', input: {} }) : answer('painted')),
  });
  const commission = tool({
    name: 'commission',
    description: 'Has something painted.',
    input: z.object({}),
    execute: async (_, context) => {
      const part = await context.run(painter, 'the moon');
      parts.push(part);
      return part.output;
    },
  });
  const patron = agent({
    name: 'patron',
    tools: [draws('frame'), commission],
    decide: ({ step }) =>
      [act({ name: 'frame', input: {} }), act({ name: 'commission', input: {} })][step] ?? answer('hung'),
  });
  const whole = await settled(start(patron, 'go'));
  const [part] = parts;
  expect(part?.artifacts.map(({ name }) => name)).toEqual(['moon.svg']);
  expect(new Set(part?.effects.map(({ path }) => path))).toEqual(new Set(['patron/painter-1']));
  expect(part?.effects).toEqual(part?.effects);
  expect(whole.artifacts.map(({ name }) => name)).toEqual(['frame.svg', 'moon.svg']);
  expect(new Set(whole.effects.map(({ path }) => path))).toEqual(new Set(['patron', 'patron/painter-1']));
});

test('a run within a run that nobody awaited is called off with the run, and says so', async () => {
  const ends: unknown[] = [];
  const sleeper = agent({ name: 'sleeper', decide: () => wait('for ever') });
  const careless = tool({
    name: 'careless',
    description: 'Starts something and forgets it.',
    input: z.object({}),
    execute: (_, context) => {
      context.run(sleeper, 'sleep').then(
        (part) => ends.push(part.status),
        (error: unknown) => ends.push(error),
      );
      return 'started';
    },
  });
  const boss = agent({
    name: 'boss',
    tools: [careless],
    decide: ({ step }) => (step === 0 ? act({ name: 'careless', input: {} }) : answer('done')),
  });
  expect((await settled(start(boss, 'go'))).output).toBe('done');
  await quiet();
  expect(ends).toMatchObject([{ code: 'run.aborted' }]);
});
