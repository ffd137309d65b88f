import { describe, expect, test } from 'vitest';
import { answer } from '../../src/contracts/agents/decision.ts';
import { maxSteps, maxTime, maxTokens, maxToolCalls } from '../../src/machines/stopping/stop-rules.ts';
import { byTool } from '../../src/machines/endings/endings.ts';
import { stagnation } from '../../src/machines/stopping/soft-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { progressCritic } from '../../src/runtime/critics/progress-critic.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { supervisorWorker } from '../../src/patterns/index.ts';
import { settled, start } from '../support/runs.ts';

const worker = agent({ name: 'worker', decide: () => answer('done') });

const NONSENSE = [0, -1, 1.5, Number.NaN, Infinity];

test.each(NONSENSE)('no agent and no team works on %s things at a time', (count) => {
  expect(() => agent({ name: 'a', limits: { toolConcurrency: count } })).toThrow(
    expect.objectContaining({
      code: 'agent.invalid',
      message: `Cannot define the agent 'a' as its limits.toolConcurrency is no whole number from 1: ${String(count)}`,
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
    message: `Cannot run 'worker' as its store is no journal store: write store: sqliteStore('./runs.db') of troupe/stores, found ${found}`,
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
        message: `Cannot define the agent 'a' as its ${option} is no model: write 'provider:model' or an object with answer(), found ${found}`,
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
        `${option} is no list: write \`${option}: [ … ]\`, found {"worker":1}`,
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
      message: `Cannot define an agent as its options are no object: ${found}`,
    }),
  );
});

test.each([
  [{ limits: { budget: { timeMs: '200' } } }, "budget.timeMs is no number from 0: '200'"],
  [{ limits: { budget: { steps: '3' } } }, "budget.steps is no whole number from 1: '3'"],
  [{ limits: { budget: { warnAt: '0.5' } } }, "budget.warnAt is no number above 0 and at most 1: '0.5'"],
  [{ limits: { maxDepth: '2' } }, "limits.maxDepth is no whole number from 0: '2'"],
  [{ limits: { loops: { warnAt: '2' } } }, "loops.warnAt is no whole number from 2: '2'"],
  [{ limits: { wrapUp: { warnAt: '0.5' } } }, "wrapUp.warnAt is no fraction above 0: '0.5'"],
  [{ limits: { wrapUp: { wrapUpAt: '0.9' } } }, "wrapUp.wrapUpAt is no fraction above 0: '0.9'"],
  [{ failures: { recovery: {}, timeoutMs: '200' } }, "timeoutMs is no time above 0: '200'"],
  [{ failures: { recovery: { limit: '2' } } }, "recovery.limit is no whole number from 1: '2'"],
  [{ limits: { toolConcurrency: '2' } }, "toolConcurrency is no whole number from 1: '2'"],
  [
    { failures: { retry: { adaptive: { steps: '2' } } } },
    "retry.adaptive.steps is no whole number from 1: '2'",
  ],
  [{ mailbox: { capacity: '5' } }, "mailbox.capacity is no whole number from 1: '5'"],
  [
    { conversation: { compaction: { budget: { soft: '9' } } } },
    "compaction.budget.soft is no number from 1: '9'",
  ],
  [{ failures: { asMember: { poisonAfter: '2' } } }, "poisonAfter is no whole number from 1: '2'"],
])('a text of digits is no number, and is quoted where it is refused: %j', (options, found) => {
  expect(() => Reflect.apply(agent, undefined, [{ name: 'a', ...options }])).toThrow(
    expect.objectContaining({ code: 'agent.invalid', message: expect.stringContaining(found) }),
  );
});

test('none is a bound of rejections and of rounds, but no number is not', () => {
  expect(() => agent({ name: 'a', limits: { maxRejections: 0 } })).not.toThrow();
  expect(() => agent({ name: 'a', limits: { maxRejections: Number.NaN } })).toThrow(
    /maxRejections is no whole number from 0: NaN/,
  );
  const team = { name: 't', supervisor: {}, workers: { worker } };
  expect(() => supervisorWorker({ ...team, maxRounds: 0 })).not.toThrow();
  expect(() => supervisorWorker({ ...team, maxRounds: Infinity })).toThrow(
    /maxRounds is no whole number from 0/,
  );
});

test.each([
  [() => Reflect.apply(maxSteps, undefined, ['5']), "limit is no whole number from 1: '5'"],
  [() => Reflect.apply(maxTime, undefined, ['5']), "limit is no number from 0: '5'"],
  [() => Reflect.apply(stagnation, undefined, [{ steps: '5' }]), "steps is no whole number from 2: '5'"],
  [() => Reflect.apply(byTool, undefined, [{ attempts: '5' }]), "attempts are no whole number from 1: '5'"],
  [
    () => Reflect.apply(progressCritic, undefined, [{ every: '5' }]),
    "'every' is no whole number from 1: '5'",
  ],
  [() => Reflect.apply(createGlobalEngine, undefined, [{ concurrency: '5' }]), "(or Infinity): '5'"],
])('nor is it where a rule, a critic or an engine is made: %#', (make, found) => {
  expect(make).toThrow(expect.objectContaining({ message: expect.stringContaining(found) }));
});

describe('a stop rule whose limit could never be reached, or always is, is refused where it is made', () => {
  test.each([0, -1, 1.5, Number.NaN, -Infinity, '5', undefined])('%s counts nothing', (limit) => {
    for (const rule of [maxSteps, maxTokens, maxToolCalls])
      expect(() => Reflect.apply(rule, undefined, [limit])).toThrow(
        expect.objectContaining({
          code: 'agent.invalid',
          message: expect.stringMatching(/^Cannot stop by max\w+ as its limit is no whole number from 1: /),
        }),
      );
  });

  test.each([-1, Number.NaN, '5', undefined])('%s is no time', (limit) => {
    expect(() => Reflect.apply(maxTime, undefined, [limit])).toThrow(
      /maxTime as its limit is no number from 0/,
    );
  });

  test('no time at all, and no limit, are limits', () => {
    for (const rule of [maxSteps(Infinity), maxTime(Infinity), maxTime(0), maxTime(0.5)])
      expect(() => agent({ name: 'a', stop: rule })).not.toThrow();
  });
});

test.each([0, -1, Number.NaN])('a run that may do %s things at a time does one', async (concurrency) => {
  expect((await settled(start(worker, 'go', { concurrency }))).output).toBe('done');
});
