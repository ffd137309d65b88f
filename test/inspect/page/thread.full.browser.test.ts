import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { parallel } from '../../../src/patterns/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { openInspector } from '../../support/inspector-page.ts';
import { newsroom } from './newsroom.ts';

/** The machine may have other work. */
const soon = { timeout: 30_000 };

const hostile = [
  '# Found',
  '',
  '| place | fare |\n|-|-|\n| pier | **5** |',
  '',
  '<script>window.harmed=1</script> <img src=x onerror="window.harmed=1">',
  '',
  '[council](https://example.org/fares) [trap](javascript:window.harmed=1)',
  '',
  '![picture](https://example.org/picture.png)',
].join('\n');

/** True of a list that is longer than its pane and shows its end. */
const isAtEnd = (list: Locator): Promise<boolean> =>
  list.evaluate(
    ({ scrollTop, clientHeight, scrollHeight }) =>
      scrollHeight > clientHeight && scrollTop + clientHeight > scrollHeight - 2,
  );

/** Shows a page on a phone, turns the phone, and leaves the page on a low desk. */
const turn = async (page: Page): Promise<void> => {
  for (const [width, height] of [
    [390, 844],
    [844, 390],
    [1280, 500],
  ] as const)
    await page.setViewportSize({ width, height });
};

describeInChromium('the thread of a team', (browser) => {
  test('reads as people wrote to each other, up to the place that is shown; a link leads to that of one agent', async () => {
    const { inspector, page, problems } = await openInspector(browser(), {});
    await newsroom().run('What became of the ferry?', {
      inspect: inspector,
      runId: 'news-1',
      person: { approve: () => true },
    });
    await page.getByRole('treeitem', { name: 'team newsroom' }).click();
    const thread = page.getByRole('list', { name: 'Thread' });
    const rows = thread.getByRole('listitem');
    await thread.getByText('The piece on the ferry is on the front page.').last().waitFor(soon);
    // It stays at its end until somebody scrolls back, also where a phone is turned.
    await expect.poll(() => rows.last().innerText(), soon).toContain('completed');
    await turn(page);
    await expect.poll(() => isAtEnd(thread), soon).toBe(true);
    await page.getByRole('treeitem', { name: 'agent researcher' }).click();
    const transcript = page.getByRole('log', { name: 'Transcript' });
    await expect.poll(() => isAtEnd(transcript), soon).toBe(true);
    await turn(page);
    await expect.poll(() => isAtEnd(transcript), soon).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('treeitem', { name: 'team newsroom' }).click();
    await expect.poll(() => rows.last().innerText(), soon).toContain('completed');
    await thread.evaluate((element) => {
      element.scrollTop = 0;
    });
    await expect
      .poll(() => rows.first().innerText(), soon)
      .toMatch(/outside → newsroom[^]*What became of the ferry/);
    const calls = rows.filter({ hasText: 'read_article ×2' });
    await calls.locator('summary').scrollIntoViewIfNeeded();
    expect(await calls.innerText()).toContain('failed');
    await calls.locator('summary').click();
    await calls.getByRole('button', { name: 'read_article' }).last().click();
    await page.locator('.item.tool.failed details[open]').waitFor(soon);
    await expect.poll(() => page.url(), soon).toContain('thread=agent');
    await page.getByRole('treeitem', { name: 'team newsroom' }).click();
    expect(await thread.count()).toBe(0);
    await page.getByRole('button', { name: 'Whole team' }).click();
    await thread.waitFor(soon);
    await expect.poll(() => page.url(), soon).not.toContain('thread=');
    await page.getByRole('slider').fill('40');
    await expect.poll(() => rows.last().innerText(), soon).toMatch(/newsroom → (?:researcher-2|archivist-3)/);
    expect(problems).toEqual([]);
  });

  test('shows Markdown as elements, JSON indented, and what is hostile as text; all of it as it is written, too', async () => {
    const { inspector, page, problems } = await openInspector(browser(), {});
    const says = (name: string, text: string) => agent({ name, model: scriptedModel([text]) });
    const json = JSON.stringify({ list: Array.from({ length: 20 }, (_, index) => index) });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const desk = parallel({ name: 'desk', members: { ann: says('ann', hostile), bob: says('bob', json) } });
    await desk.run('Look.', { inspect: inspector, runId: 'r' });
    await page.getByRole('treeitem', { name: 'team desk' }).click();
    const thread = page.getByRole('list', { name: 'Thread' });
    // The team repeats what its members said.
    const list = thread.locator('details.json', { hasText: '"list"' }).first();
    await list.locator('summary').click(soon);
    expect(await list.locator('pre').innerText()).toContain('\n    19\n');
    const said = thread.locator('.words', { has: page.locator('table') });
    await said.scrollIntoViewIfNeeded();
    expect(await said.locator('h2').innerText()).toBe('Found');
    expect(await said.locator('td').allInnerTexts()).toEqual(['pier', '5']);
    expect(await said.innerText()).toContain('<script>window.harmed=1</script> <img src=x');
    expect(await said.innerText()).toContain('[trap](javascript:window.harmed=1)');
    const links = said.locator('a');
    expect(await links.evaluateAll((all) => all.map((each) => each.outerHTML))).toEqual([
      expect.stringMatching(
        /href="https:\/\/example.org\/fares".*target="_blank" rel="noopener noreferrer">council</,
      ),
      expect.stringMatching(/href="https:\/\/example.org\/picture.png".*>picture</),
    ]);
    expect(await page.locator('img, .side script').count()).toBe(0);
    await page.getByRole('checkbox', { name: 'as it is written' }).check();
    await expect.poll(() => thread.locator('a, table, h2').count(), soon).toBe(0);
    await thread.getByText('**5**').first().waitFor(soon);
    await expect.poll(() => page.url(), soon).toContain('verbatim=1');
    expect(await page.evaluate('window.harmed')).toBeUndefined();
    expect(asked.filter((url) => url.includes('example.org'))).toEqual([]);
    expect(problems).toEqual([]);
  });
});
