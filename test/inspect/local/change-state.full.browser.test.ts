import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../../src/index.ts';
import { pipeline } from '../../../src/patterns/index.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { violationsIn } from '../../support/axe.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { openInspector } from '../../support/inspector-page.ts';
import { takePictures } from '../../support/pictures.ts';

const roll = tool({ name: 'roll', description: 'Rolls.', input: z.object({}), execute: () => 3 });

/** Adds up what it rolls, until that is ten. */
const player = () =>
  agent({
    name: 'player',
    tools: [roll],
    state: { total: 0, seen: [] as readonly string[] },
    decide: ({ state }) =>
      state.total < 10 ? act({ name: 'roll', input: {} }) : answer(`${state.total}: ${state.seen.join(' ')}`),
    reduce: ({ state, results }) => ({
      total: state.total + 3 * results.length,
      seen: [...state.seen, ...results.map(({ text }) => text)],
    }),
  });

const HOSTILE = '<img src=x onerror="document.title=\'owned\'">';

describeInChromium('a state that is changed, on the page', (browser) => {
  test('leads to another end: by the slider, the form and the keyboard, on a phone, and the fork says by whom', async () => {
    const store = memoryStore();
    onTestFinished(() => store.close());
    const it = player();
    await it.run('Play.', { store, runId: 'old' });
    const before = JSON.stringify(await store.read('old'));
    const { inspector, page, problems } = await openInspector(browser(), {
      control: true,
      store,
      agents: [it],
    });
    const dialog = page.getByRole('dialog', { name: 'Change and fork' });
    const written = dialog.getByLabel('The state, as JSON');
    const submit = dialog.getByRole('button', { name: 'Fork' });
    const context = page.locator('.context');

    // At a past moment, the state is the one of then.
    await page.getByRole('tab', { name: 'Context' }).click();
    await page.getByRole('slider').press('Home');
    for (const _ of Array.from({ length: 3 })) await page.keyboard.press('ArrowRight');
    await page.getByRole('treeitem', { name: 'agent player' }).click();
    await page.getByRole('button', { name: 'Change the state and fork here' }).click();
    await written.waitFor();
    expect(JSON.parse(await written.inputValue())).toEqual({ total: 0, seen: [] });
    expect(await dialog.innerText()).toContain('starts with the state that you write');
    await page.keyboard.press('Escape');
    await page.getByRole('slider').press('End');
    await page.getByRole('slider').focus();
    for (const _ of Array.from({ length: 12 })) await page.keyboard.press('ArrowLeft');
    const step = await page.locator('.context .line', { hasText: /^step/ }).innerText();
    expect(step).toMatch(/[34]/);

    // What does not fit is refused in words, and nothing is forked.
    await takePictures(page, 'state-context');
    await page.getByRole('button', { name: 'Change the state and fork here' }).click();
    await written.waitFor();
    expect(await submit.isDisabled()).toBe(true);
    await written.fill('{"total": ');
    await dialog.getByText('It is not JSON').waitFor();
    expect(await submit.isDisabled()).toBe(true);
    await written.fill('{"total": "x", "seen": []}');
    await submit.click();
    await dialog.getByText('state.total has to be a number: found a text').waitFor();
    await takePictures(page, 'state-refused');
    expect(await violationsIn(page)).toEqual([]);
    expect(inspector.recorder.runs).toHaveLength(0);
    await written.fill(JSON.stringify({ total: 40, seen: [HOSTILE] }));
    await dialog.getByLabel('Your name').fill('Ada');
    await submit.click();
    await expect.poll(() => inspector.recorder.runs.at(-1)?.status).toBe('completed');
    const notice = page.locator('.notice.forked');
    await expect
      .poll(() => notice.innerText())
      .toMatch(/^Fork of old at step \d of player by Ada, .*\d\d:\d\d\. Changed here: the state$/);
    await page.getByRole('tab', { name: 'Context' }).click();
    await context.getByText(/The state was changed in this fork by Ada/).waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await takePictures(page, 'state-fork');
    await page.getByRole('link', { name: 'as it was in the original' }).click();
    await context.getByText(/Otherwise in a fork at step/).waitFor();
    await context.getByRole('link', { name: /player/ }).click();
    await context.getByText(/The state was changed in this fork/).waitFor();
    await expect.poll(() => context.innerText()).toContain('40');

    // By the keyboard alone, at the width of a phone.
    await page.getByRole('link', { name: 'as it was in the original' }).click();
    await context.getByText(/Otherwise in a fork at step/).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.keyboard.press('t');
    await written.waitFor();
    expect(await written.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{"total": 11, "seen": ["typed"]}');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await violationsIn(page)).toEqual([]);
    await takePictures(page, 'state-phone');
    await page.setViewportSize({ width: 390, height: 844 });
    for (const _ of ['name', 'fork']) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => inspector.recorder.runs.length).toBe(2);
    await expect.poll(() => inspector.recorder.runs.at(-1)?.status).toBe('completed');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('tab', { name: 'Transcript' }).click();
    await expect.poll(() => page.locator('.transcript').innerText()).toContain('11: typed');
    expect(JSON.stringify(await store.read('old'))).toBe(before);
    expect(await page.title()).not.toBe('owned');
    expect(problems.filter((each) => !each.includes('400'))).toEqual([]);
  });

  test('is offered for the agents of a team, from the form of a fork, too; of the team itself the page says that it has none', async () => {
    const store = memoryStore();
    onTestFinished(() => store.close());
    const team = pipeline({ name: 'table', stages: [player()] });
    await team.run('Play.', { store, runId: 'old' });
    const { inspector, page, problems } = await openInspector(browser(), {
      control: true,
      store,
      agents: [team],
    });
    await page.getByRole('tab', { name: 'Context' }).click();
    await page.getByRole('treeitem', { name: 'team table' }).click();
    await page.getByText('A team has no state to change: select one of its agents.').waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await takePictures(page, 'state-team');
    await page.getByRole('treeitem', { name: 'agent player' }).click();
    await page.keyboard.press('f');
    await takePictures(page, 'state-fork-form');
    await page.getByRole('button', { name: 'Change the agent’s state instead' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change and fork' });
    await dialog.getByLabel('The state, as JSON').fill('{"total": 1, "seen": []}');
    await dialog.getByRole('button', { name: 'Fork' }).click();
    await expect.poll(() => inspector.recorder.runs.length).toBe(1);
    expect(problems).toEqual([]);
  });

  test('is not offered without control', async () => {
    const store = memoryStore();
    onTestFinished(() => store.close());
    const it = player();
    await it.run('Play.', { store, runId: 'old' });
    const { page } = await openInspector(browser(), { store, agents: [it] });
    await page.getByRole('tab', { name: 'Context' }).click();
    await page.locator('.context .line').first().waitFor();
    await page.keyboard.press('t');
    expect(await page.getByRole('button', { name: 'Change the state' }).count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});
