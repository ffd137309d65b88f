import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { Session } from '../../../src/inspect/page/session.ts';
import type { Recorder } from '../../../src/inspect/recording/recorder.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { newsroom } from './newsroom.ts';
import { startPageServer } from './page-server.ts';
import type { Shown } from './page-server.ts';

const docs = resolve(import.meta.dirname, '../../../docs');
const pictures = process.env['TROUPE_SCREENSHOTS'];

const takePicture = async (page: Page, name: string): Promise<void> => {
  if (pictures === undefined) return;
  const folder = pictures === '1' ? docs : pictures;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `inspector-${name}.png`) });
};

interface Opened {
  readonly page: Page;
  /** What the page asked of runs. */
  readonly asked: readonly unknown[];
  /** What went wrong in it. */
  readonly problems: readonly string[];
}

const open = async (
  browser: Browser,
  shown: Shown,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<Opened> => {
  const asked: unknown[] = [];
  const problems: string[] = [];
  const server = await startPageServer({
    ...shown,
    control: (body) => {
      asked.push(body);
      shown.control?.(body);
    },
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme });
  onTestFinished(async () => {
    await page.close();
    await server.close();
  });
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (line) => {
    if (line.type() === 'error') problems.push(line.text());
  });
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(server.address);
  return { page, asked, problems };
};

const sessionOf =
  ({ handles }: Recorder, control = true) =>
  (): Session => ({
    control,
    version: '0.1.0',
    runs: [...handles.keys()].map((run) => ({
      run,
      agent: 'newsroom',
      isLive: true,
      status: 'running',
      title: 'the ferry',
      source: 'live',
    })),
  });

describeInChromium('the page of the local inspector', (browser) => {
  test('shows a run of a team as it goes on: who is there, in which state, what was called, and what waits for a person', async () => {
    const record = recorder();
    const { page, asked, problems } = await open(browser(), {
      recorder: record,
      session: sessionOf(record),
      control: (body) => {
        const { id } = body as { id: string };
        record.handles.get('news-1')?.approve(id);
      },
    });
    const run = newsroom().stream('What became of the ferry?', { inspect: record, runId: 'news-1' });
    const banner = page.locator('.request');
    await banner.waitFor();
    expect(await banner.innerText()).toContain('publish');
    await page.getByRole('treeitem', { name: 'agent writer' }).click();
    const active = page.locator('.box.atomic.active');
    await active.waitFor();
    expect(await active.getAttribute('data-state')).toBe('agent.running.ACT');
    await takePicture(page, 'light');
    expect({ asked, problems }).toEqual({ asked: [], problems: [] });
    await banner.getByRole('button', { name: 'Approve' }).click();
    await run.result;
  });
});
