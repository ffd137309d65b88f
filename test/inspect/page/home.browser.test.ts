import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { answer } from '../../../src/contracts/agents/decision.ts';
import type { RunRow } from '../../../src/inspect/page/session.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { parallel } from '../../../src/patterns/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { cashier } from '../../support/cashier.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { isThorough } from '../../support/thorough.ts';
import { openInspector, openPage } from '../../support/inspector-page.ts';
import { startPageServer } from './page-server.ts';
import { takePicture } from '../../support/pictures.ts';
import { expectWithinSides } from './beyond-sides.ts';

/** The machine may have other work. */
const soon = { timeout: 10_000 };

const echo = (name: string) => agent({ name, decide: ({ input }) => answer(input) });

const desk = () => parallel({ name: 'desk', members: { ann: echo('ann'), ben: echo('ben') } });

/** What somebody who reloads must not lose. */
interface Place {
  readonly hash: string;
  readonly tabs: readonly string[];
  readonly actor: string;
  readonly entry: string;
  readonly find: string;
  readonly run: string;
}

const placeOf = (page: Page): Promise<Place> =>
  page.evaluate<Place>(`({
    hash: location.hash,
    tabs: [...document.querySelectorAll('[role=tab][aria-selected=true]')].map((each) => each.textContent),
    actor: document.querySelector('.actor.selected')?.getAttribute('data-actor'),
    entry: document.querySelector('#scrub')?.value,
    find: document.querySelector('#search')?.value,
    run: document.querySelector('select.runs')?.value,
  })`);

const rowTitles = (page: Page): Promise<readonly string[]> =>
  page.locator('.runs-table [role=row][aria-selected] [data-column=title]').allInnerTexts();

/** Runs as a server says them. */
const manyRuns = (count: number): readonly RunRow[] =>
  Array.from({ length: count }, (_, index): RunRow => ({
    run: `run-${index}`,
    agent: ['writer', 'critic', 'cashier'][index % 3] ?? '',
    title: `Task number ${index}`,
    status: index % 7 === 0 ? 'failed' : 'completed',
    isLive: false,
    source: 'stored',
    startedAt: 1_700_000_000_000 + index * 1_000,
    durationMs: index * 10,
    tokens: index,
    costUsd: index / 1_000,
    errors: index % 7 === 0 ? 1 : 0,
    requests: index === 5_000 ? 2 : 0,
  }));

