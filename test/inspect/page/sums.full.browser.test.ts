import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { Recorder } from '../../../src/inspect/recording/recorder.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { settled } from '../../support/runs.ts';
import { isThorough } from '../../support/thorough.ts';
import { crowd } from './crowd.ts';
import { newsroom } from './newsroom.ts';
import { startPageServer } from './page-server.ts';
import { takePictures } from '../../support/pictures.ts';

const desk = { width: 1280, height: 800 };

interface Opened {
  readonly page: Page;
  /** What went wrong in it. */
  readonly problems: readonly string[];
}

const open = async (browser: Browser, shown: Recorder): Promise<Opened> => {
  const problems: string[] = [];
  const server = await startPageServer({
    recorder: shown,
    session: () => ({
      control: false,
      version: '0.1.0',
      runs: [
        {
          run: 'news-1',
          agent: 'newsroom',
          isLive: true,
          status: 'completed',
          title: 'the ferry',
          source: 'live',
        },
      ],
    }),
  });
  const page = await browser.newPage({ viewport: desk });
  onTestFinished(async () => {
    await page.close();
    await server.close();
  });
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (line) => {
    if (line.type() === 'error') problems.push(line.text());
  });
  await page.goto(server.address);
  await page.locator('.run-bar').waitFor();
  return { page, problems };
};

/** A run of the newsroom that is over. */
const recordedNewsroom = async (): Promise<Recorder> => {
  const record = recorder();
  const run = newsroom().stream('What became of the ferry?', {
    inspect: record,
    runId: 'news-1',
    person: { approve: () => true },
  });
  await settled(run);
  return record;
};

const placeOf = (record: Recorder, what: string): number =>
  [...record.recording.from()].findIndex((line) => line.includes(what));

