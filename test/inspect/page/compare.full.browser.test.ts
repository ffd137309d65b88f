import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { traceText } from '../../../src/inspect/traces/trace-text.ts';
import { traceOf } from '../../../src/inspect/traces/trace.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { fork } from '../../../src/runtime/journal/resume/fork.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { cashier } from '../../support/cashier.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { openInspector } from '../../support/inspector-page.ts';
import { takePicture } from '../../support/pictures.ts';
import { expectWithinSides } from './beyond-sides.ts';

/** The machine may have other work. */
const soon = { timeout: 20_000 };

const look = tool({
  name: 'look',
  description: 'Looks something up.',
  input: z.object({ what: z.string() }),
  execute: ({ what }) => `${what} is there`,
});

const HARM = '<img src=x onerror="window.harmed=1">\u202E';

const clerk = () =>
  agent({
    name: 'clerk',
    tools: [look],
    model: scriptedModel([
      calls({ name: 'look', input: { what: 'tea' } }),
      calls({ name: 'look', input: { what: 'milk' } }),
      calls({ name: 'look', input: { what: 'sugar' } }),
      'Tea with milk and sugar.',
    ]),
  });

const otherModel = () =>
  scriptedModel([
    calls({ name: 'look', input: { what: HARM } }),
    calls({ name: 'look', input: { what: 'milk' } }),
    `Tea with ${HARM}.`,
  ]);

/** An inspector with a run of its store, and a fork of it. */
const openForked = async (browser: Parameters<typeof openInspector>[0]) => {
  const store = memoryStore();
  onTestFinished(() => store.close());
  const { events } = await clerk().run(`What is there? ${HARM}`, { store, runId: 'one' });
  const opened = await openInspector(browser, { store, agents: [clerk()] });
  const handle = await fork(clerk(), 'one', {
    store,
    runId: 'fork 1/2',
    at: { step: 1 },
    change: { model: otherModel() },
    inspect: opened.inspector,
  });
  await handle.result;
  return { ...opened, events };
};

const fileOf = (name: string, events: Parameters<typeof traceOf>[0]) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(traceText(traceOf(events))),
});

const verdict = (page: Page): Promise<string> => page.locator('.verdict').innerText();

const rowOf = (page: Page, name: string) =>
  page
    .getByRole('table', { name: 'Figures of both runs' })
    .getByRole('row')
    .filter({ hasText: name })
    .first();

