import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeInChromium } from '../support/chromium.ts';
import { takePicture } from '../support/pictures.ts';
import { appOf, openApp, says } from './open-page.ts';

describeInChromium('a checkout that invokes an agent', (browser) => {
  const app = appOf(join(import.meta.dirname, 'checkout'));

  test('[FIND-08] goes on when its page is loaded again in the midst of the payment, which is made once', async () => {
    const { page, problems } = await openApp(browser(), app());
    const read = (name: string) => page.evaluate<string[]>(`probe.read('${name}')`);
    await page.getByText('Pay $42').click();
    await says(page, '.cashier', '{"running":"ACT"}');
    await expect.poll(() => read('asked')).toHaveLength(1);
    await takePicture(page, 'react-checkout-paying');

    await page.reload();
    await page.waitForFunction('globalThis.probe !== undefined', undefined, { timeout: 50_000 });
    await says(page, '.state', 'paying');
    await says(page, '.cashier', '{"running":"ACT"}');
    // Asked for again by the same key, as it may be: the bank knows it.
    await expect.poll(() => read('asked')).toHaveLength(2);
    await takePicture(page, 'react-checkout-reloaded');
    await page.evaluate('probe.open()');
    await says(page, '.state', 'paid');
    await says(page, '.receipt', 'Thank you: $42 charged.');
    await takePicture(page, 'react-checkout-paid');
    expect(await read('charged')).toHaveLength(1);
    expect(new Set(await read('asked')).size).toBe(1);
    // What the model had answered is not asked for again.
    expect(await read('thought')).toEqual(['1', '3']);

    await page.reload();
    await says(page, '.state', 'paid');
    expect(await read('asked')).toHaveLength(2);
    expect(problems).toEqual([]);
  });
});
