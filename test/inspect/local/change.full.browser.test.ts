import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../../../src/patterns/index.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import { violationsIn } from '../../support/axe.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { openInspector } from '../../support/inspector-page.ts';
import { takePictures } from '../../support/pictures.ts';

const HOSTILE = '<img src=x onerror="document.title=\'owned\'">';

/** A clerk that looks once, and repeats what it saw. */
const clerk = () => {
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: z.object({ where: z.string() }),
    execute: ({ where }) => `rain in ${where}`,
  });
  const model = scriptedModel(
    Array.from({ length: 20 }, () => ({ messages }) => {
      const told = [...messages].map(({ text }) => text);
      return told.length === 1 ? calls({ name: 'look', input: { where: 'A' } }) : `Seen: ${told.at(-1)}`;
    }),
  );
  return agent({ name: 'clerk', model, tools: [look] });
};

const rowsOf = async (store: JournalStore): Promise<string> => JSON.stringify(await store.read('old'));

describeInChromium('a change and a fork, on the page', (browser) => {
  test('of a tool result and of a model answer lead to other ends; the change is noted, with links there and back', async () => {
    const store = memoryStore();
    onTestFinished(() => store.close());
    const it = clerk();
    await it.run('How is it?', { store, runId: 'old' });
    const before = await rowsOf(store);
    const { inspector, page, problems } = await openInspector(browser(), {
      control: true,
      store,
      agents: [it],
    });
    const transcript = page.locator('.transcript');
    const dialog = page.getByRole('dialog', { name: 'Change and fork' });
    const lastFork = () => inspector.recorder.runs.at(-1)?.runId ?? '';

    await page.locator('.item.tool summary').click();
    await page.locator('.item.tool').getByRole('button', { name: 'Change and fork here' }).click();
    const result = dialog.getByLabel("The tool's result");
    await result.waitFor();
    expect(await result.inputValue()).toBe('rain in A');
    expect(await dialog.getByRole('button', { name: 'Fork' }).isDisabled()).toBe(true);
    await result.fill(`sun in A ${HOSTILE}`);
    await takePictures(page, 'change-result');
    await dialog.getByRole('button', { name: 'Fork' }).click();
    await expect.poll(() => transcript.innerText()).toContain(`Seen: sun in A ${HOSTILE}`);
    await expect
      .poll(() => page.locator('.notice.forked').innerText())
      .toMatch(/^Fork of old at step 0 of clerk, .*\d\d:\d\d\. Changed here: the tool's result$/);
    expect(await page.locator('.changed-here').innerText()).toContain("Changed here: the tool's result.");
    expect(await violationsIn(page)).toEqual([]);
    await takePictures(page, 'change-fork');
    await page.getByRole('link', { name: 'As it was in the original' }).click();
    await page.locator('.changed-here', { hasText: 'Otherwise in a fork' }).waitFor();
    expect(await page.locator('.notice.forked').count()).toBe(0);
    await page.locator('.changed-here a').click();
    await page.locator('.changed-here', { hasText: "Changed here: the tool's result." }).waitFor();

    // By the keyboard alone, at the width of a phone.
    await page.getByRole('link', { name: 'As it was in the original' }).click();
    await page.locator('.changed-here', { hasText: 'Otherwise in a fork' }).waitFor();
    await page.getByRole('slider').press('End');
    await page.setViewportSize({ width: 390, height: 844 });
    const first = page.locator('.item.model').first();
    await first.getByRole('button', { name: 'Change and fork here' }).focus();
    await page.keyboard.press('Enter');
    const written = dialog.getByLabel('Its calls of tools, as JSON');
    await written.waitFor();
    await page.keyboard.press('Tab');
    expect(await written.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('[{"name": "look", "input": {"where": 7}}]');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await violationsIn(page)).toEqual([]);
    await takePictures(page, 'change-answer');
    await page.setViewportSize({ width: 390, height: 844 });
    for (const _ of ['model', 'name', 'fork']) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await dialog.getByText("arguments of 'look'").waitFor();
    await written.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('[{"name": "look", "input": {"where": "C"}}]');
    for (const _ of ['model', 'name', 'fork']) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => inspector.recorder.runs.length).toBe(2);
    await expect.poll(() => inspector.recorder.runs.at(-1)?.status).toBe('completed');
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(() => transcript.innerText()).toContain('Seen: rain in C');

    await page.goto(`${new URL(inspector.url).origin}/#/runs`);
    const row = page.locator('.run-row', { hasText: 'fork of old at step 0 of clerk' });
    await expect.poll(() => row.count()).toBe(2);
    await takePictures(page, 'change-runs');
    expect(lastFork()).not.toBe('');
    expect(await rowsOf(store)).toBe(before);
    expect(await page.title()).not.toBe('owned');
    // The browser says itself that a request was refused.
    expect(problems.filter((each) => !each.includes('400'))).toEqual([]);
  });

  test('of what a member of a team said is made in the thread of the team, which opens its call, too', async () => {
    const store = memoryStore();
    onTestFinished(() => store.close());
    const team = pipeline({ name: 'desk', stages: [clerk()] });
    await team.run('How is it?', { store, runId: 'old' });
    const { inspector, page, problems } = await openInspector(browser(), {
      control: true,
      store,
      agents: [team],
    });
    await page.getByRole('treeitem', { name: 'team desk' }).click();
    const thread = page.getByRole('list', { name: 'Thread' });
    const said = thread.locator('.words', { hasText: 'Seen: rain in A' }).first();
    await said.getByRole('button', { name: 'Open the call' }).click();
    await page.locator('.item.model.pointed', { hasText: 'Seen: rain in A' }).waitFor();
    await page.getByRole('treeitem', { name: 'team desk' }).click();
    await page.getByRole('button', { name: 'Whole team' }).click();
    await takePictures(page, 'thread-acts');
    await thread.locator('.item.calls summary').click();
    const call = thread.locator('.item.calls li', { hasText: 'look' });
    await call.getByRole('button', { name: 'Change and fork here' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change and fork' });
    await dialog.getByLabel("The tool's result").fill('sun in A');
    await dialog.getByRole('button', { name: 'Fork' }).click();
    await expect.poll(() => inspector.recorder.runs.length).toBe(1);
    await thread.getByText('Seen: sun in A').first().waitFor();
    await thread.locator('.changed-here', { hasText: "Changed here: the tool's result." }).count();
    expect(await violationsIn(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('is not offered without control', async () => {
    const store = memoryStore();
    onTestFinished(() => store.close());
    const it = clerk();
    await it.run('How is it?', { store, runId: 'old' });
    const { page } = await openInspector(browser(), { store, agents: [it] });
    await page.locator('.item.model').first().waitFor();
    expect(await page.getByRole('button', { name: 'Change and fork here' }).count()).toBe(0);
  });
});
