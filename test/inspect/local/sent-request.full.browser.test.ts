import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { inspect } from '../../../src/inspect/local/inspect.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { builtPage } from '../../support/built-package.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { takePicture } from '../../support/pictures.ts';

const SECRET = 'sk-much-too-secret-for-a-screen';

const price = tool({
  name: 'shop.price',
  description: 'The price of a thing.',
  input: z.object({ thing: z.string() }),
  execute: ({ thing }) => `${thing}: 3 euros, asked with ${SECRET}`,
});

describeInChromium('the request of a model call, in the page of the inspector', (browser) => {
  test('[FIND-71] shows the messages and tools that were sent, what is new in them, and no secret', async () => {
    const inspector = await inspect({ page: builtPage(), secrets: { SHOP_KEY: SECRET } });
    onTestFinished(() => inspector.close());
    const page = await browser().newPage({ viewport: { width: 1280, height: 800 } });
    onTestFinished(() => page.close());
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('console', (line) => {
      if (line.type() === 'error') problems.push(line.text());
    });
    const model = scriptedModel([calls({ name: 'shop.price', input: { thing: 'tea' } }), 'It is 3 euros.']);
    const clerk = agent({
      name: 'clerk',
      instructions: `You sell things. Your key is ${SECRET}.`,
      model,
      tools: [price],
      settings: { temperature: 0.25 },
    });
    await clerk.run('What is <b>tea</b>?', { inspect: inspector, runId: 'run-1' });
    await page.goto(inspector.url);
    await page.locator('[data-actor="run-1/clerk"]').click();
    const requests = page.locator('.transcript .request-part');
    await expect.poll(() => requests.count()).toBe(2);
    // It is put together when somebody opens it.
    expect(await requests.locator('.sent').count()).toBe(0);
    const second = requests.nth(1);
    expect(await second.locator('summary').innerText()).toBe('request: 3 messages, 2 new');
    await second.locator('summary').click();
    await expect.poll(() => second.locator('.sent').count()).toBe(3);

    const sent = model.requests[1];
    expect(sent?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(await second.locator('.sent .who bdi').allInnerTexts()).toEqual([
      'user',
      'assistant',
      'tool shop.price',
    ]);
    const hidden = (text: string): string => text.replaceAll(SECRET, '[redacted SHOP_KEY]');
    const texts = await second.locator('.sent pre').allInnerTexts();
    expect(texts[0]).toBe(sent?.messages[0]?.text);
    expect(texts[1]).toContain('→ shop.price');
    expect(texts[1]).toContain('tea');
    expect(texts[2]).toBe(hidden(sent?.messages[2]?.text ?? ''));
    expect(await second.locator('.sent.new').count()).toBe(2);
    expect(await second.locator('.sent').first().getAttribute('class')).not.toContain('new');

    const shown = await second.innerText();
    expect(shown).toContain(hidden(sent?.instructions ?? ''));
    expect(shown).toContain('Tools: shop.price');
    const parts = (await second.locator('h4').allInnerTexts()).map((title) =>
      /^[\w ]+/.exec(title)?.[0].trim(),
    );
    expect(parts.slice(0, 3)).toEqual(['Instructions', 'Messages', 'Tools']);
    for (const words of ['The price of a thing.', '"thing"', 'temperature', '0.25'])
      expect(shown).toContain(words);
    expect(await second.locator('pre').first().innerText()).toBe(hidden(sent?.instructions ?? ''));
    expect(shown).toContain('[redacted SHOP_KEY]');

    // A prompt is a long paragraph: it is read from top to bottom, not by moving it sideways.
    const isCut = await second
      .locator('pre')
      .evaluateAll((all) => all.map((each) => each.scrollWidth > each.clientWidth));
    expect(isCut).not.toContain(true);

    await requests.first().locator('summary').click();
    await expect.poll(() => requests.first().locator('.sent').count()).toBe(1);
    expect(await requests.first().innerText()).toContain('shop.price');
    await second.scrollIntoViewIfNeeded();
    await takePicture(page, 'sent-request');
    expect(await page.content()).not.toContain('much-too-secret');
    expect(await page.locator('.transcript b').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
