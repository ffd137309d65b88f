import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { RunRow } from '../../../src/inspect/page/session.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { createGlobalEngine } from '../../../src/runtime/engines/global-engine.ts';
import { serve } from '../../../src/runtime/serve/serve.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { openInspector } from '../../support/inspector-page.ts';
import { violationsIn } from '../../support/axe.ts';
import { expectWithinSides } from './beyond-sides.ts';
import { startPageServer } from './page-server.ts';
import { takePictures } from '../../support/pictures.ts';

/** The machine may have other work. */
const soon = { timeout: 20_000 };

const titlesIn = (page: Page): Promise<readonly string[]> =>
  page.locator('.runs-table [role=row][aria-selected] [data-column=title]').allInnerTexts();

const headsIn = (page: Page): Promise<readonly string[]> => page.getByRole('columnheader').allInnerTexts();

const rows: readonly RunRow[] = ['interrupted', 'failed', 'failed', 'completed'].map(
  (status, index): RunRow => ({
    run: `run-${index}`,
    agent: ['writer', 'critic'][index % 2] ?? '',
    title: `Task number ${index}`,
    status,
    isLive: false,
    source: 'stored',
    startedAt: 1_700_000_000_000 + index,
    costUsd: index / 100,
    tokens: 10 * index,
    errors: status === 'failed' ? 1 : 0,
  }),
);

/** The table of those runs, in a window of its own; `before` is done before the page loads. */
const openTable = async (browser: Browser, before?: string, hash = '#/runs') => {
  const server = await startPageServer({
    recorder: recorder(),
    session: () => ({ control: false, version: '0', runs: rows }),
  });
  onTestFinished(() => server.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  onTestFinished(() => page.close());
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (line) => {
    if (line.type() === 'error') problems.push(line.text());
  });
  if (before !== undefined) await page.addInitScript(before);
  await page.goto(`${server.address}${hash}`);
  await expect.poll(() => titlesIn(page), soon).not.toEqual([]);
  return { page, problems, address: server.address };
};

const menu = (page: Page) => page.locator('.views-menu');
const openMenu = (page: Page) => menu(page).locator('summary').click();
const namesIn = (page: Page): Promise<readonly string[]> =>
  menu(page).locator('.views .name').allInnerTexts();

const saveView = async (page: Page, name: string): Promise<void> => {
  await menu(page).getByRole('textbox', { name: 'Name of this view' }).fill(name);
  await page.keyboard.press('Enter');
};

describeInChromium('a view of the table of runs', (browser) => {
  test('is saved by a name, chosen again after a reload, renamed and removed, and a link leads to it', async () => {
    const { page, problems, address } = await openTable(browser());
    await page.getByRole('combobox', { name: 'Status' }).selectOption('failed');
    await page.getByRole('button', { name: 'Cost' }).click();
    await page.locator('.menu', { hasText: 'Columns' }).locator('summary').click();
    for (const name of ['Tokens', 'Agent']) await page.getByRole('checkbox', { name }).uncheck();
    await page.keyboard.press('Escape');
    expect(await page.locator('.menu').getByRole('checkbox').count()).toBe(0);
    const heads = ['Compare', 'Status', 'Title', 'Begun', 'Duration', 'Cost ↓', 'Errors', 'Open'];
    expect(await headsIn(page)).toEqual(heads);
    await openMenu(page);
    await saveView(page, '<img src=x onerror=alert(1)> failures');
    await expect
      .poll(() => namesIn(page), soon)
      .toEqual(['All runs', '<img src=x onerror=alert(1)> failures']);
    await takePictures(page, 'views-menu');
    await menu(page).getByRole('button', { name: 'All runs' }).click();
    await expect.poll(() => titlesIn(page), soon).toHaveLength(4);
    expect(await headsIn(page)).toHaveLength(10);
    await page.reload();
    await openMenu(page);
    await menu(page)
      .getByRole('button', { name: /^<img.*failures$/ })
      .click();
    const failed = ['Task number 2', 'Task number 1'];
    await expect.poll(() => titlesIn(page), soon).toEqual(failed);
    expect(await headsIn(page)).toEqual(heads);
    expect(page.url()).toBe(`${address}#/runs?status=failed&sort=-cost&hide=agent%2Ctokens`);
    // Another window that never saw the view.
    const other = await openTable(browser(), undefined, new URL(page.url()).hash);
    expect(await titlesIn(other.page)).toEqual(failed);
    expect(await headsIn(other.page)).toEqual(heads);
    await menu(page)
      .getByRole('button', { name: /^Rename the view/ })
      .click();
    await menu(page).getByRole('textbox', { name: 'New name of the view' }).fill('Failures');
    await page.keyboard.press('Enter');
    await expect.poll(() => namesIn(page), soon).toEqual(['All runs', 'Failures']);
    expect(await menu(page).locator('summary').innerText()).toBe('View: Failures');
    await saveView(page, '   ');
    await menu(page).getByRole('alert').waitFor();
    expect(await menu(page).getByRole('alert').innerText()).toContain('it has no name');
    await menu(page).getByRole('button', { name: 'Remove the view Failures' }).click();
    await expect.poll(() => namesIn(page), soon).toEqual(['All runs']);
    await page.reload();
    await openMenu(page);
    expect(await namesIn(page)).toEqual(['All runs']);
    expect([...problems, ...other.problems]).toEqual([]);
  });

  test('that is damaged or foreign is ignored with a note, and the others are there', async () => {
    const good = { name: 'good', query: { find: '', sort: 'cost', isDescending: true, hidden: [] } };
    const text = JSON.stringify({ v: 1, views: [good, { name: 'bad', query: 7 }] });
    const { page, problems } = await openTable(
      browser(),
      `localStorage.setItem('troupe-inspect-views', ${JSON.stringify(text)})`,
    );
    await openMenu(page);
    expect(await namesIn(page)).toEqual(['All runs', 'good']);
    expect(await menu(page).innerText()).toContain('1 of 2 saved views cannot be read');
    await takePictures(page, 'views-damaged');
    expect(problems).toEqual([]);
  });

  test('lasts as long as the page where the browser keeps nothing', async () => {
    const { page, problems } = await openTable(
      browser(),
      `Object.defineProperty(globalThis, 'localStorage', { get() { throw new Error('no'); } })`,
    );
    await page.getByRole('searchbox', { name: 'Find a run' }).fill('number 1');
    await openMenu(page);
    await saveView(page, 'one');
    await expect.poll(() => namesIn(page), soon).toEqual(['All runs', 'one']);
    expect(await menu(page).innerText()).toContain('keeps nothing');
    await page.getByRole('searchbox', { name: 'Find a run' }).fill('');
    await page.locator('.run-row a').first().click();
    await page.keyboard.press('h');
    await openMenu(page);
    await menu(page).getByRole('button', { name: 'one', exact: true }).click();
    await expect.poll(() => titlesIn(page), soon).toEqual(['Task number 1']);
    expect(problems.filter((each) => !each.includes('EventSource'))).toEqual([]);
  });
});

