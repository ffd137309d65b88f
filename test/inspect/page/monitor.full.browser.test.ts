import { expect, onTestFinished, test } from 'vitest';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import type { RunRow } from '../../../src/inspect/page/session.ts';
import type { WorkReport, WorkRow } from '../../../src/inspect/recording/report/work-report.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { alerts } from '../../../src/inspect/telemetry/alerts/alerts.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { z } from 'zod';
import { violationsIn } from '../../support/axe.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { openInspector } from '../../support/inspector-page.ts';
import { takePictures } from '../../support/pictures.ts';
import { expectWithinSides } from './beyond-sides.ts';
import { startPageServer } from './page-server.ts';

/** The machine may have other work. */
const soon = { timeout: 20_000 };

const look = tool({
  name: 'look',
  description: 'Looks.',
  input: z.object({}),
  execute: () => {
    throw new Error('It is dark');
  },
});

const clerk = () =>
  agent({
    name: 'clerk',
    tools: [look],
    decide: ({ step }) => (step === 0 ? act({ name: 'look', input: {} }) : answer('done')),
  });

const row = (kind: WorkRow['kind'], name: string, given: Partial<WorkRow> = {}): WorkRow => ({
  kind,
  name,
  count: 1_200,
  failed: 0,
  retries: 3,
  tokens: 1_234_567,
  costUsd: 4.2,
  unpriced: 0,
  p50: 850,
  p95: 5_200,
  slowest: [
    { run: 'run-1', seq: 4, value: 61_000 },
    { run: 'run-0', seq: 4, value: 9_000 },
  ],
  dearest: [{ run: 'run-0', seq: 7, value: 0.31 }],
  failing: [{ run: 'run-1', seq: 9, value: 2 }],
  ...given,
});

const harm = `<img src=x onerror="window.harmed=1">\u202ejavascript:harm()`;

const report = (): WorkReport => ({
  runs: 1_000,
  read: 412,
  rows: [
    row('agent', 'researcher', { failed: 96, p95: 12_400, costUsd: 31.5 }),
    row('agent', 'writer', { count: 640, costUsd: 18.25 }),
    row('agent', harm, { p95: 40, retries: 0, slowest: [{ run: harm, seq: 1, value: 40 }] }),
    row('tool', 'search', { tokens: 0, costUsd: 0, failed: 2, p95: 1_800 }),
    row('model', 'example:large', { unpriced: 12 }),
  ],
  alerts: [
    {
      id: 'a',
      text: 'failing tools: error.rate of tool search is 34.0 %, over 20.0 %',
      severity: 'critical',
      isFiring: true,
      isResolved: false,
      failures: [{ channel: `webhook ${harm}`, error: `503 ${harm}` }],
      at: Date.now() - 60_000,
      runs: ['run-1'],
    },
    {
      id: 'b',
      text: `slow runs: run.latency of agent ${harm} is 6,012 ms, over 5,000 ms`,
      severity: 'warning',
      isFiring: true,
      isResolved: false,
      failures: [],
      at: Date.now() - 90_000,
      runs: ['run-0', 'run-1'],
    },
    ...Array.from({ length: 8 }, (_, index) => ({
      id: `c${index}`,
      text: 'dear day: cost is $12.10, over $10.00',
      severity: 'info' as const,
      isFiring: false,
      isResolved: index > 3,
      failures: [],
      at: Date.now() - 3_600_000 * (index + 1),
      runs: [],
    })),
  ],
});

const storedRows = (): readonly RunRow[] =>
  ['run-0', 'run-1'].map((run) => ({ run, agent: 'researcher', isLive: false, source: 'stored' }));

describeInChromium('the monitor', (browser) => {
  const nameCells = '.figures tbody th > bdi';

  test('shows what is slow, dear, and fails in stored and live runs, and leads into a run at the place of a figure', async () => {
    const store = memoryStore();
    onTestFinished(() => store.close());
    await clerk().run('Look', { store, runId: 'old' });
    const watching = alerts({
      rules: [{ name: 'failing tools', metric: 'error.rate', tool: '*', over: 0.5 }],
      channels: [],
    });
    onTestFinished(() => watching.close());
    const { inspector, page, problems } = await openInspector(browser(), {
      store,
      agents: [clerk()],
      alerts: watching,
    });
    await clerk().run('Look', { inspect: inspector, hooks: [watching], runId: 'new' });
    await page.keyboard.press('o');
    await expect.poll(() => page.url(), soon).toMatch(/#\/monitor$/);
    await page.getByRole('button', { name: 'What fails' }).click();
    await page.getByRole('button', { name: 'Tools' }).click();
    await expect.poll(() => page.url(), soon).toMatch(/#\/monitor\?by=tool&sort=-failed$/);
    await expect
      .poll(() => page.locator('.figures tbody tr').innerText(), soon)
      .toMatch(/look[\s\S]+1 error in[\s\S]+2 · 100 %/);
    await page.getByText('1 alert fires').waitFor();
    await page.getByText('failing tools: error.rate of tool look is 100.0 %, over 50.0 %').waitFor();
    await page.reload();
    await expect.poll(() => page.locator(nameCells).allInnerTexts(), soon).toEqual(['look']);
    await page.locator('.proofs a', { hasText: 'old' }).click();
    await expect.poll(() => page.url(), soon).toMatch(/#\/run\/old\/errors\?/);
    await page.locator('.problem', { hasText: 'It is dark' }).first().waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('grid', { name: 'Runs' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('says how far it has read, orders by any column, shows every name as text, and axe finds nothing in it', async () => {
    const server = await startPageServer({
      recorder: recorder(),
      session: () => ({ control: false, version: '0', runs: storedRows() }),
      report,
    });
    onTestFinished(() => server.close());
    const page = await browser().newPage();
    onTestFinished(() => page.close());
    await page.goto(`${server.address}#/monitor`);
    await page.getByText('412 of 1,000 runs read').waitFor();
    const names = page.locator(nameCells);
    await expect.poll(() => names.count(), soon).toBe(3);
    expect(await names.first().innerText()).toBe('researcher');
    await takePictures(page, 'monitor');
    await page.getByRole('button', { name: 'Name' }).click();
    await expect.poll(() => names.nth(1).innerText(), soon).toBe('researcher');
    const firstAlerts = page.locator('.alerts > ul > li');
    expect(await firstAlerts.nth(0).innerText()).toMatch(
      /^critical\s+fires\s+failing tools: [^\n]+\s+not delivered by webhook <img/,
    );
    expect(await firstAlerts.nth(1).innerText()).toMatch(/^warning\s+fires\s+(?![\s\S]*not delivered)/);
    expect(await firstAlerts.nth(2).innerText()).toMatch(/^info\s+over\s+dear day/);
    await page.getByText('5 older alerts').click();
    expect(await page.evaluate('window.harmed')).toBeUndefined();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('body').innerText()).not.toContain('\u202e');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violationsIn(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 844 });

    await expectWithinSides(page);
    expect(await violationsIn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Models' }).click();
    await page.getByText('≥ $4.20').waitFor();
  });
});
