import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { answer } from '../../../src/contracts/agents/decision.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { parallel } from '../../../src/patterns/index.ts';
import { maxSteps } from '../../../src/index.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { cashier } from '../../support/cashier.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { openInspector, openPage } from '../../support/inspector-page.ts';
import { takePicture } from '../../support/pictures.ts';
import { isThorough } from '../../support/thorough.ts';

const breakpoints = (page: Page) => page.locator('.breakpoints li');

const addBreakpoint = async (page: Page, state: string): Promise<void> => {
  await page.getByRole('tab', { name: 'Breakpoints' }).click();
  await page.getByRole('combobox', { name: 'State', exact: true }).fill(state);
  await page.getByRole('button', { name: 'Add' }).click();
  await page.locator('.breakpoints li', { hasText: state }).waitFor();
};

describeInChromium('the local inspector, with several runs', (browser) => {
  test('[FIND-70] choosing a run selects it: pill, chart, transcript, timeline, banner and every control are about it', async () => {
    const { inspector, page, problems } = await openInspector(browser(), { control: true });
    const done = await agent({ name: 'early', decide: () => answer('so') }).run('Say so', {
      inspect: inspector,
      runId: 'run-0',
    });
    const one = cashier('ann').stream('Pay the rent', { inspect: inspector, runId: 'run-1' });
    const two = cashier('bob').stream('Pay the gas', { inspect: inspector, runId: 'run-2' });
    await page.locator('.request').nth(1).waitFor();
    // While several runs are shown, a request says which of them it is of.
    await expect
      .poll(() => page.locator('.request').allInnerTexts())
      .toEqual([
        expect.stringContaining('of ann · Pay the rent'),
        expect.stringContaining('of bob · Pay the gas'),
      ]);
    await page.getByRole('combobox', { name: 'Run' }).selectOption('live run-2');
    await expect.poll(() => page.locator('.subject').innerText()).toContain('bob');
    expect(await page.locator('.transcript').innerText()).toContain('Pay the gas');
    expect(await page.locator('.request').count()).toBe(1);
    expect(await page.locator('.requests .rest').innerText()).toContain('1 request in other runs');
    const lines = [...inspector.recorder.recording.from()];
    const own = lines.filter((line) => line.includes('"actor":"run-2/')).length;
    expect(await page.locator('.place').innerText()).toContain(`${own} / ${own}`);
    expect(await page.locator('.marker').count()).toBe(1);
    const slider = page.getByRole('slider');
    await slider.fill('1');
    expect(await page.getByRole('treeitem').count()).toBe(1);
    expect(await page.getByRole('treeitem').getAttribute('data-actor')).toBe('run-2/bob');
    await page.keyboard.press('l');
    await page.getByRole('toolbar').getByRole('button', { name: 'Abort' }).click();
    const form = page.locator('form.notice');
    expect(await form.innerText()).toContain('Abort bob · “Pay the gas”?');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel');
    await takePicture(page, 'runs-chosen');
    await form.getByRole('button', { name: 'Abort' }).click();
    expect((await two.result).status).toBe('aborted');
    await page.locator('.pill', { hasText: 'aborted' }).waitFor();
    // Why it ended is said wherever its end is.
    const { stopReason } = await two.result;
    const reason = stopReason.kind === 'aborted' ? stopReason.reason : '';
    expect(reason).not.toBe('');
    await expect.poll(() => page.locator('.transcript').innerText()).toContain(reason);
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.locator('.events .words', { hasText: `aborted: ${reason}` }).waitFor();
    await takePicture(page, 'runs-events');
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.getByRole('combobox', { name: 'Run' }).selectOption('live run-0');
    await page.locator('.pill', { hasText: 'completed' }).waitFor();
    expect(one.requests).toHaveLength(1);
    expect(done.status).toBe('completed');
    await page.getByRole('combobox', { name: 'Run' }).selectOption('live run-1');
    await page.locator('.request').getByRole('button', { name: 'Approve' }).click();
    expect((await one.result).status).toBe('completed');
    expect(problems).toEqual([]);
  });

  test('[FIND-76] breakpoints are those that the server keeps: after a reload, and with a second tab', async () => {
    const { inspector, page, problems } = await openInspector(browser(), { control: true });
    const run = cashier('ann').stream('Pay the rent', { inspect: inspector, runId: 'run-1' });
    await page.locator('.request').waitFor();
    await addBreakpoint(page, 'REDUCE');
    const { page: second } = await openPage(browser(), inspector);
    await second.locator('.request').waitFor();
    await addBreakpoint(second, 'CHECK_STOP');
    expect(await breakpoints(second).count()).toBe(2);
    await addBreakpoint(page, 'completed');
    expect(await breakpoints(page).count()).toBe(3);
    await page.reload();
    await page.getByRole('tab', { name: 'Breakpoints' }).click();
    await expect.poll(() => breakpoints(page).count()).toBe(3);
    await takePicture(page, 'runs-breakpoints');
    await page
      .locator('.breakpoints li', { hasText: 'CHECK_STOP' })
      .getByRole('button', { name: 'Take away' })
      .click();
    await expect.poll(() => breakpoints(page).count()).toBe(2);
    await page.locator('.request').getByRole('button', { name: 'Approve' }).click();
    await page.getByText("Held: 'ann' has entered REDUCE").waitFor();
    await page.reload();
    await page.getByText("Held: 'ann' has entered REDUCE").waitFor();
    expect(inspector.recorder.breakpoints('run-1').map(({ value }) => value)).toEqual([
      'REDUCE',
      'completed',
    ]);
    run.abort();
    await run.result;
    expect(problems).toEqual([]);
  });

  test('[FIND-77] members of one name are distinguished by number and task, and are found by both', async () => {
    const { inspector, page, problems } = await openInspector(browser(), { control: true });
    const worker = agent({
      name: 'worker',
      model: scriptedModel(Array.from({ length: 30 }, () => () => new Promise<string>(() => undefined))),
    });
    const team = parallel({ name: 'readers', each: worker });
    const chapters = Array.from({ length: 30 }, (_, index) => `Read chapter ${index}`);
    const run = team.stream(chapters, { inspect: inspector, runId: 'run-1' });
    await page.getByRole('treeitem').nth(20).waitFor();
    const rows = page.getByRole('treeitem', { name: 'agent worker' });
    const names = await rows.locator('.name').allInnerTexts();
    const tasks = await rows.locator('.task').allInnerTexts();
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(tasks).size).toBe(tasks.length);
    await page.getByRole('searchbox').fill('chapter 7');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.locator('.task').innerText()).toBe('Read chapter 7');
    await takePicture(page, 'runs-members');
    run.abort();
    await run.result;
    expect(problems).toEqual([]);
  });

  if (isThorough)
    test('[FIND-79] a run in which all waits for a person says so, and one that was stopped does not look like a success', async () => {
      const { inspector, page, problems } = await openInspector(browser(), { control: true });
      const run = cashier('ann').stream('Pay the rent', { inspect: inspector, runId: 'run-1' });
      await page.locator('.pill', { hasText: 'waiting for a person' }).waitFor();
      await page.locator('.request').getByRole('button', { name: 'Deny' }).click();
      await run.result;
      await page.locator('.pill', { hasText: 'completed' }).waitFor();
      const endless = agent({
        name: 'endless',
        model: scriptedModel(Array.from({ length: 9 }, () => calls({ name: 'none', input: {} }))),
        stop: [maxSteps(2)],
      });
      await endless.run('go', { inspect: inspector, runId: 'run-2' });
      await page.getByRole('combobox', { name: 'Run' }).selectOption('live run-2');
      await page.locator('.pill.stopped').waitFor();
      const dot = page.locator('[data-actor="run-2/endless"] .dot');
      expect(await dot.getAttribute('class')).toBe('dot stopped');
      await takePicture(page, 'runs-stopped');
      expect(problems).toEqual([]);
    });

  if (isThorough)
    test('[FIND-79] the sequence opens on its content, with times, tasks and answers', async () => {
      const { inspector, page, problems } = await openInspector(browser(), { control: true });
      const members = Object.fromEntries(
        Array.from({ length: 12 }, (_, index) => [
          `m${index}`,
          agent({ name: `m${index}`, decide: () => answer(`answer ${index}`) }),
        ]),
      );
      await parallel({ name: 'crowd', members }).run('Count the ships', {
        inspect: inspector,
        runId: 'run-1',
      });
      await page.getByRole('treeitem').nth(5).waitFor();
      await page.keyboard.press('2');
      await page.locator('.rows .said').first().waitFor();
      const texts = await page.locator('.rows .said title').allTextContents();
      expect(texts.join('\n')).toMatch(/\d\d:\d\d:\d\d\.\d{3} begin: begins m\d+-\d+: Count the ships/);
      expect(texts.join('\n')).toMatch(/answer: answer \d+/);
      const visible = await page.locator('.rows .said text').evaluateAll((found) => {
        const box = found[0]?.closest('.lanes')?.getBoundingClientRect();
        return found.filter((each) => {
          const { left, right } = each.getBoundingClientRect();
          return box !== undefined && left >= box.left && right <= box.right + 1;
        }).length;
      });
      expect(visible).toBeGreaterThan(0);
      expect(await page.locator('.rows .when').first().textContent()).toMatch(/^\d\d:\d\d:\d\d/);
      await takePicture(page, 'runs-sequence');
      expect(problems).toEqual([]);
    });
});
