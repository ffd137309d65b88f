import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { Session } from '../../../src/inspect/page/session.ts';
import type { Breakpoint } from '../../../src/inspect/recording/breakpoint.ts';
import type { Recorder } from '../../../src/inspect/recording/recorder.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { z } from 'zod';
import { answer } from '../../../src/contracts/agents/decision.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { isThorough, sampled, sized } from '../../support/thorough.ts';
import { crowd } from './crowd.ts';
import { newsroom } from './newsroom.ts';
import { startPageServer } from './page-server.ts';
import type { Shown } from './page-server.ts';

/** Where pictures of the page are put, if anywhere: `docs` for those that are shown there, or a folder for all. */
const wanted = process.env['TROUPE_SCREENSHOTS'];
const inDocs = ['light', 'dark', 'sequence'];

const takePicture = async (page: Page, name: string): Promise<void> => {
  if (wanted === undefined || (wanted === 'docs' && !inDocs.includes(name))) return;
  const folder = wanted === 'docs' ? resolve(import.meta.dirname, '../../../docs') : wanted;
  mkdirSync(folder, { recursive: true });
  // What moves is at rest.
  await page.evaluate(
    'Promise.all(document.getAnimations().map((each) => each.effect.getTiming().iterations === 1 && each.finished))',
  );
  await page.screenshot({ path: join(folder, `inspector-${name}.png`) });
};

interface Opened {
  readonly page: Page;
  /** What the page asked of runs. */
  readonly asked: readonly unknown[];
  /** What went wrong in it. */
  readonly problems: readonly string[];
}

let tab: Page | undefined;

