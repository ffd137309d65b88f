import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import type { Model, ModelAnswer } from '../../../src/contracts/models/model.ts';
import type { Hook } from '../../../src/contracts/events/event.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import { alerts } from '../../../src/inspect/telemetry/alerts/alerts.ts';
import { metrics } from '../../../src/inspect/telemetry/metrics/metrics.ts';
import { openTelemetry } from '../../../src/inspect/telemetry/spans/open-telemetry.ts';
import { pipeline } from '../../../src/patterns/pipeline.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { fork } from '../../../src/runtime/journal/resume/fork.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { mortalStore } from '../../support/mortal-store.ts';
import { deferred, never, quiet, settled, start } from '../../support/runs.ts';
import { metering, tracing } from './telemetry-kit.ts';

const calling = (name: string): Partial<ModelAnswer> => ({
  text: '',
  calls: [{ id: name, name, input: {} }],
});

/** Answers by what the conversation has, as a resumed process does not begin at the script's first line. */
const model = (): Model => ({
  provider: 'example',
  id: 'm',
  isLanguageModel: false,
  answer: ({ messages }) => {
    const turns = [calling('look'), calling('pay'), { text: 'paid' }];
    const said = messages.toArray().filter(({ role }) => role === 'assistant').length;
    return Promise.resolve(
      modelAnswer({ ...turns[said], usage: { input: 100, output: 10, billedUsd: 0.4 } }),
    );
  },
});

const payTool = (execute: () => Promise<string> = () => Promise.resolve('done')) =>
  tool({ name: 'pay', description: 'Pays.', input: z.object({}), idempotent: true, execute });

/** Two agents in a row: what the first did is over when the second pays. `pay` hangs until it is let go. */
const shop = (pay: () => Promise<string> = () => Promise.resolve('done')) => {
  const tools = [
    tool({ name: 'look', description: 'Looks.', input: z.object({}), execute: () => 'seen' }),
    payTool(pay),
  ];
  return pipeline({
    name: 'shop',
    stages: [agent({ name: 'one', tools, model: model() }), agent({ name: 'two', tools, model: model() })],
  });
};

/** A team whose second agent hangs as it pays, and the moment at which it does. */
const stuckShop = () => {
  const reached = deferred<void>();
  let paid = 0;
  const team = shop(() => {
    paid += 1;
    if (paid === 1) return Promise.resolve('done');
    reached.resolve();
    return never();
  });
  return { team, reached: reached.promise };
};

/** Begins a run here, leaves it as the second agent pays, and has it end in a process of its own. */
const takenOver = async (first: Hook, second: Hook, store: JournalStore = memoryStore()) => {
  const { team, reached } = stuckShop();
  const handle = start(team, 'Go.', { store, runId: 'r', hooks: [first] });
  const left = handle.result.catch((error: unknown) => error);
  await reached;
  await handle.suspend({ withinMs: 0 });
  expect(await left).toMatchObject({ code: 'run.suspended' });
  return settled(await resume(shop(), 'r', { store, hooks: [second] }));
};

/** What a process has counted, without its durations. */
const countsOf = (counted: ReturnType<typeof metrics>) => {
  const { runs, steps, models, tools, agents, phases, now } = counted.snapshot();
  const sum = (list: readonly object[], field: string): number =>
    list.reduce((total, each) => total + Number(Object.entries(each).find(([key]) => key === field)?.[1]), 0);
  return {
    started: runs.started,
    completed: runs.completed,
    failed: runs.failed + sum(tools, 'failed') + sum(agents, 'failed') + sum(models, 'failed'),
    steps,
    usd: sum(models, 'costUsd'),
    tokens: sum(models, 'inputTokens') + sum(models, 'outputTokens'),
    modelCalls: sum(models, 'done'),
    toolCalls: sum(tools, 'done'),
    agents: sum(agents, 'done'),
    phases: sum(phases, 'done'),
    open: Object.values(now).reduce((total, each) => total + each, 0),
  };
};

/** What one process counts that has the run to itself. */
const wholeCounts = async () => {
  const counted = metrics();
  await settled(start(shop(), 'Go.', { store: memoryStore(), hooks: [counted] }));
  return countsOf(counted);
};

const rounded = (counts: Record<string, number>) => ({
  ...counts,
  usd: Math.round((counts['usd'] ?? 0) * 100) / 100,
});

const added = (...all: readonly Record<string, number>[]): Record<string, number> => {
  const sum: Record<string, number> = {};
  for (const each of all)
    for (const [name, count] of Object.entries(each)) sum[name] = (sum[name] ?? 0) + count;
  return rounded(sum);
};

