import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Clock } from '../../../src/base/clock.ts';
import { systemClock } from '../../../src/base/clock.ts';
import type { RuntimeEvent } from '../../../src/contracts/events/event.ts';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import type { Model } from '../../../src/contracts/models/model.ts';
import type { Prices } from '../../../src/contracts/models/prices.ts';
import { TroupeError } from '../../../src/contracts/errors/error.ts';
import { ReportIndex } from '../../../src/inspect/local/report/report-index.ts';
import { storedEvents } from '../../../src/inspect/local/stored-events.ts';
import type { WorkReport, WorkRow } from '../../../src/inspect/recording/report/work-report.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { alerts } from '../../../src/inspect/telemetry/alerts/alerts.ts';
import { WorkBook } from '../../../src/inspect/telemetry/report/work-book.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { sized } from '../../support/thorough.ts';
import { askOpen, openInspector, readingBy } from './local-kit.ts';

/** Numbers that look like chance, and are the same each time. */
const chance = (seed: number) => () => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
};

/** A clock on which each look takes a while: runs take time, and nobody waits. */
const hurriedClock = (random: () => number): Clock => {
  let now = 1_700_000_000_000;
  return { ...systemClock, now: () => (now += Math.floor(random() * 40)) };
};

const prices: Prices = { name: 'flat', cost: (_, { input, output }) => (input + output) * 2e-6 };

/** Calls a tool, which may fail, and then answers; now and then it has to be asked twice. */
const model = (random: () => number): Model => ({
  provider: 'example',
  id: 'small',
  answer: ({ messages }) => {
    if (random() < 0.1)
      return Promise.reject(new TroupeError('model.unavailable', 'down', { retryable: 'yes' }));
    const usage = { input: Math.floor(random() * 900), output: 20 };
    const isOver = messages.some(({ role }) => role === 'tool');
    const calls = isOver ? [] : [{ id: 'a', name: 'look', input: {} }];
    return Promise.resolve(modelAnswer({ text: isOver ? 'done' : '', usage, calls }));
  },
});

const clerk = (random: () => number) =>
  agent({
    name: 'clerk',
    model: model(random),
    failures: { retry: { initialWaitMs: 1, maxWaitMs: 1 } },
    tools: [
      tool({
        name: 'look',
        description: 'Looks.',
        input: z.object({}),
        retry: { attempts: 1 },
        execute: () => {
          if (random() < 0.2) throw new Error('It is dark');
          return 'found';
        },
      }),
    ],
  });

const recordRuns = async (store: JournalStore, count: number): Promise<void> => {
  const random = chance(7);
  const clock = hurriedClock(random);
  const one = clerk(random);
  for (let index = 0; index < count; index += 1)
    await one.run('go', { store, clock, prices, runId: `run-${index}` }).catch(() => undefined);
};

const eventsOf = async (store: JournalStore): Promise<readonly (readonly RuntimeEvent[])[]> => {
  const runs: RuntimeEvent[][] = [];
  for (const { runId } of await store.list()) {
    const events: RuntimeEvent[] = [];
    for await (const part of storedEvents(store, runId)) events.push(...part.events);
    runs.push(events);
  }
  return runs;
};

interface Plain {
  readonly durations: number[];
  failed: number;
  retries: number;
  tokens: number;
  costUsd: number;
}

/** The same figures, from events alone, as anybody would count them. */
const recount = (runs: readonly (readonly RuntimeEvent[])[]) => {
  const none = (): Plain => ({ durations: [], failed: 0, retries: 0, tokens: 0, costUsd: 0 });
  const sums = { clerk: none(), look: none(), 'example:small': none() };
  for (const events of runs) {
    let [begun, asked, started] = [0, 0, 0];
    for (const event of events)
      switch (event.type) {
        case 'run.started':
          begun = event.at;
          break;
        case 'run.ended':
          sums.clerk.durations.push(event.at - begun);
          if (event.status === 'failed') sums.clerk.failed += 1;
          break;
        case 'model.asked':
          asked = event.at;
          break;
        case 'model.answered':
          sums['example:small'].durations.push(event.at - asked);
          sums['example:small'].tokens += event.usage.input + event.usage.output;
          sums['example:small'].costUsd += event.costUsd ?? 0;
          break;
        case 'model.retrying':
          sums['example:small'].durations.push(event.at - asked);
          sums['example:small'].failed += 1;
          sums['example:small'].retries += 1;
          break;
        case 'model.failed':
          sums['example:small'].durations.push(event.at - asked);
          sums['example:small'].failed += 1;
          break;
        case 'tool.started':
          started = event.at;
          break;
        case 'tool.finished':
          sums.look.durations.push(event.at - started);
          if (!event.ok) sums.look.failed += 1;
          break;
        default:
      }
  }
  sums.clerk.tokens = sums['example:small'].tokens;
  sums.clerk.costUsd = sums['example:small'].costUsd;
  sums.clerk.retries = sums['example:small'].retries;
  return sums;
};

