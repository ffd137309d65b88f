import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calculate } from '../../src/tools/built-in/calculator.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { failed } from '../../src/tools/calls/tool-result.ts';

const orders = new Map([['1', 'shipped']]);
const status = tool({
  name: 'status',
  description: 'The status of an order.',
  input: z.object({ id: z.string() }),
  output: z.string(),
  execute: ({ id }) => orders.get(id) ?? failed(`Error: order ${id} not found`),
});

describe('a tool that fails', () => {
  test('[FIND-43] does so in its own words: nothing stands before them', async () => {
    let attempts = 0;
    const later = tool({
      name: 'later',
      description: 'Fails later.',
      input: z.object({}),
      execute: async () => {
        attempts += 1;
        await Promise.resolve();
        failed('Error: no seats', { details: { seats: 0 } });
      },
    });
    const { records } = await agent({
      name: 'clerk',
      tools: [status, later],
      decide: ({ step }) =>
        step === 0
          ? act(
              { name: 'status', input: { id: '2' } },
              { name: 'later', input: {} },
              { name: 'status', input: { id: '1' } },
            )
          : answer('done'),
    }).run('go');
    expect(records.flatMap(({ results }) => results)).toMatchObject([
      { ok: false, text: 'Error: order 2 not found', error: { code: 'tool.failed' } },
      { ok: false, text: 'Error: no seats', error: { details: { seats: 0 } } },
      { ok: true, text: 'shipped' },
    ]);
    expect(attempts).toBe(1);
  });
});

test.each<[unknown, string]>([
  [undefined, 'It failed, and no reason was given.'],
  [null, 'It failed, and no reason was given.'],
  [5, '5'],
  [{ code: 'E1' }, '{"code":"E1"}'],
  [new Error('no seats'), 'no seats'],
])('a tool that fails with %j in place of a text fails its call, not the run', async (given, text) => {
  const odd = tool({
    name: 'odd',
    description: 'Fails with what another library said.',
    input: z.object({}),
    execute: () => Reflect.apply(failed, undefined, [given]) as never,
  });
  const thrower = tool({
    name: 'thrower',
    description: 'Throws an error without a text.',
    input: z.object({}),
    execute: () => {
      throw Reflect.construct(TroupeError, ['tool.failed', given]) as TroupeError;
    },
  });
  const { output, records } = await agent({
    name: 'clerk',
    tools: [odd, thrower],
    decide: ({ step }) =>
      step === 0 ? act({ name: 'odd', input: {} }, { name: 'thrower', input: {} }) : answer('recovered'),
  }).run('go');
  expect(output).toBe('recovered');
  expect(records[0]?.results).toMatchObject([
    { ok: false, text, error: { code: 'tool.failed', message: text } },
    { ok: false, error: { code: 'tool.failed' } },
  ]);
});

describe('an agent without own limits', () => {
  test.each([20, 49])('[FIND-43] answers after %i calls', async (calls) => {
    const { status: end, totals } = await agent({
      name: 'clerk',
      tools: [status],
      decide: ({ step }) => (step < calls ? act({ name: 'status', input: { id: '1' } }) : answer('done')),
    }).run('go');
    expect({ end, steps: totals.steps }).toEqual({ end: 'completed', steps: calls + 1 });
  });
});

describe('the calculator', () => {
  test.each([
    ['7 // 2', 3],
    ['-7 // 2', -4],
    ['7 // 2 * 2', 6],
    ['17 % 5 // 2', 1],
    ['2 ** 3 ** 2', 512],
    ['2^-1', 0.5],
    ['-2**2', -4],
    ['(1 + 2) // (1)', 3],
    ['100 // 7 % 4', 2],
    ['round(10 / 3, 2)', 3.33],
    ['--3', 3],
  ])('[FIND-43] knows %s', (formula, value) => {
    expect(calculate(formula)).toBe(value);
  });

  test.each(['7 /// 2', '// 2', '7 //', '1 2', 'max', 'max 1', 'max()', '(1', '1)', '2 * * 3', '1,2'])(
    '[FIND-43] %s is no formula',
    (formula) => {
      expect(() => calculate(formula)).toThrow(expect.objectContaining({ code: 'tool.input-invalid' }));
    },
  );
});