/** One page for all tests, as a browser takes long to make one; each has a server, and so a storage, of its own. */
const tabOf = async (browser: Browser): Promise<Page> =>
  (tab ??= await browser.newPage({ viewport: { width: 1280, height: 800 } }));

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
  const page = await tabOf(browser);
  await page.emulateMedia({ colorScheme });
  onTestFinished(async () => {
    for (const event of ['pageerror', 'console', 'dialog'] as const) page.removeAllListeners(event);
    await page.goto('about:blank');
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

/** What a page did for one thing that was done to it. */
interface Work {
  /** How often its functions, and blocks and loops in them, were run. */
  readonly steps: number;
  /** How many nodes were put there, taken away, or changed. */
  readonly changes: number;
}

/** Counts what a page does until the next frame: another count than its time on a machine that others use, too. */
const watchWork = async (page: Page): Promise<(what: string) => Promise<Work>> => {
  const session = await page.context().newCDPSession(page);
  onTestFinished(() => session.detach());
  await session.send('Profiler.enable');
  // Before the page is there: what was compiled earlier counts no loops.
  await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const takeSteps = async (): Promise<number> => {
    const { result } = await session.send('Profiler.takePreciseCoverage');
    const counts = result
      .filter(({ url }) => url.replace(/#.*/, '') === page.url().replace(/#.*/, ''))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  return async (what) => {
    // What came before may still be drawn on a busy machine, and what is drawn when nothing else is to be done: it is not of this.
    do {
      await takeSteps();
      await page.evaluate(
        'new Promise((resolve) => requestAnimationFrame(() => requestIdleCallback(resolve)))',
      );
    } while ((await takeSteps()) > 1_000);
    const changes = await page.evaluate<number>(`(async () => {
      let changes = 0;
      const count = (records) => {
        for (const { addedNodes, removedNodes } of records)
          changes += 1 + [...addedNodes, ...removedNodes].reduce((sum, each) =>
            sum + 1 + (each.querySelectorAll?.('*').length ?? 0), 0);
      };
      const seen = new MutationObserver(count);
      seen.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
      ${what};
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      count(seen.takeRecords());
      seen.disconnect();
      return changes;
    })()`);
    return { steps: await takeSteps(), changes };
  };
};

/** What a model or a tool may come up with to be more than text. */
const hostile = [
  {
    name: 'script',
    text: `<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>\`\${1}\`javascript:harm()`,
  },
  { name: 'escape sequences', text: '\u001b[31mred\u001b[0m\u0007\u0008\u0000 and on' },
  { name: 'marks of direction', text: 'pay \u202eeve\u202c \u2066to\u2069 \u200b\ufeff\u200fnobody' },
  { name: 'hidden tags', text: `hi${String.fromCodePoint(0xe0049, 0xe0067, 0xe006e)} there` },
  { name: 'a very long text', text: 'long'.repeat(50_000) },
  { name: 'a text of marks only', text: '\u202e'.repeat(20_000) },
];

const unseen =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u;

const newsroomOfOne = () => agent({ name: 'clerk', decide: () => answer('done') });

const sessionOf =
  (record: Recorder, control = true) =>
  (): Session => ({
    control,
    version: '0.1.0',
    runs: [...record.handles.keys()].map((run) => ({
      run,
      agent: 'newsroom',
      isLive: true,
      status: 'running',
      title: 'the ferry',
      source: 'live',
      breakpoints: record.breakpoints(run),
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

  test('goes back through the past to any place of it, and to live again; a call is read with what came of it', async () => {
    const record = recorder();
    const { page, problems } = await open(browser(), { recorder: record, session: sessionOf(record) });
    const run = newsroom().stream('What became of the ferry?', { inspect: record, runId: 'news-1' });
    await page.locator('.request').waitFor();
    await page.getByRole('treeitem', { name: 'agent researcher' }).click();
    const failed = page.locator('.item.tool.failed');
    await failed.locator('summary').click();
    expect(await failed.innerText()).toContain('behind a wall');
    expect(await failed.innerText()).toContain('Who pays for the pier');
    const last = await page.locator('.place b').innerText();
    const slider = page.getByRole('slider');
    const count = Number(last.replaceAll(',', ''));
    const called = [...record.recording.from()].findIndex((line) => line.includes('"type":"tool.started"'));
    await slider.fill(String(called + 1));
    await page.getByRole('treeitem', { name: 'agent researcher' }).click();
    expect(await page.locator('.box.atomic.active').getAttribute('data-state')).toBe('agent.running.ACT');
    expect(await page.locator('.item.tool').count()).toBe(1);
    expect(await page.locator('.item.tool .tag').innerText()).toBe('running');
    await takePicture(page, 'past');
    await page.getByRole('tab', { name: 'Context' }).click();
    await page.locator('.line.changed').first().waitFor();
    await takePicture(page, 'context');
    await page.getByRole('button', { name: 'Live' }).click();
    expect(await page.locator('.place b').innerText()).toBe(last);
    for (const key of ['Home', 'ArrowRight', '.', ',']) await page.keyboard.press(key);
    await page.keyboard.press('l');
    await page.keyboard.press('2');
    await page.locator('.rows .said').first().waitFor();
    await takePicture(page, 'sequence');
    expect({ problems, count }).toEqual({ problems: [], count: record.recording.length });
    run.abort();
    await run.result;
  });

  if (isThorough)
    test('looks as calm in the dark', async () => {
      const record = recorder();
      const { page, problems } = await open(
        browser(),
        { recorder: record, session: sessionOf(record) },
        'dark',
      );
      const run = newsroom().stream('What became of the ferry?', { inspect: record, runId: 'news-1' });
      await page.locator('.request').waitFor();
      await page.getByRole('treeitem', { name: 'agent writer' }).click();
      await takePicture(page, 'dark');
      await page.getByRole('treeitem', { name: 'team newsroom' }).click();
      await takePicture(page, 'dark-team');
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      await takePicture(page, 'help');
      await page.keyboard.press('Escape');
      await page.keyboard.press('d');
      expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
      expect(problems).toEqual([]);
      run.abort();
      await run.result;
    });

  // To take in all entries is 9 steps for each, to list all actors 3 changes: fewer of both leave room for less work.
  const [actors, entries] = [sized(100, 1_000), sized(10_000, 100_000)];

  if (isThorough)
    test(`shows ${actors.toLocaleString('en-GB')} actors and ${entries.toLocaleString('en-GB')} entries: selecting any of them, and going to any place, takes no more work than what came in between and what is in sight`, async () => {
      const recording = crowd(actors, entries);
      const work = await watchWork(await tabOf(browser()));
      const { page, problems } = await open(browser(), {
        recorder: { recording, handles: new Map() },
        session: () => ({ control: false, version: '0.1.0', runs: [] }),
      });
      const total = recording.length.toLocaleString('en-GB');
      await page.locator('.place', { hasText: `${total} / ${total}` }).waitFor();
      const scrub = (place: number): Promise<Work> =>
        work(`const slider = document.getElementById('scrub');
        slider.value = ${place};
        slider.dispatchEvent(new Event('input', { bubbles: true }))`);
      const select = (row: number): Promise<Work> =>
        work(`document.querySelectorAll('.actor')[${row}].click()`);
      const nodes: number[] = [];
      const selected: Work[] = [];
      const scrubbed: Work[] = [];
      for (const tab of ['1', '2']) {
        await page.keyboard.press(tab);
        for (const part of [0.9, 0.1, 0.5, 0.49, 0.999, 0.3]) {
          const place = Math.round(recording.length * part);
          scrubbed.push(await scrub(place));
          // It is there by the next frame.
          expect(await page.locator('.place b').innerText()).toBe(place.toLocaleString('en-GB'));
          const row = Math.round(part * 10);
          selected.push(await select(row));
          expect(await page.locator('.actor').nth(row).getAttribute('aria-selected')).toBe('true');
          nodes.push(await page.evaluate(`document.querySelectorAll('*').length`));
        }
        await takePicture(page, `crowd-${tab}`);
      }
      const most = (of: keyof Work, all: readonly Work[]): number => Math.max(...all.map((each) => each[of]));
      // To take in all entries from the beginning is 270,000 steps, or 900,000, to list all actors 900 changes, or 3,000.
      expect(most('steps', selected)).toBeLessThan(sized(160_000, 200_000));
      expect(most('steps', scrubbed)).toBeLessThan(sized(220_000, 400_000));
      expect(most('changes', [...selected, ...scrubbed])).toBeLessThan(sized(700, 2_000));
      expect(Math.max(...nodes)).toBeLessThan(sized(1_400, 5_000));
      expect(problems).toEqual([]);
    }, 300_000);

  test.each(sampled(hostile, 5))('shows as text what would be more than that: $name', async ({ text }) => {
    const record = recorder();
    const helper = agent({
      name: 'helper',
      tools: [
        tool({
          name: 'look',
          description: text,
          input: z.object({ at: z.string() }),
          approval: true,
          describe: () => text,
          execute: () => text,
        }),
      ],
      model: scriptedModel([calls({ name: 'look', input: { at: text } }), text]),
    });
    const { page, problems } = await open(browser(), {
      recorder: record,
      session: () => ({
        control: true,
        version: text,
        runs: [{ run: 'r', agent: text, isLive: true, status: text, title: text, source: 'live' }],
      }),
    });
    const run = helper.stream(text, { inspect: record, runId: 'r' });
    await page.locator('.request').waitFor();
    const seen: string[] = [];
    const look = async (): Promise<void> => {
      seen.push(await page.locator('body').innerText(), await page.locator('.app').innerHTML());
      const nodes = await page.evaluate(`document.querySelectorAll('*').length`);
      expect(nodes).toBeLessThan(5_000);
    };
    await look();
    record.handles.get('r')?.requests.forEach(({ id }) => record.handles.get('r')?.approve(id));
    await run.result;
    await page.locator('.item.note.good').waitFor();
    await page.locator('.item.tool summary').click();
    await look();
    for (const key of ['2', '4', '5', '?']) {
      await page.keyboard.press(key);
      await look();
    }
    await takePicture(page, 'hostile');
    expect(unseen.exec(seen.join('\n'))).toBeNull();
    expect(await page.evaluate('window.harmed')).toBeUndefined();
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.locator('img, iframe, object, a[href]:not(.top h1 a)').count()).toBe(0);
    // Nothing is wider than the window because of it.
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(problems).toEqual([]);
  });

  if (isThorough)
    test('says that nobody runs yet, that the connection is lost, and goes on where it was', async () => {
      const record = recorder();
      const shown = { recorder: record, session: sessionOf(record) };
      const server = await startPageServer(shown);
      const page = await browser().newPage({ viewport: { width: 1280, height: 800 } });
      await page.goto(server.address);
      await page.getByRole('heading', { name: 'No run yet' }).waitFor();
      await takePicture(page, 'empty');
      await newsroomOfOne().run('go', { inspect: record, runId: 'one' });
      await page.getByRole('treeitem', { name: 'agent clerk' }).waitFor();
      await server.close();
      await page.getByText('connection lost').first().waitFor();
      await newsroomOfOne().run('go', { inspect: record, runId: 'two' });
      const port = Number(new URL(server.address).port);
      const again = await startPageServer(shown, port);
      onTestFinished(async () => {
        await page.close();
        await again.close();
      });
      await page.locator('[data-actor="two/clerk"]').waitFor();
      const total = record.recording.length.toLocaleString('en-GB');
      await page.locator('.place', { hasText: `${total} / ${total}` }).waitFor();
      expect(await page.getByRole('treeitem').count()).toBe(2);
    });

  test('shows what a model says while it says it, and no more of that once it has answered', async () => {
    const record = recorder();
    const { page, problems } = await open(browser(), { recorder: record, session: sessionOf(record) });
    let end: (text: string) => void = () => undefined;
    const model = scriptedModel([() => new Promise<string>((resolve) => (end = resolve))]);
    const run = agent({ name: 'teller', model }).stream('tell', { inspect: record, runId: 'r' });
    await page.locator('.item.model').waitFor();
    const asked = [...record.recording.from()].find((line) => line.includes('"type":"model.asked"')) ?? '';
    const { key } = (JSON.parse(asked) as { event: { key: string } }).event;
    const about = { v: 1 as const, at: 0, runId: 'r', path: 'teller', agent: 'teller', key };
    for (const text of ['Once upon', ' a time, twice'])
      record.recording.delta({ ...about, type: 'model.delta', delta: { type: 'text', text } });
    await page.getByText('Once upon a time, twice').waitFor();
    end('The end.');
    await run.result;
    await page.getByText('The end.').first().waitFor();
    expect(await page.getByText('Once upon').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  if (isThorough)
    test('asks of a run what its buttons, keys and forms say', async () => {
      const record = recorder();
      const { page, asked, problems } = await open(browser(), {
        recorder: record,
        session: sessionOf(record),
        control: (body) => {
          const { breakpoint } = body as { breakpoint?: Breakpoint };
          if (breakpoint !== undefined) record.breakAt([breakpoint], 'news-1');
        },
      });
      const run = newsroom().stream('What became of the ferry?', { inspect: record, runId: 'news-1' });
      await page.locator('.request').waitFor();
      await page.getByRole('treeitem', { name: 'agent writer' }).click();
      const bar = page.getByRole('toolbar');
      for (const name of ['Pause', 'Resume', 'Step', 'Effect'])
        await bar.getByRole('button', { name }).click();
      for (const key of ['p', 'r', 's', 'e']) await page.keyboard.press(key);
      // The message is taken only once another form is open, which stays so.
      let take = (): void => undefined;
      const taken = new Promise<void>((resolve) => (take = resolve));
      await page.route('**/api/control*', (route) => taken.then(() => route.continue()), { times: 1 });
      await bar.getByRole('button', { name: 'Message' }).click();
      await page.keyboard.type('p is only a letter here');
      await page.keyboard.press('Enter');
      await bar.getByRole('button', { name: 'Kill' }).click();
      const answered = page.waitForResponse('**/api/control*');
      take();
      await answered;
      await page.locator('form.notice').getByRole('button', { name: 'Kill' }).click();
      await bar.getByRole('button', { name: 'Abort' }).click();
      await page.locator('form.notice').getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('tab', { name: 'Breakpoints' }).click();
      await page
        .getByRole('textbox', { name: 'State' })
        .or(page.getByRole('combobox', { name: 'State' }))
        .fill('CRITIC');
      await page.getByRole('button', { name: 'Add' }).click();
      await page.locator('.breakpoints li').waitFor();
      await page.locator('.request').getByRole('button', { name: 'Deny' }).click();
      const path = run.requests[0]?.path;
      const holds = ['pause', 'resume', 'step', 'effect'].map((what) => ({ run: 'news-1', do: what }));
      await expect.poll(() => asked.length).toBe(12);
      expect(asked).toEqual([
        ...holds,
        ...holds,
        { run: 'news-1', do: 'send', text: 'p is only a letter here', path },
        { run: 'news-1', do: 'kill', path },
        { run: 'news-1', do: 'break-add', breakpoint: { kind: 'state', value: 'CRITIC' } },
        { run: 'news-1', do: 'deny', id: run.requests[0]?.id },
      ]);
      expect(problems).toEqual([]);
      run.abort();
      await run.result;
    });

  if (isThorough)
    test('shows a stored run, and forks it where it is shown', async () => {
      const first = recorder();
      await newsroomOfOne().run('go', { inspect: first, runId: 'old' });
      const lines = [...first.recording.from()];
      const record = recorder();
      const { page, asked, problems } = await open(browser(), {
        recorder: record,
        stored: { old: lines },
        session: () => ({
          control: true,
          version: '0.1.0',
          runs: [{ run: 'old', agent: 'clerk', isLive: false, status: 'completed', source: 'stored' }],
        }),
      });
      await page.getByRole('treeitem', { name: 'agent clerk' }).waitFor();
      await page.locator('.pill', { hasText: 'completed' }).waitFor();
      await page.getByRole('slider').fill('9');
      await page.getByRole('button', { name: 'Fork here' }).click();
      await page.getByRole('button', { name: 'Fork', exact: true }).click();
      await expect.poll(() => asked).toEqual([{ run: 'old', do: 'fork', at: 9 }]);
      expect(problems).toEqual([]);
    });
});
