import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { answer } from '../../../src/contracts/agents/decision.ts';
import { traceAsHtml } from '../../../src/inspect/traces/formats/trace-as-html.ts';
import { traceText } from '../../../src/inspect/traces/trace-text.ts';
import { traceOf } from '../../../src/inspect/traces/trace.ts';
import { parallel } from '../../../src/patterns/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { builtPage } from '../../support/built-package.ts';
import { openInspector } from '../../support/inspector-page.ts';
import { takePicture } from '../../support/pictures.ts';

/** The machine may have other work. */
const soon = { timeout: 20_000 };

const echo = (name: string) => agent({ name, decide: ({ input }) => answer(input) });
const desk = () => parallel({ name: 'desk', members: { ann: echo('ann'), ben: echo('ben') } });

const traceFile = async (runId: string, input: string) => {
  const { events } = await desk().run(input, { runId });
  return { name: `${runId}.jsonl`, mimeType: 'text/plain', buffer: Buffer.from(traceText(traceOf(events))) };
};

const titlesIn = (page: Page): Promise<readonly string[]> =>
  page.locator('.runs-table [role=row][aria-selected] [data-column=title]').allInnerTexts();

describeInChromium('a file with a run', (browser) => {
  test('is opened by a button or dropped, has its row and address until the page is loaded again, and leaves it never', async () => {
    const { inspector, page, problems } = await openInspector(browser(), { control: true });
    // The same run is here, too.
    await desk().run('Count the live ships', { inspect: inspector, runId: 'same' });
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET' || request.url().includes('stored')) sent.push(request.url());
    });
    await page.getByRole('link', { name: 'troupe' }).click();
    await expect.poll(() => titlesIn(page), soon).toEqual(['Count the live ships']);
    const harm = 'Count <img src=x onerror="window.harmed=1"> in files';
    await page.getByLabel('Files with runs').setInputFiles(await traceFile('same', harm));
    await expect.poll(() => page.url(), soon).toMatch(/#\/file\/same\/chart\?actor=desk$/);
    await page.getByRole('treeitem', { name: 'agent ann' }).click();
    expect(await page.evaluate('window.harmed')).toBeUndefined();
    await page.getByRole('tab', { name: 'Run' }).click();
    expect(await page.locator('.run-account').innerText()).toContain('"runId": "same"');
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
    await takePicture(page, 'files-run');
    await page.keyboard.press('h');
    await expect.poll(() => titlesIn(page), soon).toHaveLength(2);
    // The run of the server is another one.
    await page.locator('.run-row a', { hasText: 'live ships' }).click();
    await expect.poll(() => page.url(), soon).toContain('#/run/same/');
    expect(await page.getByRole('combobox', { name: 'Run' }).inputValue()).toBe('live same');
    await page.goBack();
    await page.locator('.run-row a', { hasText: 'in files' }).click();
    await expect.poll(() => page.url(), soon).toContain('#/file/same/');
    const address = page.url();
    await page.keyboard.press('h');
    const { name, buffer } = await traceFile('dropped', 'Count what was dropped');
    await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(buffer.toString())}], ${JSON.stringify(name)}));
      document.querySelector('main.home').dispatchEvent(
        new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    })()`);
    await expect.poll(() => page.url(), soon).toContain('#/file/dropped/');
    await page.keyboard.press('h');
    const exported = await desk().run('Count what is in a page <img src=x onerror="window.harmed=1">', {
      runId: 'paged',
    });
    const html = await traceAsHtml(traceOf(exported.events), { page: builtPage() });
    await page
      .getByLabel('Files with runs')
      .setInputFiles({ name: 'run.html', mimeType: 'text/html', buffer: Buffer.from(html) });
    await expect.poll(() => page.url(), soon).toContain('#/file/paged/');
    await page.getByRole('treeitem', { name: 'agent ann' }).click();
    await page.getByRole('tab', { name: 'Run' }).click();
    expect(await page.locator('.run-account').innerText()).toContain('"runId": "paged"');
    expect(await page.evaluate('window.harmed')).toBeUndefined();
    await page.goto(address);
    await page.reload();
    await page.getByText('This file is not open').waitFor();
    await page.getByRole('link', { name: 'All runs' }).last().click();
    await expect.poll(() => titlesIn(page), soon).toEqual(['Count the live ships']);
    expect(sent).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('that cannot be read is refused in words, beside those that can', async () => {
    const { page, problems } = await openInspector(browser(), {});
    await page.getByRole('link', { name: 'troupe' }).click();
    const other = (name: string, text: string) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(text),
    });
    await page
      .getByLabel('Files with runs')
      .setInputFiles([
        other('<b>notes</b>.txt', 'hello'),
        await traceFile('good', 'Count the ships'),
        other('page.html', '<html></html>'),
      ]);
    await expect.poll(() => titlesIn(page), soon).toEqual(['Count the ships']);
    const refused = page.locator('.home').getByRole('alert');
    await expect.poll(() => refused.innerText(), soon).toContain('it begins with "hello"');
    expect(await refused.innerText()).toContain('it is a page without a run in it');
    await takePicture(page, 'files-refused-1280-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    await takePicture(page, 'files-refused-390-dark');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    expect(await refused.count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
