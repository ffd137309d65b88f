import { describe, expect, test } from 'vitest';
import { answer } from '../../src/contracts/agents/decision.ts';
import { maxSteps, maxTime, maxTokens, maxToolCalls } from '../../src/machines/stopping/stop-rules.ts';
import { byTool } from '../../src/machines/endings/endings.ts';
import { stagnation } from '../../src/machines/stopping/soft-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { progressCritic } from '../../src/runtime/critics/progress-critic.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { supervisorWorker } from '../../src/patterns/index.ts';
import { start } from '../support/runs.ts';

const worker = agent({ name: 'worker', decide: () => answer('done') });

const NONSENSE = [0, -1, 1.5, Number.NaN, Infinity];

test.each(NONSENSE)('no agent and no team works on %s things at a time', (count) => {
  expect(() => agent({ name: 'a', limits: { toolConcurrency: count } })).toThrow(
    expect.objectContaining({
      code: 'agent.invalid',
      message: `Cannot define the agent 'a' as its limits.toolConcurrency is not a whole number from 1: found ${String(count)}`,
    }),
  );
  const team = { name: 't', supervisor: {}, workers: { worker } };
  expect(() => supervisorWorker({ ...team, concurrency: count })).toThrow(
    expect.objectContaining({
      code: 'team.invalid',
      message: expect.stringMatching(/'t' as its concurrency/),
    }),
  );
  expect(() => supervisorWorker({ ...team, maxAssignments: count })).toThrow(
    expect.objectContaining({ code: 'team.invalid' }),
  );
});

test.each([
  ["'./runs.db'", './runs.db'],
  ['null', null],
  ['{}', {}],
])('a store that is none is refused before anything is asked of it: %s', async (found, store) => {
  const options = JSON.parse(JSON.stringify({ store }));
  await expect(worker.run('x', options)).rejects.toMatchObject({
    code: 'input.invalid',
    message: `Cannot run 'worker' as its store is not a journal store: found ${found}, write one of troupe/stores, such as sqliteStore('./runs.db')`,
  });
});

test.each([
  ['model', '{"doGenerate":"[function doGenerate]"}', { doGenerate: () => 1 }],
  ['model[0]', 'null', [null]],
])(
  'a model of another library, which answers nothing here, is refused in one line: %s',
  (option, found, model) => {
    expect(() => Reflect.apply(agent, undefined, [{ name: 'a', model }])).toThrow(
      expect.objectContaining({
        code: 'agent.invalid',
        message: `Cannot define the agent 'a' as its ${option} is not a model: found ${found}, write 'provider:model' or an object with answer()`,
      }),
    );
  },
);

test.each([
  ['tools', { tools: { worker: 1 } }],
  ['hooks', { hooks: { worker: 1 } }],
  ['critics', { critics: { worker: 1 } }],
  ['fragments', { conversation: { fragments: { worker: 1 } } }],
])('an agent whose %s are no list is refused in one line', (option, options) => {
  expect(() => Reflect.apply(agent, undefined, [{ name: 'a', ...options }])).toThrow(
    expect.objectContaining({
      code: 'agent.invalid',
      message: expect.stringContaining(
        `${option} is not a list: found {"worker":1}, write \`${option}: [ … ]\``,
      ),
    }),
  );
});

test.each([
  [[], 'nothing'],
  [[null], 'null'],
  [[42], '42'],
])('an agent made from no options at all is refused in one line: %j', (given, found) => {
  expect(() => Reflect.apply(agent, undefined, given)).toThrow(
    expect.objectContaining({
      code: 'agent.invalid',
      message: `Cannot define an agent as its options are not an object: found ${found}`,
    }),
  );
});

