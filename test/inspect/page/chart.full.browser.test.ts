import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { Session } from '../../../src/inspect/page/session.ts';
import type { Recorder } from '../../../src/inspect/recording/recorder.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { isThorough, sampled } from '../../support/thorough.ts';
import { newsroom } from './newsroom.ts';
import { startPageServer } from './page-server.ts';
import { takePicture } from '../../support/pictures.ts';

const sessionOf = (record: Recorder) => (): Session => ({
  control: false,
  version: '1',
  runs: record.runs.map(({ runId, agent }) => ({ run: runId, agent, isLive: true, source: 'live' })),
});

interface Window {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
}

const open = async (
  browser: Browser,
  record: Recorder,
  { colorScheme, ...viewport }: Window,
): Promise<Page> => {
  const server = await startPageServer({ recorder: record, session: sessionOf(record) });
  const page = await browser.newPage({ viewport, colorScheme });
  onTestFinished(async () => {
    await page.close();
    await server.close();
  });
  await page.goto(server.address);
  await page.getByRole('tab', { name: 'Chart' }).click();
  await page.locator('.chart .box').first().waitFor();
  return page;
};

interface Seen {
  /** The size of the smallest text, in px of the screen. */
  readonly least: number;
  readonly states: readonly string[];
  /** What is drawn outside of the part that is seen. */
  readonly outside: readonly string[];
  /** The states that reach down to the buttons. */
  readonly low: readonly string[];
}

/** What is seen of the chart. */
const lookAt = (page: Page): Promise<Seen> =>
  page.evaluate<Seen>(`(() => {
    const { left, right, top, bottom } = document.querySelector('.canvas').getBoundingClientRect();
    const buttons = document.querySelector('.zoom').getBoundingClientRect();
    const texts = [...document.querySelectorAll('.canvas svg text')];
    const isOut = (each) => {
      const box = each.getBoundingClientRect();
      return box.left < left - 1 || box.right > right + 1 || box.top < top - 1 || box.bottom > bottom + 1;
    };
    return {
      least: Math.min(...texts.map((each) => each.getScreenCTM().a * parseFloat(getComputedStyle(each).fontSize))),
      states: [...document.querySelectorAll('.box')].map((each) => each.dataset.state),
      outside: [...texts, ...document.querySelectorAll('.canvas .way, .box')].filter(isOut)
        .map((each) => each.textContent),
      low: [...document.querySelectorAll('.box')].filter((each) => each.getBoundingClientRect().bottom > buttons.top)
        .map((each) => each.dataset.state),
    };
  })()`);

describeInChromium('the chart of an actor', (browser) => {
  const windows = [
    { width: 1280, height: 800, colorScheme: 'light' },
    { width: 1280, height: 800, colorScheme: 'dark' },
    { width: 390, height: 844, colorScheme: 'light' },
  ] as const;

  test.each(sampled(windows, 4))('is read in a window of $width by $height, $colorScheme', async (window) => {
    const record = recorder();
    const run = newsroom().stream('What became of the ferry?', { inspect: record, runId: 'news-1' });
    onTestFinished(() => {
      run.abort();
    });
    const page = await open(browser(), record, window);
    await expect.poll(() => run.requests.length, { timeout: 20_000 }).toBe(1);
    for (const name of ['team newsroom', 'agent researcher', 'agent writer']) {
      await page.getByRole('treeitem', { name }).click();
      await page.locator('.box.active').first().waitFor();
      await takePicture(page, `chart-${name.replaceAll(' ', '-')}-${window.width}-${window.colorScheme}`);
      const { least, outside } = await lookAt(page);
      expect(least, name).toBeGreaterThanOrEqual(11);
      // In a narrow window a part is shown: that with the state that it is in.
      expect(window.width === 1280 ? outside : [], name).toEqual([]);
      const active = page.locator('.box.active').last();
      const [box, canvas] = [await active.boundingBox(), await page.locator('.canvas').boundingBox()];
      if (box === null || canvas === null) throw new Error('nothing is drawn');
      expect(box.x >= canvas.x && box.x + box.width <= canvas.x + canvas.width, name).toBe(true);
      expect(box.y >= canvas.y && box.y + box.height <= canvas.y + canvas.height, name).toBe(true);
    }
  });

  test('has its life cycle and its recovery folded away until a switch is turned; the end that it came to is shown', async () => {
    const record = recorder();
    const run = newsroom().stream('What became of the ferry?', { inspect: record, runId: 'news-1' });
    const page = await open(browser(), record, { width: 1280, height: 800, colorScheme: 'light' });
    await expect.poll(() => run.requests.length, { timeout: 20_000 }).toBe(1);
    await page.getByRole('treeitem', { name: 'agent writer' }).click();
    const lifeCycle = page.getByRole('button', { name: 'Life cycle' });
    const recovery = page.getByRole('button', { name: 'Recovery' });
    await expect.poll(() => lifeCycle.getAttribute('aria-pressed')).toBe('false');
    expect((await lookAt(page)).states).not.toContain('agent.preparing');
    await lifeCycle.click();
    await expect.poll(async () => (await lookAt(page)).states).toContain('agent.preparing');
    expect((await lookAt(page)).states).toContain('agent.aborted');
    expect((await lookAt(page)).least).toBeGreaterThanOrEqual(11);
    expect(await page.locator('.reaction, .arrow text', { hasText: 'mayRecover' }).count()).toBe(0);
    await recovery.click();
    await page.locator('.reaction, .arrow text', { hasText: 'mayRecover' }).first().waitFor();
    await takePicture(page, 'chart-whole');
    await recovery.click();
    await lifeCycle.click();
    await expect.poll(async () => (await lookAt(page)).states).not.toContain('agent.aborted');
    const [request] = run.requests;
    run.approve(request?.id ?? '');
    await run.result;
    await expect
      .poll(async () => (await lookAt(page)).states, { timeout: 10_000 })
      .toContain('agent.completed');
    expect((await lookAt(page)).states).not.toContain('agent.failed');
    expect((await lookAt(page)).low).toEqual([]);
    expect(await lifeCycle.getAttribute('aria-pressed')).toBe('mixed');
    // Those who do not see it are told.
    expect(await page.locator('.chart li[aria-current]').allInnerTexts()).toEqual([
      expect.stringContaining('completed'),
    ]);
  });

  if (isThorough)
    test('is made larger with two fingers', async () => {
      const record = recorder();
      await newsroomEnded(record);
      const page = await open(browser(), record, { width: 1280, height: 800, colorScheme: 'light' });
      const before = (await lookAt(page)).least;
      await page.evaluate(`(() => {
      const canvas = document.querySelector('.canvas');
      canvas.setPointerCapture = () => {};
      const { left, top } = canvas.getBoundingClientRect();
      const send = (type, pointerId, x) => canvas.dispatchEvent(new PointerEvent(type,
        { pointerId, clientX: left + x, clientY: top + 200, bubbles: true, pointerType: 'touch' }));
      send('pointerdown', 1, 200);
      send('pointerdown', 2, 300);
      send('pointermove', 2, 400);
      send('pointerup', 1, 200);
      send('pointerup', 2, 400);
    })()`);
      await expect.poll(async () => (await lookAt(page)).least / before).toBeCloseTo(2, 1);
    });
});

const newsroomEnded = async (record: Recorder): Promise<void> => {
  const run = newsroom().stream('What became of the ferry?', { inspect: record, runId: 'news-1' });
  await expect.poll(() => run.requests.length, { timeout: 20_000 }).toBe(1);
  run.approve(run.requests[0]?.id ?? '');
  await run.result;
};
