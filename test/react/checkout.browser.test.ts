import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { describeInChromium } from '../support/chromium.ts';
import { takePicture } from '../support/pictures.ts';
import { isThorough } from '../support/thorough.ts';
import { appOf, openApp, problemsOf, says } from './open-page.ts';

const read = (page: Page, name: string) => page.evaluate<string[]>(`probe.read('${name}')`);

/** Begins a payment, up to the call of the bank. */
const pay = async (page: Page): Promise<void> => {
  await page.getByText('Pay $42').click();
  await says(page, '.cashier', '{"running":"ACT"}');
  await expect.poll(() => read(page, 'asked')).toHaveLength(1);
};

/** Goes on with the payment, on the page that came after: it is made once. */
const complete = async (page: Page): Promise<void> => {
  await page.waitForFunction('globalThis.probe !== undefined', undefined, { timeout: 50_000 });
  await says(page, '.state', 'paying');
  await says(page, '.cashier', '{"running":"ACT"}');
  // Asked for again by the same key, as it may be: the bank knows it.
  await expect.poll(() => read(page, 'asked')).toHaveLength(2);
  await takePicture(page, 'react-checkout-reloaded');
  await page.evaluate('probe.open()');
  await says(page, '.state', 'paid');
  await says(page, '.receipt', 'Thank you: $42 charged.');
  expect(await read(page, 'charged')).toHaveLength(1);
  expect(new Set(await read(page, 'asked')).size).toBe(1);
  // What the model had answered is not asked for again.
  expect(await read(page, 'thought')).toEqual(['1', '3']);
};

describeInChromium('a checkout that invokes an agent', (browser) => {
  const app = appOf(join(import.meta.dirname, 'checkout'));

  test('[FIND-08] goes on when its page is loaded again in the midst of the payment, which is made once', async () => {
    const { page, problems } = await openApp(browser(), app());
    await pay(page);
    await takePicture(page, 'react-checkout-paying');
    await page.reload();
    await complete(page);
    await takePicture(page, 'react-checkout-paid');
    await page.reload();
    await says(page, '.state', 'paid');
    expect(await read(page, 'asked')).toHaveLength(2);
    expect(problems).toEqual([]);
  });

  if (isThorough)
    test('[FIND-08] goes on when its page has crashed in the midst of the payment, without a goodbye', async () => {
      // Both pages are of one person, whose storage outlives the first.
      const person = await browser().newContext();
      onTestFinished(() => person.close());
      const crashing = await person.newPage();
      await crashing.goto(app().url);
      await pay(crashing);
      const crashed = crashing.waitForEvent('crash');
      await crashing.goto('chrome://crash').catch(() => undefined);
      await crashed;
      const page = await person.newPage();
      const problems = problemsOf(page);
      await page.goto(app().url);
      await complete(page);
      expect(problems).toEqual([]);
    });
});