test.each([
  [{ limits: { budget: { timeMs: '200' } } }, "budget.timeMs is not a number from 0: found '200'"],
  [{ limits: { budget: { steps: '3' } } }, "budget.steps is not a whole number from 1: found '3'"],
  [
    { limits: { budget: { warnAt: '0.5' } } },
    "budget.warnAt is not a number above 0 and at most 1: found '0.5'",
  ],
  [{ limits: { maxDepth: '2' } }, "limits.maxDepth is not a whole number from 0: found '2'"],
  [{ limits: { loops: { warnAt: '2' } } }, "loops.warnAt is not a whole number from 2: found '2'"],
  [
    { limits: { wrapUp: { warnAt: '0.5' } } },
    "wrapUp.warnAt is not a number above 0 and at most 1: found '0.5'",
  ],
  [
    { limits: { wrapUp: { wrapUpAt: '0.9' } } },
    "wrapUp.wrapUpAt is not a number above 0 and at most 1: found '0.9'",
  ],
  [{ failures: { recovery: {}, timeoutMs: '200' } }, "timeoutMs is not a time above 0, in ms: found '200'"],
  [{ failures: { recovery: { limit: '2' } } }, "recovery.limit is not a whole number from 1: found '2'"],
  [{ limits: { toolConcurrency: '2' } }, "toolConcurrency is not a whole number from 1: found '2'"],
  [
    { failures: { retry: { adaptive: { steps: '2' } } } },
    "retry.adaptive.steps is not a whole number from 1: found '2'",
  ],
  [{ mailbox: { capacity: '5' } }, "mailbox.capacity is not a whole number from 1: found '5'"],
  [
    { conversation: { compaction: { budget: { soft: '9' } } } },
    "compaction.budget.soft is not a number from 1: found '9'",
  ],
  [{ failures: { asMember: { poisonAfter: '2' } } }, "poisonAfter is not a whole number from 1: found '2'"],
])('a text of digits is no number, and is quoted where it is refused: %j', (options, found) => {
  expect(() => Reflect.apply(agent, undefined, [{ name: 'a', ...options }])).toThrow(
    expect.objectContaining({ code: 'agent.invalid', message: expect.stringContaining(found) }),
  );
});

test('none is a bound of rejections and of rounds, but no number is not', () => {
  expect(() => agent({ name: 'a', limits: { maxRejections: 0 } })).not.toThrow();
  expect(() => agent({ name: 'a', limits: { maxRejections: Number.NaN } })).toThrow(
    /maxRejections is not a whole number from 0: found NaN/,
  );
  const team = { name: 't', supervisor: {}, workers: { worker } };
  expect(() => supervisorWorker({ ...team, maxRounds: 0 })).not.toThrow();
  expect(() => supervisorWorker({ ...team, maxRounds: Infinity })).toThrow(
    /maxRounds is not a whole number from 0/,
  );
});

test.each([
  [() => Reflect.apply(maxSteps, undefined, ['5']), "limit is not a whole number from 1: found '5'"],
  [() => Reflect.apply(maxTime, undefined, ['5']), "limit is not a number from 0: found '5'"],
  [
    () => Reflect.apply(stagnation, undefined, [{ steps: '5' }]),
    "steps is not a whole number from 2: found '5'",
  ],
  [
    () => Reflect.apply(byTool, undefined, [{ attempts: '5' }]),
    "attempts are not a whole number from 1: found '5'",
  ],
  [
    () => Reflect.apply(progressCritic, undefined, [{ every: '5' }]),
    "'every' is not a whole number from 1: found '5'",
  ],
  [() => Reflect.apply(createGlobalEngine, undefined, [{ concurrency: '5' }]), "(or Infinity): found '5'"],
])('nor is it where a rule, a critic or an engine is made: %#', (make, found) => {
  expect(make).toThrow(expect.objectContaining({ message: expect.stringContaining(found) }));
});

describe('a stop rule whose limit could never be reached, or always is, is refused where it is made', () => {
  test.each([0, -1, 1.5, Number.NaN, -Infinity, '5', undefined])('%s counts nothing', (limit) => {
    for (const rule of [maxSteps, maxTokens, maxToolCalls])
      expect(() => Reflect.apply(rule, undefined, [limit])).toThrow(
        expect.objectContaining({
          code: 'agent.invalid',
          message: expect.stringMatching(
            /^Cannot stop by max\w+ as its limit is not a whole number from 1: found /,
          ),
        }),
      );
  });

  test.each([-1, Number.NaN, '5', undefined])('%s is no time', (limit) => {
    expect(() => Reflect.apply(maxTime, undefined, [limit])).toThrow(
      /maxTime as its limit is not a number from 0/,
    );
  });

  test('no time at all, and no limit, are limits', () => {
    for (const rule of [maxSteps(Infinity), maxTime(Infinity), maxTime(0), maxTime(0.5)])
      expect(() => agent({ name: 'a', stop: rule })).not.toThrow();
  });
});

test.each([0, -1, Number.NaN])('a run that may do %s things at a time is refused', (concurrency) => {
  expect(() => start(worker, 'go', { limits: { concurrency } })).toThrow(
    `Cannot run 'worker' as its limits.concurrency is not a number from 1: found ${concurrency}`,
  );
});
