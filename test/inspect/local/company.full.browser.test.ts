import { expect, test } from 'vitest';
import { cashier } from '../../support/cashier.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { openInspector, openPage } from '../../support/inspector-page.ts';

describeInChromium('two people at one inspector', (browser) => {
  test('see that they are two, and what the other one does, and not what they do themselves', async () => {
    const { inspector, page: ann, problems } = await openInspector(browser(), { control: true });
    const run = cashier().stream('Pay three', { inspect: inspector, runId: 'run-1' });
    await ann.locator('.request').waitFor();
    expect(await ann.locator('.company').count()).toBe(0);
    const { page: ben, problems: others } = await openPage(browser(), inspector);
    await ben.locator('.request').waitFor();
    for (const page of [ann, ben])
      await expect
        .poll(() => page.locator('.company').getAttribute('title'))
        .toBe('2 pages look at these runs');

    await ann.getByRole('toolbar').getByRole('button', { name: 'Pause' }).click();
    await ben.getByText('Somebody else held this run.').waitFor();
    await ben.getByRole('toolbar').getByRole('button', { name: 'Resume' }).click();
    await ann.getByText('Somebody else let this run go on.').waitFor();
    await ben.locator('.request').getByRole('button', { name: 'Approve' }).click();
    await ann.getByText('Somebody else approved a call of this run.').waitFor();
    await expect.poll(() => ann.locator('.request').count()).toBe(0);
    expect(await ben.getByText('Somebody else approved').count()).toBe(0);
    expect((await run.result).output).toBe('Three are paid.');

    await ben.close();
    await expect.poll(() => ann.locator('.company').count()).toBe(0);
    expect([...problems, ...others]).toEqual([]);
  });
});
