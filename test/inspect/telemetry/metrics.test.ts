import { expect, test } from 'vitest';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import { metrics } from '../../../src/inspect/telemetry/metrics/metrics.ts';
import { snapshotAsPrometheus } from '../../../src/inspect/telemetry/metrics/prometheus.ts';
import type { MetricsSnapshot } from '../../../src/inspect/telemetry/metrics/snapshot.ts';
import { createGlobalEngine } from '../../../src/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { parallel } from '../../../src/patterns/parallel.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { z } from 'zod';
import { letTimePass, settled, start } from '../../support/runs.ts';
import { desk, slowModel, slowTool } from './telemetry-kit.ts';

const idle = {
  runs: 0,
  actors: 0,
  modelCalls: 0,
  toolCalls: 0,
  waitingCalls: 0,
  streams: 0,
  streamedCharacters: 0,
};

const within = (value: number | undefined, expected: number): void => {
  expect(Math.abs((value ?? 0) - expected)).toBeLessThanOrEqual(expected * 0.01);
};

test('[TENEX-76] [M52] counts, tokens and times of a run are those of its script', async () => {
  const clock = virtualClock();
  const counted = metrics({ chunks: true });
  await letTimePass(clock, start(desk(clock), 'When?', { clock, hooks: [counted] }).result, 10);
  const { runs, steps, retries, errors, now, models, tools, agents, phases, runTimes } = counted.snapshot();
  expect({ runs, steps, retries, errors, now }).toEqual({
    runs: { started: 1, completed: 1, stopped: 0, aborted: 0, failed: 0 },
    steps: 5,
    retries: { model: 1, tool: 0, member: 0 },
    errors: { 'model.unavailable': 1 },
    now: idle,
  });
  const large = models.find(({ name }) => name === 'example:large');
  expect(large).toMatchObject({
    done: 4,
    failed: 1,
    inputTokens: 400,
    outputTokens: 40,
    cachedTokens: 160,
    reasoningTokens: 12,
    unpriced: 4,
  });
  expect(large?.durationMs).toMatchObject({ count: 5, sum: 1_400, min: 100, max: 400 });
  within(large?.durationMs.p50, 400);
  within(models.find(({ name }) => name === 'example:small')?.firstChunkMs.p99, 50);
  expect(tools).toMatchObject([{ name: 'search', done: 1, durationMs: { count: 1, sum: 250 } }]);
  expect(agents.map(({ name, done }) => [name, done])).toEqual([
    ['desk-supervisor', 2],
    ['researcher', 1],
    ['writer', 1],
    ['line', 1],
    ['desk', 1],
  ]);
  expect(phases.find(({ name }) => name === 'ACT')?.durationMs.sum).toBe(250);
  expect(runTimes).toMatchObject([{ name: 'desk', done: 1 }]);
});

test('[TENEX-77] each gauge is above 0 while there is something, and 0 at the end, also after a failure', async () => {
  const clock = virtualClock();
  const counted = metrics({ chunks: true });
  const busy = agent({
    name: 'busy',
    model: slowModel(clock, 'm', 100, [
      {
        text: 'Let me see.',
        calls: [
          { id: 'a', name: 'look', input: { what: 'a' } },
          { id: 'b', name: 'look', input: { what: 'b' } },
        ],
      },
      { text: 'done' },
    ]),
    tools: [{ ...slowTool(clock, 'look', 100), exclusive: true }],
  });
  const doomed = agent({ name: 'doomed', decide: async () => Promise.reject(new Error('it broke')) });
  const handle = start(busy, 'Go.', { clock, hooks: [counted] });
  await clock.advance(60);
  expect(counted.snapshot().now).toEqual({
    ...idle,
    runs: 1,
    actors: 1,
    modelCalls: 1,
    streams: 1,
    streamedCharacters: 11,
  });
  await clock.advance(90);
  expect(counted.snapshot().now).toMatchObject({ modelCalls: 0, toolCalls: 1, streams: 0 });
  handle.abort();
  await settled(handle);
  expect(counted.snapshot().now).toEqual(idle);
  await settled(start(doomed, 'Go.', { hooks: [counted] }));
  expect(counted.snapshot()).toMatchObject({
    now: idle,
    runs: { started: 2, aborted: 1, failed: 1 },
    errors: { 'agent.threw': 1 },
  });
});