describeInChromium('the sums, errors, times and costs of a run on the page', (browser) => {
  test('the bar says how the run stands and what it has used at the place shown, and each figure opens its view', async () => {
    const record = await recordedNewsroom();
    const { page, problems } = await open(browser(), record);
    const bar = page.getByRole('region', { name: 'Sums of the run at the place shown' });
    const figure = (name: string) => bar.getByRole('button', { name: new RegExp(`\\b${name}$`) });
    await bar.getByText('completed').waitFor();
    expect(await figure('calls').innerText()).toBe('15 calls');
    expect(await figure('error').innerText()).toBe('1 error');
    await figure('error').click();
    expect(await page.getByRole('tab', { name: 'Errors' }).getAttribute('aria-selected')).toBe('true');
    await figure('calls').click();
    expect(await page.getByRole('tab', { name: 'Sequence' }).getAttribute('aria-selected')).toBe('true');
    await page.getByRole('slider').fill(String(placeOf(record, '"type":"tool.started"') + 1));
    await bar.getByText('running').waitFor();
    expect(await figure('errors').innerText()).toBe('0 errors');
    await page.getByRole('slider').fill('0');
    expect(await page.locator('.run-bar').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('a spent budget has a gauge that is full, beside the actor that has spent it', async () => {
    const record = recorder();
    await newsroom().run('Nothing at all', {
      inspect: record,
      limits: { budget: { steps: 1 } },
      runId: 'news-1',
    });
    const { page, problems } = await open(browser(), record);
    const gauge = page.locator('.actor .gauge[aria-valuenow="1"][aria-valuemax="1"]').first();
    const [bar, full] = [await gauge.boundingBox(), await gauge.locator('span').boundingBox()];
    expect(bar).toMatchObject({ width: 38, height: 4 });
    expect(full).toEqual(bar);
    expect(problems).toEqual([]);
  });

  test('all errors stand in one list with their causes: by keys one goes from each to its place and its call', async () => {
    const record = await recordedNewsroom();
    const { page, problems } = await open(browser(), record);
    await page.keyboard.press('9');
    const list = page.getByRole('listbox', { name: 'Errors' });
    const errors = list.getByRole('option');
    expect(await errors.count()).toBe(1);
    await list.focus();
    await page.keyboard.press('ArrowDown');
    expect(await errors.first().getAttribute('aria-selected')).toBe('true');
    const place = placeOf(record, '"ok":false') + 1;
    expect(await page.locator('.place b').innerText()).toBe(place.toLocaleString('en-GB'));
    await page.getByRole('treeitem', { name: 'agent researcher', selected: true }).waitFor();
    const details = page.getByRole('region', { name: 'The chosen error' });
    expect(await details.innerText()).toContain('the article is behind a wall');
    expect(await details.locator('.causes li').count()).toBeGreaterThan(0);
    expect(await page.locator('.item.tool.failed details[open]').count()).toBe(1);
    await takePictures(page, 'errors');
    await page.keyboard.press('Home');
    await page.getByRole('slider').fill('20');
    await page.locator('.problem.later').waitFor();
    expect(problems).toEqual([]);
  });

  test('work stands over its time: by keys one goes from piece to piece and zooms, and the slider goes along', async () => {
    const record = await recordedNewsroom();
    const { page, problems } = await open(browser(), record);
    await page.keyboard.press('7');
    const list = page.getByRole('listbox', { name: 'Work in the time shown' });
    await list.waitFor();
    await list.focus();
    await page.keyboard.press('Home');
    expect(await list.getByRole('option', { selected: true }).innerText()).toContain('newsroom');
    for (let step = 0; step < 2; step += 1) await page.keyboard.press('ArrowDown');
    const chosen = list.getByRole('option', { selected: true });
    expect(await chosen.innerText()).toContain('scripted:large');
    await page.getByRole('treeitem', { name: 'agent supervisor', selected: true }).waitFor();
    const place =
      [...record.recording.from()].findIndex((line) => line.includes('"states":["model.asked"]')) + 1;
    expect(await page.locator('.place b').innerText()).toBe(String(place));
    await takePictures(page, 'time-past');
    // The other way round: the list goes along with the slider.
    await page.getByRole('slider').fill(String(placeOf(record, '"states":["tool.running"]') + 1));
    await list.getByRole('option', { selected: true }).locator('.what', { hasText: 'search' }).waitFor();
    const count = async (): Promise<number> =>
      Number((await page.locator('.times-view .count').last().innerText()).split(' ')[0]);
    const all = await count();
    await list.focus();
    for (let step = 0; step < 9; step += 1) await page.keyboard.press('+');
    expect(await count()).toBeLessThan(all);
    await page.keyboard.press('0');
    expect(await count()).toBe(all);
    // By the wheel, too, and a click goes to where it was.
    const canvas = page.locator('.time-lanes canvas');
    const { x, y, width } = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    await page.mouse.move(x + width / 4, y + 15);
    await page.mouse.wheel(0, -600);
    await expect.poll(count).toBeLessThan(all);
    await page.mouse.click(x + width / 2, y + 3);
    expect(Number(await page.locator('.place b').innerText())).toBeGreaterThan(place);
    await list.focus();
    await page.keyboard.press('0');
    await page.keyboard.press('l');
    await takePictures(page, 'time');
    expect(problems).toEqual([]);
  });

  test('the cost is a flame graph by agent, step, model and tool, and a table, whose whole is that of the run', async () => {
    const record = await recordedNewsroom();
    const { page, problems } = await open(browser(), record);
    await page.getByRole('button', { name: /\d tokens/ }).click();
    const tokens = (await page.getByRole('button', { name: /\d tokens/ }).innerText()).split(' ')[0];
    expect(await page.locator('.spent .total').innerText()).toBe(`${tokens} tokens`);
    const flame = page.getByRole('tree', { name: 'Spent' });
    await flame.focus();
    expect(await flame.getByRole('treeitem', { selected: true }).getAttribute('aria-level')).toBe('2');
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    const deepest = flame.getByRole('treeitem', { selected: true });
    expect(await deepest.getAttribute('aria-level')).toBe('5');
    expect(await deepest.getAttribute('aria-label')).toMatch(/^scripted:\w+: \d+ tokens, [\d.]+ %$/);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Around it' }).waitFor();
    await page.getByRole('button', { name: 'Time', exact: true }).click();
    const rows = page.locator('.parts tbody tr');
    expect(await rows.count()).toBeGreaterThan(1);
    await page.getByRole('navigation', { name: 'Around it' }).getByRole('button', { name: 'all' }).click();
    await takePictures(page, 'cost');
    await page.getByRole('slider').fill('0');
    await page.getByText('No time has passed.').waitFor();
    expect(problems).toEqual([]);
  });

  // In the ordinary gate the page itself has such a run, and Time has its own.
  if (isThorough)
    test('views of a run of 100 actors and 10,000 entries are bounded: no more than 2,000 elements, wherever they are', async () => {
      const recording = crowd(100, 10_000);
      const problems: string[] = [];
      const server = await startPageServer({
        recorder: { recording, handles: new Map() },
        session: () => ({ control: false, version: '0.1.0', runs: [] }),
      });
      const page = await browser().newPage({ viewport: desk });
      onTestFinished(async () => {
        await page.close();
        await server.close();
      });
      page.on('pageerror', ({ message }) => problems.push(message));
      await page.goto(server.address);
      const total = recording.length.toLocaleString('en-GB');
      await page.locator('.place', { hasText: `${total} / ${total}` }).waitFor();
      const nodes: number[] = [];
      for (const tab of ['7', '8', '9'])
        for (const part of [0.5, 1]) {
          await page.keyboard.press(tab);
          await page.getByRole('slider').fill(String(Math.round(recording.length * part)));
          nodes.push(await page.evaluate(`document.querySelectorAll('*').length`));
          await takePictures(page, `crowd-${tab}`);
        }
      expect(Math.max(...nodes)).toBeLessThan(2_000);
      expect(problems).toEqual([]);
    });
});