describeInChromium('a stored run that nobody has executed yet', (browser) => {
  test('is queued, for as long as it is, until a worker takes it', async () => {
    const store = memoryStore();
    const clerk = agent({ name: 'clerk', decide: () => ({ kind: 'answer', answer: 'done' }) });
    await using entrance = serve(createGlobalEngine(), { agents: { clerk }, store, executes: false });
    const { status } = await entrance.fetch(
      new Request('http://localhost/agents/clerk/runs', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"input":"Count"}',
      }),
    );
    expect(status).toBe(201);
    const { page } = await openInspector(browser(), { store });
    await page.getByRole('link', { name: 'troupe' }).click();
    const pill = page.locator('.run-row .pill.queued');
    await expect
      .poll(() => pill.allInnerTexts(), soon)
      .toEqual([expect.stringMatching(/^queued for [\d.]+ /)]);
    await takePictures(page, 'views-queued');
    expect(await violationsIn(page)).toEqual([]);
    await using worker = serve(createGlobalEngine(), { agents: { clerk }, store });
    await worker.booted;
    await expect.poll(() => pill.count(), soon).toBe(0);
  });
});

describeInChromium('a stored run whose process is gone', (browser) => {
  test('is interrupted, among the statuses too, and its page says how it is resumed, until another process has it', async () => {
    const store = memoryStore();
    const about = { agent: 'clerk', status: 'running', createdAt: 1_700_000_000_000, updatedAt: 2 } as const;
    const gone = { holder: 'gone', ttlMs: -1, now: Date.now() };
    await store.create({ ...about, runId: 'left', title: 'Count the ships' }, gone);
    await store.create({ ...about, runId: 'held', title: 'Count' }, { ...gone, ttlMs: 600_000 });
    const { page, problems } = await openInspector(browser(), { store });
    await page.getByRole('link', { name: 'troupe' }).click();
    const pill = page.locator('.run-row .pill.interrupted');
    await expect.poll(() => pill.allInnerTexts(), soon).toEqual(['interrupted · resume it']);
    await takePictures(page, 'views-interrupted');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('interrupted');
    await expect.poll(() => titlesIn(page), soon).toEqual(['Count the ships']);
    await page.locator('.run-row a').click();
    await page.locator('.notice code', { hasText: 'troupe resume left' }).waitFor();
    await takePictures(page, 'views-interrupted-run');
    await page.setViewportSize({ width: 390, height: 844 });
    await expectWithinSides(page);
    expect(await violationsIn(page)).toEqual([]);
    await page.keyboard.press('h');
    await store.acquire('left', { ...gone, holder: 'here', ttlMs: 600_000 });
    await page.getByText('No run is like that.').waitFor();
    // The agent of the run is not given.
    expect(problems.filter((each) => !each.includes('404'))).toEqual([]);
  });
});
