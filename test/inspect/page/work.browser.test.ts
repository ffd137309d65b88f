import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { expectWithinSides } from './beyond-sides.ts';
import { newsroom } from './newsroom.ts';
import { startPageServer } from './page-server.ts';
import type { Shown } from './page-server.ts';
import { troupeOf } from './troupe-of.ts';
import { takePicture } from '../../support/pictures.ts';
import { isThorough } from '../../support/thorough.ts';

const open = async (
  browser: Browser,
  shown: Shown['recorder'],
  { width = 1280, height = 800, colorScheme = 'light' as 'light' | 'dark' } = {},
): Promise<Page> => {
  const session = () => ({ control: false, version: '1', runs: [] });
  const server = await startPageServer({ recorder: shown, session });
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  onTestFinished(async () => {
    await page.close();
    await server.close();
    expect(problems).toEqual([]);
  });
  await page.goto(server.address);
  await page.getByRole('tab', { name: 'Work' }).click();
  await page.locator('.part').first().waitFor();
  return page;
};

const leastText = (page: Page): Promise<number> =>
  page.evaluate<number>(`Math.min(...[...document.querySelectorAll('.canvas svg text')].map((each) =>
    each.getScreenCTM().a * parseFloat(getComputedStyle(each).fontSize)))`);

describeInChromium('the work of a run', (browser) => {
  test('shows who waits for a person, and a click on a member goes to its chart; the keyboard, too', async () => {
    const record = recorder();
    const run = newsroom().stream('What became of the ferry?', { inspect: record, runId: 'news-1' });
    onTestFinished(() => {
      run.abort();
    });
    await expect.poll(() => run.requests.length, { timeout: 20_000 }).toBe(1);
    const page = await open(browser(), record);
    const writer = page.getByRole('button', { name: /^agent writer: waits for a person/ });
    await writer.waitFor();
    await page.getByRole('button', { name: /^agent researcher: done/ }).waitFor();
    expect(await leastText(page)).toBeGreaterThanOrEqual(11);
    await takePicture(page, 'work-1280-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await takePicture(page, 'work-1280-dark');
    await writer.click();
    await expect.poll(() => page.locator('.subject bdi').textContent()).toBe('writer-5');
    expect(await page.locator('.box.atomic.active').getAttribute('data-state')).toBe('agent.running.ACT');

    // Who was engaged twice is chosen from a list.
    await page.keyboard.press('w');
    await page.getByRole('button', { name: /^agent supervisor/ }).focus();
    await page.keyboard.press('Enter');
    const list = page.getByRole('region', { name: 'Members' });
    await expect.poll(() => list.getByRole('listitem').count()).toBe(2);
    await list.getByRole('button', { name: /supervisor-4/ }).click();
    await expect.poll(() => page.locator('.subject bdi').textContent()).toBe('supervisor-4');

    // In the past nobody is at work yet.
    await page.keyboard.press('w');
    await page.keyboard.press('Home');
    await page.keyboard.press('.');
    await page.getByRole('img', { name: 'agent writer: not yet' }).waitFor();
  });

  if (isThorough)
    test('is read on a phone, and none of its boxes is cut', async () => {
      const record = recorder();
      const run = newsroom().stream('What became of the ferry?', { inspect: record, runId: 'news-1' });
      onTestFinished(() => {
        run.abort();
      });
      await expect.poll(() => run.requests.length, { timeout: 20_000 }).toBe(1);
      const page = await open(browser(), record, { width: 390, height: 844, colorScheme: 'dark' });
      await page.getByRole('button', { name: /^agent writer: waits for a person/ }).waitFor();
      expect(await leastText(page)).toBeGreaterThanOrEqual(11);
      await expectWithinSides(page);
      await takePicture(page, 'work-390-dark');
    });

  if (isThorough)
    test('shows a thousand equal members as one box, and lists them on a click, with few elements', async () => {
      const { recording } = troupeOf(1_000, 240, 3);
      const page = await open(browser(), { recording, handles: new Map() });
      const box = page.getByRole('button', { name: 'group 1,000 agents: 240 of 1,000 · 3 failed' });
      await box.click();
      const list = page.getByRole('region', { name: 'Members' });
      await list.getByText('1,000 members').waitFor();
      await takePicture(page, 'work-thousand');
      expect(await page.locator('.work *').count()).toBeLessThanOrEqual(300);
      // Those that failed come first.
      expect(await list.getByRole('button', { name: /failed/ }).count()).toBe(3);
      await list.getByRole('button', { name: /^reader2-3/ }).click();
      await expect.poll(() => page.locator('.subject bdi').textContent()).toBe('reader2-3');
    });
});
