import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { act, agent, answer, TroupeError } from '../../../src/index.ts';
import type { RuntimeEvent } from '../../../src/index.ts';
import type { Model } from '../../../src/models/index.ts';
import { parallel } from '../../../src/patterns/index.ts';
import { formatTrace, inspect, traceOf } from '../../../src/inspect/index.ts';
import type { Trace } from '../../../src/inspect/index.ts';
import { tracePage } from '../../../src/inspect/traces/formats/trace-as-html.ts';
import { builtPage } from '../../support/built-package.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { looker, temporaryFolder } from './traces-kit.ts';

const HOSTILE =
  '__NONCE__</script><script nonce="__NONCE__">document.title="owned"</script><img src=x onerror="document.title=\'owned\'">';

/** The address of the page of a trace, and what the page was given as. */
const places: readonly (readonly [string, (trace: Trace) => Promise<string>])[] = [
  [
    'a file',
    async (trace) => {
      const file = join(temporaryFolder(), 'run.html');
      writeFileSync(file, await formatTrace(trace, { as: 'html', page: builtPage() }));
      return pathToFileURL(file).href;
    },
  ],
  [
    'the local inspector',
    async (trace) => {
      const inspector = await inspect({ page: await tracePage(trace, { page: builtPage() }) });
      onTestFinished(() => inspector.close());
      return inspector.url;
    },
  ],
];

test('the page of a trace leaves out the reader of files, which only the home page needs', async () => {
  const trace = traceOf((await looker(1).run('go')).events);
  expect(builtPage()).toContain('troupeFileReaderText="');
  expect(await tracePage(trace, { page: builtPage() })).not.toContain('troupeFileReaderText="');
});

describeInChromium('[QITOS-79] [QITOS-80] the page of a trace', (browser) => {
  test.each(places)(
    'from %s shows the run, filters its events, plays it to a breakpoint, and runs nothing of what was said',
    async (_, addressOf) => {
      const evil = looker(1, {
        decide: ({ step }) =>
          step === 0 ? act({ name: 'look', input: { for: HOSTILE } }) : answer({ said: HOSTILE }),
      });
      const trace = traceOf((await evil.run(HOSTILE)).events);
      const page = await browser().newPage({ viewport: { width: 1280, height: 800 } });
      onTestFinished(() => page.close());
      const problems: string[] = [];
      page.on('pageerror', ({ message }) => problems.push(message));
      page.on('console', (line) => {
        if (line.type() === 'error') problems.push(line.text());
      });
      await page.goto(await addressOf(trace));
      await page.getByRole('log', { name: 'Transcript' }).getByText('document.title').first().waitFor();

      await page.getByRole('tab', { name: 'Events' }).click();
      const rows = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
      await rows.first().waitFor();
      const all = await rows.count();
      await page.getByLabel('Filter events').fill('tool.finished');
      await expect.poll(() => rows.count()).toBeLessThan(all);
      expect(await rows.first().textContent()).toContain('tool.finished');

      await page.getByRole('tab', { name: 'Breakpoints' }).click();
      await page.getByLabel('State', { exact: true }).fill('ACT');
      await page.getByRole('button', { name: 'Add' }).click();
      await page.getByLabel('Speed').selectOption('64');
      await page.getByRole('button', { name: 'Play' }).click();
      await page.locator('.subject, .app.past').first().waitFor();
      await page.getByRole('tab', { name: 'Chart' }).click();
      await expect.poll(() => page.locator('.subject .state').textContent()).toBe('ACT');
      await page.getByRole('button', { name: 'Play' }).waitFor();

      await page.getByRole('tab', { name: 'Run' }).click();
      await page.getByText('"stopReason"').waitFor();
      // The title says the run: what was said is text in it, and changes nothing.
      expect(await page.title()).toMatch(/^looker · .* · troupe$/);
      expect(problems).toEqual([]);
    },
  );

  test.each([
    [1280, 800, 'light'],
    [390, 844, 'dark'],
  ] as const)(
    'draws the chart of a team and of its members, all of it within a window of %i by %i',
    async (width, height, colorScheme) => {
      const members = { ann: looker(1), bob: looker(1) };
      const { events } = await parallel({ name: 'crew', members }).run('tea');
      const file = join(temporaryFolder(), 'run.html');
      writeFileSync(file, await formatTrace(traceOf(events), { as: 'html', page: builtPage() }));
      const page = await browser().newPage({ viewport: { width, height }, colorScheme });
      onTestFinished(() => page.close());
      await page.goto(pathToFileURL(file).href);
      await page.getByRole('tab', { name: 'Chart' }).click();
      const isShownWhole = async (text: string): Promise<boolean> => {
        const state = page.locator('.middle svg text', { hasText: text }).first();
        await state.waitFor({ timeout: 5_000 });
        const box = await state.boundingBox();
        return box !== null && box.x >= 0 && box.x + box.width <= width && box.y + box.height <= height;
      };
      for (const state of ['dealing', 'gathering', 'completed']) expect(await isShownWhole(state)).toBe(true);
      await page.getByText('ann-1', { exact: true }).first().click();
      await page.locator('.middle svg text', { hasText: 'DECIDE' }).first().waitFor({ timeout: 5_000 });
      // Nothing is cut off at the right: neither a pane nor a bar is wider than the window.
      const parts = await page.locator('.top > *, main > *, .timeline > *').all();
      const boxes = await Promise.all(parts.map((part) => part.boundingBox()));
      expect(parts.length).toBeGreaterThan(8);
      expect(boxes.filter((box) => box !== null && box.x + box.width > width + 1)).toEqual([]);
    },
  );

  test('[FIND-72] keeps the failure of a model where only errors are wanted', async () => {
    const broken: Model = {
      provider: 'test',
      id: 'broken',
      isLanguageModel: false,
      answer: () => {
        throw new TroupeError('model.refused', 'Cannot answer as the account is out of credit');
      },
    };
    const run = agent({ name: 'bad', model: broken }).stream('go');
    const error: unknown = await run.result.catch((thrown: unknown) => thrown);
    const { events } = (error as { readonly result: { readonly events: readonly RuntimeEvent[] } }).result;
    const file = join(temporaryFolder(), 'run.html');
    writeFileSync(file, await formatTrace(traceOf(events), { as: 'html', page: builtPage() }));
    const page = await browser().newPage({ viewport: { width: 1280, height: 800 } });
    onTestFinished(() => page.close());
    await page.goto(pathToFileURL(file).href);
    await page.getByRole('tab', { name: 'Events' }).click();
    const rows = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
    await rows.first().waitFor();
    const all = await rows.count();
    await page.getByLabel('only errors').check();
    await expect.poll(() => rows.count()).toBeLessThan(all);
    const kept = await rows.allTextContents();
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.join('\n')).toContain('out of credit');
  });
});
