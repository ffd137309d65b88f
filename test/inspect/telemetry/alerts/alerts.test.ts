import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { act, answer } from '../../../../src/contracts/agents/decision.ts';
import { createGlobalEngine } from '../../../../src/index.ts';
import type { Alert } from '../../../../src/inspect/telemetry/alerts/alert.ts';
import type { AlertRule } from '../../../../src/inspect/telemetry/alerts/alert-rule.ts';
import type { AlertsOptions } from '../../../../src/inspect/telemetry/alerts/alerts.ts';
import { alerts } from '../../../../src/inspect/telemetry/alerts/alerts.ts';
import { RuleWatch } from '../../../../src/inspect/telemetry/alerts/rule-watch.ts';
import { memoryStore } from '../../../../src/persistence/memory-store.ts';
import { agent } from '../../../../src/runtime/define/agent.ts';
import type { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { virtualClock } from '../../../../src/testing/virtual-clock.ts';
import { tool } from '../../../../src/tools/define/define-tool.ts';
import { z } from 'zod';
import { letTimePass, never, settled, start } from '../../../support/runs.ts';
import { desk } from '../telemetry-kit.ts';

/** An agent that takes as long as its input says, in ms. */
const slow = (clock: VirtualClock, name = 'slow') =>
  agent({
    name,
    decide: async ({ input }) => {
      await new Promise<void>((resolve) => clock.setTimeout(resolve, Number(input)));
      return answer('done');
    },
  });

/** Alerts, and what a channel was sent of them. */
const listening = (options: AlertsOptions = {}) => {
  const sent: Alert[] = [];
  const watching = alerts({ channels: [(alert) => sent.push(alert)], ...options });
  onTestFinished(() => watching.close());
  return { watching, sent };
};

const seenIn = (sent: readonly Alert[]) =>
  sent.map(({ rule, status, subject }) => [rule.name, status, ...Object.values(subject)]);

const runFor = (clock: VirtualClock, ms: number, watching: ReturnType<typeof alerts>, name?: string) =>
  letTimePass(clock, start(slow(clock, name), String(ms), { clock, hooks: [watching] }).result, ms);

const failing = (name: string) => agent({ name, decide: () => Promise.reject(new Error('it broke')) });

describe('alerts', () => {
  test('[KAIZEN-55] without rules are of runs of more than 5,000 ms: 5,000 no, 5,001 yes', async () => {
    const clock = virtualClock();
    const { watching, sent } = listening();
    await runFor(clock, 5_000, watching, 'prompt');
    expect(sent).toEqual([]);
    await runFor(clock, 5_001, watching, 'late');
    expect(seenIn(sent)).toEqual([['slow runs', 'firing', 'late']]);
    expect(sent[0]).toMatchObject({ severity: 'warning', value: 5_001, limit: 5_000 });
    expect(sent[0]?.text).toBe('slow runs: run.latency of agent late is 5,001 ms, over 5,000 ms');
    expect(sent[0]?.runs).toHaveLength(1);
  });

  test('[KAIZEN-56] of the same rule and subject are sent once in 300 s, those of others at once', async () => {
    const clock = virtualClock();
    const { watching, sent } = listening();
    for (const name of ['ann', 'ann', 'ben', 'ann']) await runFor(clock, 6_000, watching, name);
    expect(seenIn(sent)).toEqual([
      ['slow runs', 'firing', 'ann'],
      ['slow runs', 'firing', 'ben'],
    ]);
    await clock.advance(300_000);
    await runFor(clock, 6_000, watching, 'ann');
    expect(seenIn(sent.filter(({ status }) => status === 'firing')).slice(2)).toEqual([
      ['slow runs', 'firing', 'ann'],
    ]);
  });

  test('are resolved once the window has nothing like it, and then no timer is left', async () => {
    const clock = virtualClock();
    const { watching, sent } = listening();
    await runFor(clock, 6_000, watching);
    expect(watching.firing).toHaveLength(1);
    await clock.advance(70_000);
    expect(sent.map(({ status }) => status)).toEqual(['firing', 'resolved']);
    expect(watching.firing).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('of a run that hangs are sent while it hangs, and stay', async () => {
    const clock = virtualClock();
    const { watching, sent } = listening();
    const handle = start(agent({ name: 'stuck', decide: () => never() }), 'go', { clock, hooks: [watching] });
    await clock.advance(5_000);
    expect(sent).toEqual([]);
    await clock.advance(5_000);
    expect(seenIn(sent)).toEqual([['slow runs', 'firing', 'stuck']]);
    await clock.advance(200_000);
    expect(sent).toHaveLength(1);
    expect(watching.firing).toHaveLength(1);
    handle.abort();
    await settled(handle);
  });

  test('of a silenced rule wait until it is not, and those of others do not', async () => {
    const clock = virtualClock();
    const rules: readonly AlertRule[] = [
      { name: 'one', metric: 'run.latency', over: 1 },
      { name: 'other', metric: 'agent.latency', over: 1 },
    ];
    const { watching, sent } = listening({ rules });
    watching.silence('one', 60_000);
    await runFor(clock, 10_000, watching);
    expect(seenIn(sent)).toEqual([['other', 'firing']]);
    const handle = start(slow(clock), '90000', { clock, hooks: [watching] });
    await letTimePass(clock, handle.result, 5_000);
    expect(seenIn(sent)).toContainEqual(['one', 'firing']);
    expect(sent.find(({ rule }) => rule.name === 'one')?.at).toBeGreaterThanOrEqual(60_000);
  });

  test('[KAIZEN-56] of a channel that throws, hangs or is slow harm neither the run nor other channels', async () => {
    const clock = virtualClock();
    const sent: Alert[] = [];
    const thrower = (): never => {
      throw new Error('no');
    };
    const signals: AbortSignal[] = [];
    const hanging = (_: Alert, signal: AbortSignal) => {
      signals.push(signal);
      return never();
    };
    const watching = alerts({ channels: [thrower, hanging, (alert) => sent.push(alert)], channelMs: 1_000 });
    onTestFinished(() => watching.close());
    const { status } = await runFor(clock, 6_000, watching);
    expect(status).toBe('completed');
    expect(sent).toHaveLength(1);
    await clock.advance(1_000);
    expect(watching.failures).toMatchObject([
      { channel: 'thrower', error: 'no' },
      { channel: 'hanging', error: expect.stringContaining('longer than 1000 ms') as string },
    ]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('[KAIZEN-56] have a history that keeps the newest', async () => {
    const clock = virtualClock();
    const { watching } = listening({ keep: 2 });
    for (const name of ['ann', 'ben', 'cid']) await runFor(clock, 6_000, watching, name);
    expect(seenIn(watching.history)).toEqual([
      ['slow runs', 'firing', 'ben'],
      ['slow runs', 'firing', 'cid'],
    ]);
  });

  test('are by tenant, as the context of runs says it, and one function that throws is the run’s report', async () => {
    const rules: readonly AlertRule[] = [{ name: 'errors', metric: 'error.rate', tenant: '*', over: 0.5 }];
    const tenant = (context: unknown) => z.object({ tenant: z.string() }).parse(context).tenant;
    const { watching, sent } = listening({ rules, tenant });
    const clock = virtualClock();
    const run = (context?: object) =>
      settled(start(failing('broken'), 'go', { clock, hooks: [watching], context }));
    await run({ tenant: 'acme' });
    const { events } = await run();
    expect(seenIn(sent)).toEqual([['errors', 'firing', 'acme']]);
    expect(events.some((event) => event.type === 'observer.failed' && event.observer === 'alerts')).toBe(
      true,
    );
  });

  test('are of tools, models and members of teams, each by its own name', async () => {
    const clock = virtualClock();
    const rules: readonly AlertRule[] = [
      { name: 'slow tools', metric: 'tool.latency', tool: '*', over: 249 },
      { name: 'slow models', metric: 'model.latency', model: '*', over: 399 },
      { name: 'failing models', metric: 'error.rate', model: '*', over: 0 },
      { name: 'retried models', metric: 'retry.rate', model: '*', over: 0 },
      { name: 'tokens of writers', metric: 'tokens', agent: 'writer', over: 109 },
      { name: 'tokens', metric: 'tokens', over: 549 },
    ];
    const { watching, sent } = listening({ rules });
    await letTimePass(clock, start(desk(clock), 'When?', { clock, hooks: [watching] }).result, 10);
    const fired = seenIn(sent.filter(({ status }) => status === 'firing'));
    expect(new Set(fired)).toEqual(
      new Set([
        ['slow tools', 'firing', 'search'],
        ['slow models', 'firing', 'example:large'],
        ['failing models', 'firing', 'example:large'],
        ['retried models', 'firing', 'example:large'],
        ['tokens of writers', 'firing', 'writer'],
        ['tokens', 'firing'],
      ]),
    );
  });

  test('of a queue are sent while calls wait', async () => {
    const clock = virtualClock();
    const rules: readonly AlertRule[] = [{ name: 'queue', metric: 'queue.depth', tool: 'shred', over: 1 }];
    const { watching, sent } = listening({ rules });
    const shred = tool({
      name: 'shred',
      description: 'Shreds.',
      input: z.object({ what: z.string() }),
      approval: true,
      execute: () => 'gone',
    });
    const careful = agent({
      name: 'careful',
      tools: [shred],
      decide: ({ step }) =>
        step === 0
          ? act({ name: 'shred', input: { what: 'a' } }, { name: 'shred', input: { what: 'b' } })
          : answer('done'),
    });
    const handle = start(careful, 'go', { clock, hooks: [watching] });
    await clock.advance(4_999);
    expect(sent).toEqual([]);
    await clock.advance(1);
    expect(seenIn(sent)).toEqual([['queue', 'firing', 'shred']]);
    for (const { id } of handle.requests) handle.approve(id);
    await letTimePass(clock, handle.result, 10);
    await clock.advance(5_000);
    expect(watching.firing).toEqual([]);
  });

  test('of an engine and its runs count each run once', async () => {
    const rules: readonly AlertRule[] = [{ name: 'errors', metric: 'error.rate', over: 0, least: 2 }];
    const { watching, sent } = listening({ rules });
    await using engine = createGlobalEngine({ hooks: [watching] });
    await engine.execute(failing('one'), 'go', { hooks: [watching] }).catch(() => undefined);
    expect(sent).toEqual([]);
    await engine.execute(failing('two'), 'go', { hooks: [watching] }).catch(() => undefined);
    expect(sent).toHaveLength(1);
  });

  test('with invented names fill no memory: beyond 200 subjects they are one', () => {
    const watch = new RuleWatch({ name: 'errors', metric: 'error.rate', agent: '*', over: 0 }, 300_000);
    const sent = Array.from({ length: 210 }, (_, index) =>
      watch.take({
        what: 'ended',
        kind: 'agent',
        at: 1,
        runId: 'a',
        subject: { agent: `m${index}` },
        ms: 1,
        hasFailed: true,
      }),
    ).flatMap((alert) => alert ?? []);
    expect(sent).toHaveLength(201);
    expect(sent.at(-1)?.subject).toEqual({ agent: '(other)' });
  });

  test('over a store are those that its runs would have sent, in order, and nothing is delivered', async () => {
    const store = memoryStore();
    onTestFinished(() => store.close());
    const clock = virtualClock();
    for (const [runId, ms] of [
      ['a', 5_000],
      ['b', 6_000],
      ['c', 7_000],
    ] as const)
      await letTimePass(clock, start(slow(clock), String(ms), { clock, store, runId }).result, ms);
    const { watching, sent } = listening();
    const found = await watching.over(store);
    expect(found.map(({ status, value, runs }) => [status, value, runs])).toEqual([['firing', 6_000, ['b']]]);
    expect([sent, watching.history]).toEqual([[], []]);
  });

  test('on the log are one line of JSON each, whatever the names are', async () => {
    const lines: unknown[] = [];
    const warn = vi.spyOn(console, 'warn').mockImplementation((line: unknown) => lines.push(line));
    onTestFinished(() => {
      warn.mockRestore();
    });
    const clock = virtualClock();
    const watching = alerts();
    onTestFinished(() => watching.close());
    await runFor(clock, 6_000, watching, 'ann');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(String(lines[0]))).toMatchObject({ status: 'firing', subject: { agent: 'ann' } });
  });
});

describe('what does not fit is refused', () => {
  const rule = (given: object): AlertRule => ({ name: 'it', metric: 'cost', ...given });
  test.each([
    [rule({}), 'its rules[0].over is missing, as is any other condition'],
    [rule({ over: 1, rise: 1 }), 'its rules[0].rise is not possible beside `over`'],
    [rule({ over: -1 }), 'its rules[0].over is not a number from 0'],
    [rule({ metric: 'costs', over: 1 }), 'its rules[0].metric is not one of run.latency'],
    [rule({ tool: 'x', over: 1 }), "its rules[0].tool is not possible for 'cost'"],
    [rule({ percentile: 0.9, over: 1 }), 'its rules[0].percentile is only possible for a latency'],
    [rule({ metric: 'error.rate', deviation: 3 }), "its rules[0].deviation is not possible for 'error.rate'"],
    [rule({ metric: 'budget.burn', over: 1 }), 'its rules[0].budget is missing'],
    [rule({ budget: { usd: 1, perMs: 1 }, over: 1 }), "its rules[0].budget is not possible for 'cost'"],
    [rule({ over: 1, window: 5 }), 'its option `rules[0].window` is unknown: did you mean `windowMs`?'],
  ])('%j: %s', (given, words) => {
    expect(() => alerts({ rules: [given] })).toThrow(words);
  });

  test('two rules of one name, an unknown channel, and a rule that is not there', () => {
    const twice = [rule({ over: 1 }), rule({ over: 2 })];
    expect(() => alerts({ rules: twice })).toThrow("two of its rules have the name 'it'");
    expect(() => alerts({ channels: ['mail' as 'log'] })).toThrow(
      'its channels[0] is not one of log, a function',
    );
    const watching = alerts();
    expect(() => {
      watching.silence('slow run', 0);
    }).toThrow("did you mean 'slow runs'?");
    expect(() => {
      watching.silence('slow runs', Number.NaN);
    }).toThrow('its time is not a number of ms since 1970: found NaN');
  });
});