test('a call that waits for a yes is waiting, and not at work', async () => {
  const clock = virtualClock();
  const counted = metrics();
  const careful = agent({
    name: 'careful',
    tools: [{ ...slowTool(clock, 'shred', 10), needsApproval: () => true }],
    decide: ({ step }) => (step === 0 ? act({ name: 'shred', input: { what: 'it' } }) : answer('done')),
  });
  const handle = start(careful, 'Go.', { clock, hooks: [counted] });
  await clock.advance(5_000);
  expect(counted.snapshot().now).toMatchObject({ waitingCalls: 1, toolCalls: 0 });
  handle.approve(handle.requests[0]?.id ?? '');
  await letTimePass(clock, handle.result, 10);
  expect(counted.snapshot()).toMatchObject({
    now: idle,
    tools: [{ name: 'shred', durationMs: { sum: 10 } }],
  });
});

test('a call that is denied is a failure, one that is tried again is one call, and neither waits any more', async () => {
  const clock = virtualClock();
  const counted = metrics();
  let tries = 0;
  const shaky = tool({
    name: 'shaky',
    description: 'Fails once.',
    input: z.object({}),
    safety: 'read',
    retry: { attempts: 2 },
    execute: () => {
      tries += 1;
      if (tries === 1) throw new TroupeError('tool.failed', 'not yet', { retryable: 'yes' });
      return 'ok';
    },
  });
  const one = agent({
    name: 'one',
    tools: [shaky, { ...slowTool(clock, 'shred', 10), needsApproval: () => true }],
    decide: ({ step }) =>
      step === 0
        ? act({ name: 'shaky', input: {} }, { name: 'shred', input: { what: 'it' } })
        : answer('done'),
  });
  const handle = start(one, 'Go.', { clock, hooks: [counted], person: { approve: () => 'no' } });
  await letTimePass(clock, handle.result, 100);
  expect(counted.snapshot()).toMatchObject({
    now: idle,
    retries: { tool: 1 },
    errors: { 'tool.denied': 1 },
    tools: [{ name: 'shaky', done: 1, failed: 0 }],
  });
  expect(counted.snapshot().tools).toHaveLength(1);
});

test('on an engine and on its runs, each is counted once', async () => {
  const counted = metrics();
  const echo = agent({ name: 'echo', hooks: [counted], decide: () => answer('hello') });
  const engine = createGlobalEngine({ hooks: [counted] });
  await engine.execute(parallel({ name: 'crowd', members: { echo } }), 'hi', { hooks: [counted] });
  await engine.shutdown();
  expect(counted.snapshot()).toMatchObject({
    runs: { started: 1, completed: 1 },
    steps: 1,
    agents: [
      { name: 'echo', done: 1 },
      { name: 'crowd', done: 1 },
    ],
  });
});

test('names that are made up do not fill the memory: past the limit they are one', async () => {
  const counted = metrics({ names: 3 });
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await agent({ name, decide: () => answer('x') }).run('go', { hooks: [counted] });
  const { agents, isCut } = counted.snapshot();
  expect(agents.map(({ name, done }) => [name, done])).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 1],
    ['(other)', 2],
  ]);
  expect(isCut).toBe(true);
});