describeInChromium('the address of the inspector', (browser) => {
  if (isThorough)
    test('leads to a run, tab, actor, place and filter: a reload, and another window, lose nothing', async () => {
      const { inspector, page, problems } = await openInspector(browser(), {});
      for (const runId of ['run-1', 'run-2'])
        await desk().run('Count the ships', { inspect: inspector, runId });
      await page.getByRole('combobox', { name: 'Run' }).selectOption('live run-2');
      await page.locator('[data-actor="run-2/desk/ben-1"], [data-actor^="run-2/desk/ben"]').first().click();
      await page.getByRole('tab', { name: 'Events' }).click();
      await page.getByRole('tab', { name: 'Context' }).click();
      await page.getByRole('searchbox').first().fill('ben');
      await page.locator('#scrub').fill('12');
      await expect
        .poll(() => page.url())
        .toMatch(/#\/run\/run-2\/events\?actor=desk\/ben\S*&n=12&side=context&find=ben$/);
      const before = await placeOf(page);
      expect(before).toMatchObject({
        entry: '12',
        find: 'ben',
        run: 'live run-2',
        tabs: ['Events', 'Context'],
      });
      await page.reload();
      await expect.poll(() => placeOf(page), soon).toEqual(before);
      const other = await openPage(browser(), { ...inspector, url: `${inspector.url}${before.hash}` });
      await expect.poll(() => placeOf(other.page), soon).toEqual(before);
      expect(problems).toEqual([]);
    });

  if (isThorough)
    test('is the same for a run once it is stored: its place is counted by its own entries', async () => {
      const store = memoryStore();
      onTestFinished(() => store.close());
      for (const runId of ['run-1', 'run-2']) await desk().run('Count the ships', { store, runId });
      const { inspector, page, problems } = await openInspector(browser(), { store, agents: [desk()] });
      const address = new URL('#/run/run-1/chart?actor=desk&n=9', inspector.url).href;
      await page.goto('about:blank');
      await page.goto(address);
      await expect
        .poll(() => placeOf(page))
        .toMatchObject({ entry: '9', actor: 'run-1/desk', run: 'stored run-1' });
      await page.goto('about:blank');
      await page.goto(new URL('#/run/run-1/chart?n=100000', inspector.url).href);
      await expect.poll(() => page.url(), soon).toMatch(/chart\?actor=desk$/);
      expect(problems).toEqual([]);
    });

  if (isThorough)
    test('goes back and forth through runs, tabs and actors, and past the places in between', async () => {
      const { inspector, page, problems } = await openInspector(browser(), {});
      for (const runId of ['run-1', 'run-2'])
        await desk().run('Count the ships', { inspect: inspector, runId });
      const choice = page.getByRole('combobox', { name: 'Run' });
      const tab = page.getByRole('tab', { selected: true }).first();
      await choice.selectOption('live run-1');
      await expect.poll(() => page.url(), soon).toContain('#/run/run-1/chart?actor=desk');
      await page.getByRole('tab', { name: 'Sequence' }).click();
      for (const at of ['5', '6', '7']) await page.locator('#scrub').fill(at);
      await expect.poll(() => page.url(), soon).toContain('n=7');
      await choice.selectOption('live run-2');
      await expect.poll(() => page.url(), soon).toContain('#/run/run-2/sequence');
      await page.goBack();
      await expect.poll(() => placeOf(page), soon).toMatchObject({ run: 'live run-1', entry: '7' });
      expect(await tab.innerText()).toBe('Sequence');
      await page.goBack();
      await expect.poll(() => tab.innerText(), soon).toBe('Chart');
      await page.goForward();
      await page.goForward();
      await expect.poll(() => placeOf(page), soon).toMatchObject({ run: 'live run-2' });
      expect(problems).toEqual([]);
    });

  if (isThorough)
    test('has no token once the page is there, also where the link to it stands on another page; a reload still works', async () => {
      const { inspector, page, problems } = await openInspector(browser(), {});
      expect(page.url()).not.toContain(inspector.token);
      await page.reload();
      await page.locator('.connection.open').waitFor();
      const elsewhere = createServer((_, response) =>
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<a href="${inspector.url}#/runs">there</a>`),
      );
      await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void elsewhere.close());
      const { port } = elsewhere.address() as AddressInfo;
      await page.goto(`http://localhost:${port}/`);
      await page.getByRole('link').click();
      await page.locator('.connection.open').waitFor();
      expect(page.url()).not.toContain(inspector.token);
      expect(page.url()).toContain('#/runs');
      const answered = await page.reload();
      expect(answered?.status()).toBe(200);
      await page.locator('.connection.open').waitFor();
      expect(problems).toEqual([]);
    });

  if (isThorough)
    test('of a run that is not there says so, and leads to all runs', async () => {
      const { inspector, page, problems } = await openInspector(browser(), {});
      await desk().run('Count the ships', { inspect: inspector, runId: 'run-1' });
      await page.goto(new URL('#/run/run-9/chart', inspector.url).href);
      await page.getByText('This run is not here').waitFor();
      await page.getByRole('link', { name: 'All runs' }).click();
      await expect.poll(() => rowTitles(page), soon).toEqual(['Count the ships']);
      expect(problems).toEqual([]);
    });

  if (isThorough)
    test('of a link that is followed while the page still loads is where it leads', async () => {
      const server = await startPageServer({
        recorder: recorder(),
        session: () => ({
          control: false,
          version: '0',
          runs: manyRuns(2).map((each) => ({ ...each, isLive: true, source: 'live' })),
        }),
      });
      onTestFinished(() => server.close());
      const page = await browser().newPage();
      onTestFinished(() => page.close());
      let answer = (): void => undefined;
      const asked = new Promise<void>((resolve) => {
        void page.route(
          '**/api/session*',
          async (route) => {
            resolve();
            await new Promise<void>((done) => (answer = done));
            await route.continue();
          },
          { times: 1 },
        );
      });
      await page.goto(server.address);
      await asked;
      await page.getByRole('link', { name: 'troupe' }).click();
      answer();
      await expect.poll(() => rowTitles(page)).toHaveLength(2);
      expect(page.url()).toMatch(/#\/runs$/);
    });

  if (isThorough)
    test('of a stored run that the server does not show has its reason, and others can be chosen', async () => {
      const there = recorder();
      await echo('ann').run('go', { runId: 'shown', inspect: there });
      const rows = manyRuns(2).map((each, place) => {
        const run = ['kept', 'shown'][place] ?? '';
        return { ...each, run, title: run };
      });
      const server = await startPageServer({
        recorder: recorder(),
        session: () => ({ control: false, version: '0', runs: rows }),
        stored: { shown: [...there.recording.from()] },
        unshown: { kept: `Cannot show run 'kept' as its agent is unknown` },
      });
      onTestFinished(() => server.close());
      const page = await browser().newPage();
      onTestFinished(() => page.close());
      await page.goto(`${server.address}#/run/kept`);
      await page.getByText(`Cannot show run 'kept' as its agent is unknown`).waitFor();
      expect(await page.locator('.connection').getAttribute('class')).toBe('connection open');
      expect(await page.locator('body').innerText()).not.toContain('Nobody answers');
      await page.getByRole('link', { name: 'All runs' }).last().click();
      await page.locator('.run-row a', { hasText: 'shown' }).click();
      await page.locator('.actor').first().waitFor();
      expect(await page.locator('body').innerText()).not.toContain('Cannot show run');
    });
});

describeInChromium('the table of runs', (browser) => {
  test('shows live and stored runs with what they used, what waits for a person first, and opens one by a click or the keyboard', async () => {
    const store = memoryStore();
    onTestFinished(() => store.close());
    await desk().run('Count the stored ships', { store, runId: 'old' });
    const { inspector, page, problems } = await openInspector(browser(), {
      store,
      agents: [desk()],
      control: true,
    });
    const run = cashier('ann').stream('Pay the rent', { inspect: inspector, runId: 'run-1' });
    await desk().run('Count the live ships', { inspect: inspector, runId: 'run-2' });
    await page.getByRole('link', { name: 'troupe' }).click();
    await expect.poll(() => page.url(), soon).toMatch(/#\/runs$/);
    await expect
      .poll(() => rowTitles(page))
      .toEqual(['Pay the rent', 'Count the live ships', 'Count the stored ships']);
    const row = page.locator('.runs-table [role=row][aria-selected]');
    await expect
      .poll(() => row.nth(2).innerText())
      .toMatch(/completed\s+desk\s+Count the stored ships[\s\S]+\d+ ms/);
    expect(await row.first().innerText()).toContain('waits for you');
    await expect.poll(() => page.title(), soon).toBe('(1) waits · ann');
    await takePicture(page, 'home-few');
    await page.getByRole('searchbox', { name: 'Find a run' }).fill('ships');
    await expect
      .poll(() => rowTitles(page), soon)
      .toEqual(['Count the live ships', 'Count the stored ships']);
    await expect.poll(() => page.url(), soon).toMatch(/find=ships$/);
    await page.reload();
    await expect
      .poll(() => rowTitles(page), soon)
      .toEqual(['Count the live ships', 'Count the stored ships']);
    await page.getByRole('button', { name: 'Title' }).click();
    await page.getByRole('button', { name: 'Title' }).click();
    await expect
      .poll(() => rowTitles(page), soon)
      .toEqual(['Count the stored ships', 'Count the live ships']);
    await page.getByRole('grid').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url(), soon).toMatch(/#\/run\/old\/chart\?actor=desk$/);
    await page.getByRole('treeitem', { name: 'team desk' }).waitFor();
    await page.goBack();
    await expect.poll(() => page.url(), soon).toMatch(/#\/runs\?find=ships&sort=-title$/);
    await page.locator('.runs-table a', { hasText: 'live' }).click();
    await expect.poll(() => page.url(), soon).toContain('#/run/run-2/chart');
    await page.keyboard.press('h');
    await page.getByRole('combobox', { name: 'Status' }).waitFor();
    run.approve(run.requests[0]?.id ?? '');
    await run.result;
    await expect.poll(() => page.title(), soon).toBe('troupe: inspector');
    expect(problems).toEqual([]);
  });

  if (isThorough)
    test('opens first where there are several stored runs and none at work', async () => {
      const store = memoryStore();
      onTestFinished(() => store.close());
      for (const runId of ['a', 'b']) await desk().run(`Count ${runId}`, { store, runId });
      const { page, problems } = await openInspector(browser(), { store, agents: [desk()] });
      await expect.poll(() => rowTitles(page), soon).toEqual(['Count b', 'Count a']);
      expect(problems).toEqual([]);
    });

  test('shows as text what agents are named and asked, whatever it is, and leads nowhere but to runs', async () => {
    const harm = `<img src=x onerror="window.harmed=1">\u202ejavascript:harm()`;
    const rows = manyRuns(3).map((each) => ({
      ...each,
      run: `${harm}/${each.run}`,
      agent: harm,
      title: harm,
      status: harm,
    }));
    const server = await startPageServer({
      recorder: recorder(),
      session: () => ({ control: false, version: '0', runs: rows }),
    });
    onTestFinished(() => server.close());
    const page = await browser().newPage();
    onTestFinished(() => page.close());
    await page.goto(`${server.address}#/runs?status=${encodeURIComponent(harm)}`);
    await expect.poll(() => rowTitles(page), soon).toHaveLength(3);
    expect(await page.evaluate('window.harmed')).toBeUndefined();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('body').innerText()).not.toContain('\u202e');
    const links = await page
      .locator('a')
      .evaluateAll((found) => found.map((each) => each.getAttribute('href') ?? ''));
    expect(links).toHaveLength(7);
    for (const link of links) expect(link).toMatch(/^#\/(?:run|monitor|schedules)/);
    await page.locator('.run-row a').first().click();
    await expect.poll(() => page.evaluate<string>('location.hash'), soon).toContain('#/run/%3Cimg');
    expect(await page.evaluate('window.harmed')).toBeUndefined();
  });

  if (isThorough)
    test('finds runs by what was said in them, part after part, and shows it as text', async () => {
      const harm = `<img src=x onerror="window.harmed=1">\u202eferry`;
      const rows = manyRuns(4);
      const asked: (readonly [string, string | undefined])[] = [];
      const server = await startPageServer({
        recorder: recorder(),
        session: () => ({ control: false, version: '0', runs: rows }),
        said: (find, after) => {
          asked.push([find, after]);
          if (find !== 'ferry') return { found: [] };
          return after === undefined
            ? { found: [{ run: 'run-2', who: harm, text: harm }], next: 'run-2' }
            : { found: [{ run: 'run-0', who: 'ann', text: 'The ferry is late' }] };
        },
      });
      onTestFinished(() => server.close());
      const page = await browser().newPage({ viewport: { width: 1280, height: 800 } });
      onTestFinished(() => page.close());
      await page.goto(`${server.address}#/runs`);
      const search = page.getByRole('searchbox', { name: 'Find a run' });
      await search.fill('ferry');
      await expect.poll(() => rowTitles(page)).toHaveLength(2);
      expect((await rowTitles(page)).join('\n')).toContain('Task number 0');
      await page.locator('.run-row .said', { hasText: 'ann: The ferry is late' }).waitFor();
      expect(asked).toEqual([
        ['ferry', undefined],
        ['ferry', 'run-2'],
      ]);
      await takePicture(page, 'home-said');
      expect(await page.evaluate('window.harmed')).toBeUndefined();
      expect(await page.locator('img').count()).toBe(0);
      expect(await page.locator('body').innerText()).not.toContain('\u202e');
      // Words of the title are found without it; what is in no run leaves nothing, and is forgotten with the words.
      await search.fill('number 3');
      await expect.poll(() => rowTitles(page)).toEqual(['Task number 3']);
      await search.fill('nowhere');
      await page.getByText('No run is like that.').waitFor();
      await search.fill('');
      await expect.poll(() => rowTitles(page)).toHaveLength(4);
      expect(await page.locator('.said').count()).toBe(0);
    });

  if (isThorough)
    test('of 10,000 runs has at most 2,000 elements, and the keyboard reaches each of them', async () => {
      const runs = manyRuns(10_000);
      const session = { control: false, version: '0', runs: runs.slice(0, 200) };
      const server = await startPageServer({
        recorder: recorder(),
        session: () => session,
        rows: () => runs,
      });
      onTestFinished(() => server.close());
      const page = await browser().newPage({ viewport: { width: 1280, height: 800 } });
      onTestFinished(() => page.close());
      const problems: string[] = [];
      page.on('pageerror', ({ message }) => problems.push(message));
      await page.goto(`${server.address}#/runs`);
      const grid = page.getByRole('grid');
      await grid.waitFor();
      const elements = (): Promise<number> => page.evaluate<number>(`document.querySelectorAll('*').length`);
      expect(await grid.getAttribute('aria-rowcount')).toBe('10001');
      expect((await rowTitles(page))[0]).toBe('Task number 5000');
      expect(await elements()).toBeLessThan(2_000);
      await grid.focus();
      await page.keyboard.press('End');
      await expect.poll(() => page.locator('.run-row.chosen').innerText(), soon).toContain('Task number 0');
      await page.keyboard.press('PageUp');
      await page.keyboard.press('ArrowUp');
      const isInSight = await page.locator('.run-row.chosen').evaluate((row) => {
        const [box, of] = [row.getBoundingClientRect(), row.closest('.runs-table')?.getBoundingClientRect()];
        return of !== undefined && box.top >= of.top && box.bottom <= of.bottom;
      });
      expect(isInSight).toBe(true);
      expect(await elements()).toBeLessThan(2_000);
      await takePicture(page, 'home-many');
      await page.emulateMedia({ colorScheme: 'dark' });
      await takePicture(page, 'home-many-dark');
      await page.getByRole('combobox', { name: 'Status' }).selectOption('failed');
      await page.getByRole('button', { name: 'Cost' }).click();
      await expect.poll(async () => (await rowTitles(page))[0], soon).toBe('Task number 9996');
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width: 390, height: 844 });
        await takePicture(page, `home-phone-${scheme}`);
      }
      expect(await cutOff(page)).toEqual([]);
      expect(await elements()).toBeLessThan(2_000);
      expect(problems).toEqual([]);
    });
});

const pressed = [
  '.top :is(button, select, a)',
  '.timeline :is(button:not(.marker), select, input)',
  '.notice button',
  '.request button',
  '.runs-filter > :is(button, select), .runs-filter :is(.search input, summary)',
  '.runs-head button',
].join(', ');

/** What is to be pressed and stands outside of the window. */
const cutOff = (page: Page): Promise<readonly string[]> =>
  page.locator(pressed).evaluateAll((found) =>
    found
      .filter((each) => {
        const { left, right, width } = each.getBoundingClientRect();
        return width === 0 || left < 0 || right > 390.5;
      })
      .map((each) => each.getAttribute('aria-label') ?? each.textContent ?? ''),
  );

/** Names the buttons that are less tall than a thumb. */
const lessThanThumb = (page: Page): Promise<readonly string[]> =>
  page
    .locator(':is(.request, .notice, .controls, .timeline, .tabs) button:not(.link, .marker)')
    .evaluateAll((found) =>
      found
        .filter((each) => each.getBoundingClientRect().height < 43.5)
        .map((each) => each.getAttribute('aria-label') ?? each.textContent ?? ''),
    );

describeInChromium('the inspector on a small screen', (browser) => {
  if (isThorough)
    test('has every button of its bars within 390 pixels, Live among them, as tall as a thumb', async () => {
      const { inspector, page, problems } = await openInspector(browser(), { control: true });
      await page.setViewportSize({ width: 390, height: 844 });
      const run = cashier('ann').stream('Pay the rent for the whole house', {
        inspect: inspector,
        runId: 'run-1',
      });
      await page.locator('.request').getByRole('button', { name: 'Approve' }).waitFor();
      for (const name of ['Pause', 'Message', 'Kill', 'Abort', 'Keyboard and help', 'Live', 'Approve'])
        await page.getByRole('button', { name, exact: true }).waitFor();
      await takePicture(page, 'home-phone-run');
      expect(await cutOff(page)).toEqual([]);
      await page.getByRole('button', { name: 'Abort' }).click();
      expect(await cutOff(page)).toEqual([]);
      expect(await lessThanThumb(page)).toEqual([]);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.locator('#scrub').fill('5');
      await takePicture(page, 'home-phone-past');
      expect(await cutOff(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      await page.getByRole('button', { name: 'Live', exact: true }).click();
      // On a phone, and enlarged to 200 % on a desk.
      for (const size of [
        { width: 390, height: 844 },
        { width: 640, height: 400 },
      ]) {
        await page.setViewportSize(size);
        // The last first, so that each is another one than before.
        for (const tab of (await page.getByRole('tab').all()).toReversed()) {
          await tab.click();
          const name = `${size.width} ${await tab.innerText()}`;
          const { y, height } = (await page
            .getByRole('tabpanel', { name: await tab.innerText() })
            .boundingBox()) ?? { y: 0, height: 0 };
          expect(height, `${name} has room`).toBeGreaterThan(200);
          expect(Math.min(y, size.height - y - height), `${name} is in sight`).toBeGreaterThanOrEqual(-1);
          await expectWithinSides(page, name);
        }
      }
      run.abort();
      await run.result;
      expect(problems).toEqual([]);
    });
});

describeInChromium('what waits for a person', (browser) => {
  if (isThorough)
    test('is in the title, and is notified once it is allowed by a click, while the page is not looked at', async () => {
      const { inspector, page, problems } = await openInspector(browser(), { control: true });
      // A browser without a window shows none, and allows none.
      await page.addInitScript(`
      globalThis.told = [];
      globalThis.Notification = class extends EventTarget {
        static permission = 'default';
        static requestPermission = async () => 'granted';
        constructor(title, options) {
          super();
          told.push({ title, ...options });
        }
      };
      document.hasFocus = () => false;
    `);
      await page.reload();
      const told = (): Promise<unknown> => page.evaluate('told');
      const first = cashier('ann').stream('Pay the rent', { inspect: inspector, runId: 'run-1' });
      await expect.poll(() => page.title(), soon).toBe('(1) waits · ann');
      expect(await told()).toEqual([]);
      await page.getByRole('button', { name: 'Notify me of what waits' }).click();
      await expect
        .poll(() => page.getByRole('button', { name: 'Notify me' }).getAttribute('aria-pressed'))
        .toBe('true');
      const second = cashier('ben').stream('Pay the tax', { inspect: inspector, runId: 'run-2' });
      await expect.poll(() => page.title(), soon).toBe('(2) waits · ben, ann');
      await expect
        .poll(told)
        .toEqual([{ title: 'ben waits for you', body: 'ben · Pay the tax', tag: 'run-2' }]);
      for (const run of [first, second]) {
        run.abort();
        await run.result;
      }
      await expect.poll(() => page.title(), soon).not.toContain('waits');
      expect(problems).toEqual([]);
    });
});