describeInChromium('two runs side by side', (browser) => {
  test('are chosen, compared and left for the moment at which they part by the keyboard alone; a reload keeps them', async () => {
    const { page, problems } = await openForked(browser());
    await page.goto(new URL('#/runs', page.url()).href);
    await expect.poll(() => page.locator('.run-row[aria-selected]').count(), soon).toBe(2);
    await page.getByRole('grid').focus();
    for (const key of ['End', ' ', 'Home', ' ']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Compare', exact: true }).waitFor();
    await takePicture(page, 'compare-chosen-1280-light');
    await page.keyboard.press('c');
    await expect.poll(() => page.url(), soon).toMatch(/#\/compare\/run\/one\/run\/fork%201%2F2$/);
    await expect
      .poll(() => verdict(page), soon)
      .toMatch(/^\d+ events of both are the same; then they part\.$/);
    expect(await page.getByRole('region', { name: 'Where they part' }).innerText()).toContain(
      'At clerk, step 1, DECIDE',
    );
    await expect.poll(() => rowOf(page, 'Tool calls').innerText(), soon).toMatch(/3\s+3\s+same$/);
    expect(await rowOf(page, 'Input').innerText()).toMatch(/same$/);
    const called = page.getByRole('region', { name: 'Tool calls after that' });
    expect(await called.getByRole('list', { name: 'both' }).innerText()).toContain('look({"what":"milk"})');
    expect(await called.getByRole('list', { name: 'only A' }).innerText()).toContain('sugar');
    expect(await called.getByRole('list', { name: 'only B' }).innerText()).toContain('onerror');
    expect(await page.evaluate('window.harmed')).toBeUndefined();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 1280, height: 800 });
      await takePicture(page, `compare-1280-${colorScheme}`);
      await page.setViewportSize({ width: 390, height: 844 });
      await takePicture(page, `compare-390-${colorScheme}`);
      await expectWithinSides(page);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    const address = page.url();
    const said = await page.locator('main.compare').innerText();
    await page.reload();
    await expect.poll(() => page.locator('main.compare').innerText(), soon).toBe(said);
    await page.getByRole('link', { name: 'Show this moment in B' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url(), soon).toMatch(/#\/run\/fork%201%2F2\/chart\?actor=clerk&n=\d+$/);
    const n = /n=(\d+)/.exec(page.url())?.[1];
    await expect.poll(() => page.locator('#scrub').inputValue(), soon).toBe(n);
    await page.goBack();
    await expect.poll(() => page.url(), soon).toBe(address);
    await page.getByRole('link', { name: 'Show this moment in A' }).click();
    await expect.poll(() => page.url(), soon).toMatch(/#\/run\/one\/chart\?actor=clerk&n=\d+$/);
    await expect.poll(() => page.locator('#scrub').inputValue(), soon).toBe(/n=(\d+)/.exec(page.url())?.[1]);
    expect(problems).toEqual([]);
  });

  test('are files that are open in the page, or a file and its own run, which is the same', async () => {
    const { page, problems, events } = await openForked(browser());
    await page.goto(new URL('#/runs', page.url()).href);
    const { events: others } = await cashier().run('Pay', {
      runId: 'other',
      limits: { budget: { steps: 1 } },
    });
    await page.getByLabel('Files with runs').setInputFiles([fileOf('a', events), fileOf('b', others)]);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => page.locator('.run-row[aria-selected]').count(), soon).toBe(4);
    // The third choice takes the place of the first.
    const boxes = page.locator('.run-row[aria-selected]').filter({ hasText: 'clerk' }).getByRole('checkbox');
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await boxes.nth(2).check();
    expect(await boxes.nth(0).isChecked()).toBe(false);
    await takePicture(page, 'compare-chosen-390-light');
    await page.goto(new URL('#/compare/run/one/file/one', page.url()).href);
    await expect.poll(() => verdict(page), soon).toMatch(/^The runs are the same: \d+ events\.$/);
    await page.goto(new URL('#/compare/file/one/file/other', page.url()).href);
    await expect.poll(() => verdict(page), soon).toContain('then they part');
    await page.goto(new URL('#/file/one/chart', page.url()).href);
    await page.setViewportSize({ width: 1280, height: 800 });
    await takePicture(page, 'compare-with-1280');
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('run/fork%201%2F2');
    await expect.poll(() => page.url(), soon).toMatch(/#\/compare\/file\/one\/run\/fork%201%2F2$/);
    await expect.poll(() => verdict(page), soon).toContain('then they part');
    await page.reload();
    await page.getByRole('alert').getByText('This file is not open').waitFor();
    await page.goto(new URL('#/compare/run/one/run/nobody', page.url()).href);
    await page.getByRole('alert').getByText("'nobody'").waitFor();
    expect(problems.filter((each) => !each.includes('404'))).toEqual([]);
  });

  test('are compared as far as one is that still goes on, and followed as it grows', async () => {
    const { inspector, page, problems } = await openInspector(browser(), { control: true });
    const first = cashier().stream('Pay the rent', { inspect: inspector, runId: 'first' });
    const second = cashier().stream('Pay the rent', { inspect: inspector, runId: 'second' });
    await expect.poll(() => first.requests.length + second.requests.length, soon).toBe(2);
    await page.goto(new URL('#/compare/run/first/run/second', page.url()).href);
    await expect.poll(() => verdict(page), soon).toMatch(/^The runs are the same so far: \d+ events\.$/);
    first.approve(first.requests[0]?.id ?? '');
    await first.result;
    await expect
      .poll(() => verdict(page), soon)
      .toMatch(/^\d+ events of both are the same so far; then B has not come further\.$/);
    await expect
      .poll(() => rowOf(page, 'Status').innerText(), soon)
      .toMatch(/completed\s+not ended yet\s+differs/);
    second.approve(second.requests[0]?.id ?? '');
    await second.result;
    await expect.poll(() => verdict(page), soon).toMatch(/^The runs are the same: \d+ events\.$/);
    expect(problems).toEqual([]);
  });
});
