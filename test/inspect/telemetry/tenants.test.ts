import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { RuntimeEvent } from '../../../src/contracts/events/event.ts';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import { createGlobalEngine, TroupeError } from '../../../src/index.ts';
import type { Engine } from '../../../src/contracts/runs/engine.ts';
import { ReportIndex } from '../../../src/inspect/local/report/report-index.ts';
import { storedEvents } from '../../../src/inspect/local/stored-events.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import type { WorkRow } from '../../../src/inspect/recording/report/work-report.ts';
import { alerts } from '../../../src/inspect/telemetry/alerts/alerts.ts';
import { metrics } from '../../../src/inspect/telemetry/metrics/metrics.ts';
import { snapshotAsPrometheus } from '../../../src/inspect/telemetry/metrics/prometheus.ts';
import { monitor } from '../../../src/inspect/telemetry/monitor.ts';
import { WorkBook } from '../../../src/inspect/telemetry/report/work-book.ts';
import { parallel } from '../../../src/patterns/index.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';

/** Answers, or fails where it is asked to, after a call that is tried again. */
const clerk = (name: string) =>
  agent({
    name,
    failures: { retry: { attempts: 2, initialWaitMs: 0, maxWaitMs: 0 } },
    model: scriptedModel([
      new TroupeError('model.unavailable', 'down', { retryable: 'yes' }),
      { text: 'done', usage: { input: 30, output: 12, billedUsd: 0.042 } },
    ]),
  });

const broken = () =>
  agent({
    name: 'broken',
    decide: () => {
      throw new Error('no');
    },
  });

const desk = () => parallel({ name: 'desk', members: { writer: clerk('writer') } });

type Given = Parameters<Engine['execute']>[2];

/** Who has what done: two runs of one tenant, a team of another, a failure, and a run of nobody. */
const orders = [
  { runId: 'a1', tenant: 'acme', go: (on: Engine, by: Given) => on.execute(clerk('clerk'), 'go', by) },
  { runId: 'a2', tenant: 'acme', go: (on: Engine, by: Given) => on.execute(broken(), 'go', by) },
  { runId: 'b1', tenant: 'bolt', go: (on: Engine, by: Given) => on.execute(desk(), 'go', by) },
  {
    runId: 'n1',
    tenant: undefined,
    go: (on: Engine, by: Given) => on.execute(clerk('porter'), 'go', by),
  },
];

const byTenant = (context: unknown): string | undefined =>
  z.object({ tenant: z.string().optional() }).parse(context).tenant;

const world = async () => {
  const store = memoryStore();
  onTestFinished(() => store.close());
  const rules = [{ name: 'errors', metric: 'error.rate', tenant: '*', over: 0.2 }] as const;
  const hooks = { monitor: monitor(), metrics: metrics(), alerts: alerts({ rules, channels: [() => {}] }) };
  onTestFinished(() => hooks.alerts.close());
  await using engine = createGlobalEngine({ by: byTenant, hooks: Object.values(hooks) });
  for (const { runId, tenant, go } of orders) {
    const options = { runId, context: { tenant }, store, clock: virtualClock(0) };
    await go(engine, options).catch(() => undefined);
  }
  return { ...hooks, store };
};

const eventsIn = async (store: JournalStore, runId: string): Promise<readonly RuntimeEvent[]> => {
  const events: RuntimeEvent[] = [];
  for await (const part of storedEvents(store, runId)) events.push(...part.events);
  return events;
};

/** The runs, failures, tokens and costs of a tenant, from the events of its runs alone. */
const recount = async (store: JournalStore, tenant: string) => {
  const sums = { count: 0, failed: 0, retries: 0, tokens: 0, costUsd: 0 };
  for (const order of orders.filter((each) => each.tenant === tenant))
    for (const event of await eventsIn(store, order.runId)) {
      if (event.type === 'model.retrying') sums.retries += 1;
      if (event.type === 'model.answered') sums.tokens += event.usage.input + event.usage.output;
      if (event.type === 'model.answered') sums.costUsd += event.costUsd ?? 0;
      if (event.type !== 'run.ended') continue;
      sums.count += 1;
      if (event.status === 'failed') sums.failed += 1;
    }
  return sums;
};

const tenantsIn = (rows: readonly WorkRow[]): readonly WorkRow[] =>
  rows.filter(({ kind }) => kind === 'tenant').toSorted((one, other) => one.name.localeCompare(other.name));

test('the first event of a run names its tenant, live and from a store; of nobody there is none', async () => {
  const { store, monitor: watching } = await world();
  for (const { runId, tenant } of orders) {
    const [first] = await eventsIn(store, runId);
    expect(first).toMatchObject({ type: 'run.started', runId });
    expect(first !== undefined && 'tenant' in first ? first.tenant : undefined).toBe(tenant);
    expect(watching.runs.get(runId)?.tenant).toBe(tenant);
  }
});

test('[KAIZEN-54] a report has the figures of each tenant, those of a plain recount', async () => {
  const { store } = await world();
  const book = () => new WorkBook(100);
  const stored = new ReportIndex({ recorder: recorder(), book: book(), store, alerts: undefined });
  await stored.report();
  await stored.filled();
  const rows = tenantsIn((await stored.report()).rows);
  expect(rows.map(({ name }) => name)).toEqual(['acme', 'bolt']);
  for (const row of rows) {
    const { costUsd, ...counts } = await recount(store, row.name);
    expect(row).toMatchObject(counts);
    expect(row.costUsd).toBeCloseTo(costUsd, 9);
  }
  expect(rows[0]).toMatchObject({ count: 2, failed: 1, retries: 1, tokens: 42 });
  expect(rows[0]?.failing).toMatchObject([{ run: 'a2' }]);
});

test('[KAIZEN-77] metrics have the runs of each tenant, as JSON and as Prometheus reads them', async () => {
  const { metrics: counted } = await world();
  const { tenants } = counted.snapshot();
  expect(tenants).toMatchObject([
    { name: 'acme', done: 1, failed: 1, unfinished: 0, inputTokens: 30, outputTokens: 12 },
    { name: 'bolt', done: 1, failed: 0, unfinished: 0, inputTokens: 30, outputTokens: 12 },
  ]);
  expect(tenants[0]?.costUsd).toBeCloseTo(0.042, 9);
  const text = snapshotAsPrometheus(counted.snapshot());
  expect(text).toContain('troupe_tenant_run_ends_total{tenant="acme",outcome="failed"} 1\n');
  expect(text).toContain('troupe_tenant_tokens_total{tenant="bolt",type="output"} 12\n');
  expect(text).toContain('troupe_tenant_cost_usd_total{tenant="acme"} 0.042\n');
});

test('[KAIZEN-56] alerts are by the tenant that the engine names, live and over a store', async () => {
  const { alerts: watching, store } = await world();
  expect(watching.history.map(({ subject }) => subject)).toEqual([{ tenant: 'acme' }]);
  const over = await watching.over(store);
  expect(over.map(({ subject }) => subject)).toEqual([{ tenant: 'acme' }]);
});