describe('what the processes of a run count together is what the run did', () => {
  test('where the first one leaves it in order', async () => {
    const [first, second] = [metrics(), metrics()];
    const { totals } = await takenOver(first, second);
    const sum = added(countsOf(first), countsOf(second));
    expect(sum).toEqual(rounded(await wholeCounts()));
    expect(sum).toMatchObject({ started: 1, completed: 1, failed: 0, modelCalls: 6, toolCalls: 4, open: 0 });
    expect(sum['tokens']).toBe(totals.inputTokens + totals.outputTokens);
    expect(sum['usd']).toBe(2.4);
  });

  test('where both are the same one', async () => {
    const counted = metrics();
    await takenOver(counted, counted);
    expect(rounded(countsOf(counted))).toEqual(rounded(await wholeCounts()));
  });

  test('where the first one dies, at whichever write', async () => {
    const whole = rounded(await wholeCounts());
    let deaths = 0;
    // Before its second commit there is nothing to resume.
    for (let at = 3; ; at += 1) {
      const store = memoryStore();
      const [first, second] = [metrics(), metrics()];
      const mortal = mortalStore(store, { at, isDone: false });
      const handle = start(shop(), 'Go.', { store: mortal.store, runId: 'r', hooks: [first] });
      const hasEnded = await Promise.race([settled(handle).then(() => true), mortal.died.then(() => false)]);
      if (hasEnded) break;
      deaths += 1;
      await quiet();
      await settled(await resume(shop(), 'r', { store: mortalStore(store).store, hooks: [second] }));
      const { open, ...sum } = added(countsOf(first), countsOf(second));
      // Of a phase that a death cuts off the first process has seen no end.
      expect([at, sum]).toEqual([at, { ...without(whole, 'open') }]);
      expect(countsOf(second).open).toBe(0);
      expect(open).toBe(countsOf(first).open);
    }
    expect(deaths).toBeGreaterThan(4);
  });

  test('by the instruments of OpenTelemetry', async () => {
    const [one, other] = [metering(), metering()];
    const hooks = await Promise.all(
      [one, other].map(({ provider }) => openTelemetry({ meterProvider: provider, spans: 'off' })),
    );
    const [first, second] = hooks;
    if (first === undefined || second === undefined) throw new Error('there are two');
    await takenOver(first, second);
    const total = async (name: string): Promise<number[]> =>
      Promise.all(
        [one, other].map(async ({ points }) =>
          ((await points())[name] ?? []).reduce(
            (sum, { value }) => sum + (typeof value === 'number' ? value : 0),
            0,
          ),
        ),
      );
    const rounds = (all: readonly number[]): number[] => all.map((each) => Math.round(each * 100) / 100);
    expect(rounds(await total('troupe.cost'))).toEqual([2, 0.4]);
    expect(await total('troupe.runs')).toEqual([0, 1]);
    expect(await total('troupe.runs.active')).toEqual([0, 0]);
    expect(await total('troupe.work.active')).toEqual([0, 0]);
    await Promise.all([one.stop(), other.stop()]);
  });
});

const without = <Counts extends Record<string, number>>(counts: Counts, name: string) =>
  Object.fromEntries(Object.entries(counts).filter(([key]) => key !== name));

test('an alert is raised by what is spent now, and not by what was spent before the run came here', async () => {
  const rules = [{ name: 'dear', metric: 'cost', over: 1, windowMs: 3_600_000 }] as const;
  const [before, after] = [alerts({ rules, channels: [] }), alerts({ rules, channels: [] })];
  await takenOver(before, after);
  expect([before.history.length, after.history.length]).toEqual([1, 0]);
  await Promise.all([before.close(), after.close()]);
});

test('spans of what had ended before are marked, and no others', async () => {
  const [one, other] = [tracing(), tracing()];
  const [first, second] = [
    await openTelemetry({ tracerProvider: one.provider }),
    await openTelemetry({ tracerProvider: other.provider }),
  ];
  await takenOver(first, second);
  expect(one.spans().filter(({ attributes }) => 'troupe.repeated' in attributes)).toEqual([]);
  const marked = (isMarked: boolean): string[] =>
    other
      .spans()
      .filter(({ attributes }) => (attributes['troupe.repeated'] === true) === isMarked)
      .map(({ name }) => name)
      .toSorted();
  expect(marked(false)).toEqual(['chat m', 'execute_tool pay', 'invoke_agent two', 'invoke_workflow shop']);
  expect(marked(true)).toHaveLength(9);
});

test('what is open when a run comes here is at work here, though nothing happens in it', async () => {
  const store = memoryStore();
  const { team, reached } = stuckShop();
  const handle = start(team, 'Go.', { store, runId: 'r' });
  const left = handle.result.catch((error: unknown) => error);
  await reached;
  await handle.suspend({ withinMs: 0 });
  await left;
  const again = deferred<void>();
  const counted = metrics();
  const resumed = await resume(
    shop(() => {
      again.resolve();
      return never();
    }),
    'r',
    { store, hooks: [counted] },
  );
  await again.promise;
  expect(counted.snapshot()).toMatchObject({
    runs: { started: 0 },
    now: { runs: 1, actors: 2, toolCalls: 1 },
    models: [],
  });
  const ended = resumed.result.catch((error: unknown) => error);
  resumed.abort();
  await ended;
  expect(counted.snapshot()).toMatchObject({
    runs: { aborted: 1 },
    now: { runs: 0, actors: 0, toolCalls: 0 },
  });
});

test('a fork counts itself, and not what the run did that it was forked from', async () => {
  const store = memoryStore();
  const tools = [tool({ name: 'look', description: 'Looks.', input: z.object({}), execute: () => 'seen' })];
  const clerk = agent({ name: 'clerk', tools: [...tools, payTool()], model: model() });
  await settled(start(clerk, 'Go.', { store, runId: 'r' }));
  const counted = metrics();
  await settled(await fork(clerk, 'r', { store, hooks: [counted], at: { step: 2 } }));
  expect(countsOf(counted)).toMatchObject({ started: 1, completed: 1, modelCalls: 1, toolCalls: 0, open: 0 });
});