test('[KAIZEN-77] a snapshot as Prometheus reads it', () => {
  const durationMs = { count: 4, sum: 1_000, min: 100, max: 400, p50: 200, p90: 390, p95: 400, p99: 400 };
  const none = { count: 0, sum: 0, min: 0, max: 0, p50: 0, p90: 0, p95: 0, p99: 0 };
  const timing = { done: 3, failed: 1, unfinished: 0, durationMs };
  const snapshot: MetricsSnapshot = {
    runs: { started: 2, completed: 1, stopped: 0, aborted: 0, failed: 0 },
    steps: 7,
    retries: { model: 1, tool: 0, member: 0 },
    errors: { 'tool.failed': 1 },
    dropped: { events: 0, messages: 0 },
    budgets: {},
    now: { ...idle, runs: 1 },
    runTimes: [],
    tenants: [],
    agents: [],
    models: [
      {
        ...timing,
        name: 'example:m',
        inputTokens: 10,
        outputTokens: 5,
        cachedTokens: 4,
        reasoningTokens: 0,
        costUsd: 0.25,
        unpriced: 0,
        firstChunkMs: none,
      },
    ],
    tools: [{ ...timing, name: 'a "quoted"\nname' }],
    phases: [],
    isCut: false,
  };
  expect(snapshotAsPrometheus(snapshot)).toMatchInlineSnapshot(`
    "# HELP troupe_runs_started_total Runs started.
    # TYPE troupe_runs_started_total counter
    troupe_runs_started_total 2
    # HELP troupe_runs_total Runs ended, by status.
    # TYPE troupe_runs_total counter
    troupe_runs_total{status="completed"} 1
    troupe_runs_total{status="stopped"} 0
    troupe_runs_total{status="aborted"} 0
    troupe_runs_total{status="failed"} 0
    # HELP troupe_steps_total Steps of agents.
    # TYPE troupe_steps_total counter
    troupe_steps_total 7
    # HELP troupe_retries_total Attempts beyond the first.
    # TYPE troupe_retries_total counter
    troupe_retries_total{of="model"} 1
    troupe_retries_total{of="tool"} 0
    troupe_retries_total{of="member"} 0
    # HELP troupe_errors_total Failures, by error code.
    # TYPE troupe_errors_total counter
    troupe_errors_total{code="tool.failed"} 1
    # HELP troupe_dropped_total Events and messages dropped by observers and mailboxes.
    # TYPE troupe_dropped_total counter
    troupe_dropped_total{what="events"} 0
    troupe_dropped_total{what="messages"} 0
    # HELP troupe_active Work in progress.
    # TYPE troupe_active gauge
    troupe_active{what="runs"} 1
    troupe_active{what="actors"} 0
    troupe_active{what="model_calls"} 0
    troupe_active{what="tool_calls"} 0
    troupe_active{what="waiting_calls"} 0
    troupe_active{what="streams"} 0
    troupe_active{what="streamed_characters"} 0
    # HELP troupe_tokens_total Tokens of answers; cached and reasoning are parts of the others.
    # TYPE troupe_tokens_total counter
    troupe_tokens_total{model="example:m",type="input"} 10
    troupe_tokens_total{model="example:m",type="output"} 5
    troupe_tokens_total{model="example:m",type="cached"} 4
    troupe_tokens_total{model="example:m",type="reasoning"} 0
    # HELP troupe_cost_usd_total What answers cost, where the price is known.
    # TYPE troupe_cost_usd_total counter
    troupe_cost_usd_total{model="example:m"} 0.25
    # HELP troupe_unpriced_total Answers whose price is not known.
    # TYPE troupe_unpriced_total counter
    troupe_unpriced_total{model="example:m"} 0
    # HELP troupe_model_ends_total Every finished model, by outcome.
    # TYPE troupe_model_ends_total counter
    troupe_model_ends_total{model="example:m",outcome="done"} 3
    troupe_model_ends_total{model="example:m",outcome="failed"} 1
    troupe_model_ends_total{model="example:m",outcome="unfinished"} 0
    # HELP troupe_model_duration_seconds Duration of every model.
    # TYPE troupe_model_duration_seconds summary
    troupe_model_duration_seconds{model="example:m",quantile="0.5"} 0.2
    troupe_model_duration_seconds{model="example:m",quantile="0.9"} 0.39
    troupe_model_duration_seconds{model="example:m",quantile="0.95"} 0.4
    troupe_model_duration_seconds{model="example:m",quantile="0.99"} 0.4
    troupe_model_duration_seconds_sum{model="example:m"} 1
    troupe_model_duration_seconds_count{model="example:m"} 4
    # HELP troupe_tool_ends_total Every finished tool, by outcome.
    # TYPE troupe_tool_ends_total counter
    troupe_tool_ends_total{tool="a \\"quoted\\"\\nname",outcome="done"} 3
    troupe_tool_ends_total{tool="a \\"quoted\\"\\nname",outcome="failed"} 1
    troupe_tool_ends_total{tool="a \\"quoted\\"\\nname",outcome="unfinished"} 0
    # HELP troupe_tool_duration_seconds Duration of every tool.
    # TYPE troupe_tool_duration_seconds summary
    troupe_tool_duration_seconds{tool="a \\"quoted\\"\\nname",quantile="0.5"} 0.2
    troupe_tool_duration_seconds{tool="a \\"quoted\\"\\nname",quantile="0.9"} 0.39
    troupe_tool_duration_seconds{tool="a \\"quoted\\"\\nname",quantile="0.95"} 0.4
    troupe_tool_duration_seconds{tool="a \\"quoted\\"\\nname",quantile="0.99"} 0.4
    troupe_tool_duration_seconds_sum{tool="a \\"quoted\\"\\nname"} 1
    troupe_tool_duration_seconds_count{tool="a \\"quoted\\"\\nname"} 4
    "
  `);
});
