import { expect, test } from 'vitest';
import type { Model, ModelCall } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import type { ScriptedReply } from '../../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { openInspector } from '../../support/inspector-page.ts';
import { deferred, never } from '../../support/runs.ts';
import { takePicture, takePictures } from '../../support/pictures.ts';

const HOSTILE = '<img src=x onerror="document.title=\'owned\'">';

const RECORDED = 'Tea is 3 euros.\nCoffee is 4 euros.\nBoth are hot.';

/** A clerk whose model answers once in its run, and then as it is told. */
const clerkOf = (...replies: readonly ScriptedReply[]) => {
  const model = scriptedModel([
    { text: RECORDED, usage: { input: 120, output: 18, billedUsd: 0.0004 } },
    ...replies,
  ]);
  const settings = { temperature: 0.25 };
  return { model, clerk: agent({ name: 'clerk', instructions: 'You sell drinks.', model, settings }) };
};

describeInChromium('a model call that is made again, on the page', (browser) => {
  test('is edited and sent, and its answer is shown beside the recorded one, with their difference', async () => {
    const { clerk, model } = clerkOf(
      {
        ...calls({ name: 'echo', input: { text: HOSTILE } }),
        text: `Tea is 3 euros.\nCoffee is 5 euros.\nBoth are hot.\n${HOSTILE}`,
        usage: { input: 130, output: 25, billedUsd: 0.0007 },
      },
      new Error('The line is down.'),
    );
    const { inspector, page, problems } = await openInspector(browser(), { control: true });
    await clerk.run('What is tea?', { inspect: inspector, runId: 'run-1' });
    await page.locator('[data-actor="run-1/clerk"]').click();
    await page.getByRole('button', { name: 'Run again' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run again' });
    const message = dialog.getByLabel('Last message of the user');
    await message.waitFor();
    expect(await message.inputValue()).toBe('What is tea?');
    expect(await dialog.getByLabel('Model').inputValue()).toBe('scripted:script');
    expect(await dialog.getByLabel('Instructions').inputValue()).toBe('You sell drinks.');
    await takePictures(page, 'again-form');
    await message.fill('What is coffee?');
    await page.setViewportSize({ width: 390, height: 844 });
    await dialog.getByRole('button', { name: 'Send' }).click();
    const both = dialog.getByRole('region', { name: 'Both answers' });
    await both.waitFor();
    const { y, height } = (await both.locator('article').first().boundingBox()) ?? { y: 0, height: 0 };
    expect(y + height, 'the answers are in sight on a phone').toBeLessThanOrEqual(844);
    await takePicture(page, 'again-answers-phone');
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(model.requests[1]?.messages.at(-1)?.text).toBe('What is coffee?');
    expect(await both.locator('.answers h3').allInnerTexts()).toEqual(['Recorded', 'Now']);
    expect(await both.locator('.answers .prose').allInnerTexts()).toEqual([
      RECORDED,
      `Tea is 3 euros.\nCoffee is 5 euros.\nBoth are hot.\n${HOSTILE}`,
    ]);
    expect(await both.locator('.answers li').innerText()).toContain(`echo {"text":"<img`);
    const costs = both.getByRole('row', { name: 'Cost' }).getByRole('cell');
    expect(await costs.allInnerTexts()).toEqual(['$0.00040', '$0.00070']);
    expect(await both.locator('.difference .left .text').allInnerTexts()).toEqual(['Coffee is 4 euros.']);
    expect(await both.locator('.difference .right .text').allInnerTexts()).toEqual([
      'Coffee is 5 euros.',
      HOSTILE,
    ]);
    await takePictures(page, 'again-answers');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('The line is down.').waitFor();
    expect(await both.count()).toBe(0);
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
    expect(await page.title()).not.toBe('owned');
    // The browser says itself that a request was refused.
    expect(problems.filter((each) => !each.includes('409'))).toEqual([]);
  });

  test('is cancelled by a press, and by closing its form; what cannot be sent says why', async () => {
    const signals = [deferred<AbortSignal>(), deferred<AbortSignal>()];
    const { clerk } = clerkOf(
      ...signals.map((asked): ScriptedReply => (_, { signal }) => {
        asked.resolve(signal);
        return never();
      }),
    );
    const { inspector, page } = await openInspector(browser(), { control: true });
    await clerk.run('What is tea?', { inspect: inspector, runId: 'run-1' });
    await page.locator('[data-actor="run-1/clerk"]').click();
    await page.getByRole('button', { name: 'Run again' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run again' });
    const send = dialog.getByRole('button', { name: 'Send' });
    await dialog.getByLabel('Last message of the user').fill(' ');
    await dialog.getByText('Write a message.').waitFor();
    expect(await send.isDisabled()).toBe(true);
    await dialog.getByLabel('Last message of the user').fill('What is tea?');
    await dialog.getByLabel('Model').fill('opnai:gpt-9');
    await send.click();
    await dialog.getByText("did you mean 'openai:gpt-9'").waitFor();
    await dialog.getByLabel('Model').fill('scripted:script');
    await send.click();
    const first = await signals[0]?.promise;
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByText('Cancelled.').waitFor();
    await expect.poll(() => first?.aborted).toBe(true);
    await send.click();
    const second = await signals[1]?.promise;
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => second?.aborted).toBe(true);
  });

  test('shows its answer as it arrives, as text, without secrets; a press cancels it, and what came stays', async () => {
    const gate = deferred<void>();
    const cancelled = deferred<AbortSignal>();
    const turns: readonly ((call: ModelCall) => string | Promise<string>)[] = [
      () => 'Tea.',
      async ({ delta }) => {
        delta({ type: 'reasoning', text: 'What do I know of drinks?' });
        delta({ type: 'text', text: `Tea is 3 euros, by the key drinks-are-cheap-today. ${HOSTILE} And ` });
        await gate.promise;
        return 'Tea is 3 euros.';
      },
      ({ delta, signal }) => {
        delta({ type: 'text', text: 'Coffee is out of stock, as ' });
        cancelled.resolve(signal);
        return never();
      },
    ];
    let asked = 0;
    const model: Model = {
      provider: 'test',
      id: 'speaks',
      answer: async (_, call) => modelAnswer({ text: (await turns[asked++]?.(call)) ?? '' }),
    };
    const clerk = agent({ name: 'clerk', instructions: 'You sell drinks.', model });
    const secrets = { DRINKS: 'drinks-are-cheap-today' };
    const { inspector, page, problems } = await openInspector(browser(), { control: true, secrets });
    await clerk.run('What is tea?', { inspect: inspector, runId: 'run-1' });
    await page.locator('[data-actor="run-1/clerk"]').click();
    await page.getByRole('button', { name: 'Run again' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run again' });
    await dialog.getByRole('button', { name: 'Send' }).click();
    const arriving = dialog.getByRole('region', { name: 'The answer so far' });
    await arriving.getByText('by the key [redacted DRINKS].').waitFor();
    expect(await arriving.innerText()).toContain(HOSTILE);
    await dialog.getByText('The model answers').waitFor();
    await takePictures(page, 'again-arriving');
    gate.resolve();
    await dialog.getByRole('region', { name: 'Both answers' }).waitFor();
    expect(await arriving.count()).toBe(0);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await arriving.getByText('Coffee is out of stock').waitFor();
    const signal = await cancelled.promise;
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByText('Cancelled.').waitFor();
    await expect.poll(() => signal.aborted).toBe(true);
    expect(await arriving.innerText()).toMatch(/As far as it came[^]*Coffee is out of stock/);
    expect(await page.title()).not.toBe('owned');
    expect(problems).toEqual([]);
  });

  test('is not offered without control', async () => {
    const { clerk } = clerkOf();
    const { inspector, page } = await openInspector(browser(), {});
    await clerk.run('What is tea?', { inspect: inspector, runId: 'run-1' });
    await page.locator('.item.model').waitFor();
    expect(await page.getByRole('button', { name: 'Run again' }).count()).toBe(0);
  });
});