const rankOf = (values: readonly number[], fraction: number): number =>
  values.toSorted((one, other) => one - other)[Math.ceil(fraction * values.length) - 1] ?? 0;

const kept = (): JournalStore => {
  const store = memoryStore();
  onTestFinished(() => store.close());
  return store;
};

const indexOf = (store: JournalStore) =>
  new ReportIndex({ recorder: recorder(), book: new WorkBook(10_000), store, alerts: undefined });

/** The report once all runs are read. */
const wholeReport = async (index: ReportIndex): Promise<WorkReport> => {
  let report = await index.report();
  while (report.read < report.runs) {
    await index.filled();
    report = await index.report();
  }
  return report;
};

const named = ({ rows }: WorkReport, name: string): WorkRow | undefined =>
  rows.find((row) => row.name === name);

describe('the report on all runs', () => {
  test('[KAIZEN-54] on recorded runs, 1,000 where all cases are tried, has the numbers of a plain recount', async () => {
    const count = sized(200, 1_000);
    const store = kept();
    await recordRuns(store, count);
    const report = await wholeReport(indexOf(store));
    expect(report).toMatchObject({ runs: count, read: count, alerts: undefined });
    expect(report.rows).toHaveLength(3);
    for (const [name, plain] of Object.entries(recount(await eventsOf(store)))) {
      const { durations, costUsd, ...sums } = plain;
      expect(named(report, name), name).toMatchObject({
        ...sums,
        count: durations.length,
        p50: rankOf(durations, 0.5),
        p95: rankOf(durations, 0.95),
      });
      // Sums of fractions differ by their order.
      expect(named(report, name)?.costUsd, name).toBeCloseTo(costUsd, 9);
    }
    expect(named(report, 'look')?.failed).toBeGreaterThan(count / 10);
    expect(named(report, 'clerk')?.retries).toBeGreaterThan(count / 20);
  });

  test('names the runs behind a figure, and the event in them', async () => {
    const store = kept();
    await recordRuns(store, 20);
    const report = await wholeReport(indexOf(store));
    const all = (await eventsOf(store)).flat();
    const [worst] = named(report, 'clerk')?.slowest ?? [];
    const atOf = (type: RuntimeEvent['type']): number =>
      all.find((event) => event.runId === worst?.run && event.type === type)?.at ?? 0;
    expect(atOf('run.ended') - atOf('run.started')).toBe(worst?.value);
    const failing = named(report, 'look')?.failing ?? [];
    expect(failing.length).toBeGreaterThan(0);
    for (const { run, seq } of failing)
      expect(all.find((event) => event.runId === run && event.seq === seq)).toMatchObject({
        type: 'tool.finished',
        ok: false,
      });
  });

  test('reads each row once, and forgets a run that was removed', async () => {
    const whole = kept();
    await recordRuns(whole, 3);
    const removed = new Set<string>();
    const list: JournalStore['list'] = async (query) =>
      (await whole.list(query)).filter(({ runId }) => !removed.has(runId));
    const store = new Proxy(readingBy(whole, whole.read.bind(whole)), {
      get: (bound, name): unknown => (name === 'list' ? list : Reflect.get(bound, name)),
    });
    const book = new WorkBook(10_000);
    const index = new ReportIndex({ recorder: recorder(), book, store, alerts: undefined });
    await wholeReport(index);
    const { version } = book;
    await wholeReport(index);
    expect(book.version).toBe(version);
    removed.add('run-1');
    const { runs, rows } = await wholeReport(index);
    expect([runs, rows.find(({ name }) => name === 'clerk')?.count]).toEqual([2, 2]);
  });

  test('has the runs of this process as they go on, those of the store, and alerts, each once', async () => {
    const store = kept();
    const random = chance(3);
    await recordRuns(store, 2);
    const watching = alerts({
      rules: [{ name: 'any run', metric: 'run.latency', over: 0 }],
      channels: [
        function pager() {
          throw new Error('no pager');
        },
      ],
    });
    onTestFinished(() => watching.close());
    const inspector = await openInspector({ store, alerts: watching });
    const clock = hurriedClock(random);
    await clerk(random)
      .run('go', { store, clock, inspect: inspector, hooks: [watching], runId: 'here' })
      .catch(() => undefined);
    let report: WorkReport;
    do {
      const { status, text } = await askOpen(inspector, '/api/report');
      expect(status).toBe(200);
      report = JSON.parse(text) as WorkReport;
    } while (report.read < report.runs);
    expect(report.runs).toBe(3);
    expect(named(report, 'clerk')?.count).toBe(3);
    expect(report.alerts).toMatchObject([
      {
        severity: 'warning',
        isFiring: true,
        isResolved: false,
        runs: ['here'],
        failures: [{ channel: 'pager', error: 'no pager' }],
      },
    ]);
  });

  test('needs the token', async () => {
    const inspector = await openInspector({});
    const { status } = await askOpen({ ...inspector, token: 'wrong' }, '/api/report');
    expect(status).toBe(403);
  });
});
