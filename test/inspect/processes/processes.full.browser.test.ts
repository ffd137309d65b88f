import { expect, test } from 'vitest';
import { describeInChromium } from '../../support/chromium.ts';
import { openInspector } from '../../support/inspector-page.ts';
import { takePictures } from '../../support/pictures.ts';
import { startClerk } from './inspected-process.ts';

describeInChromium('a page of two processes', (browser) => {
  test('shows the runs of both, steers that of the one with control, and says when its process was killed', async () => {
    const { page, problems } = await openInspector(browser(), { alone: false });
    await page.getByText('No run yet').waitFor();
    // Where there is nothing else to see, the page shows the first run that comes.
    const ann = await startClerk('ann', 'control');
    await page.locator('.request').waitFor();
    await expect.poll(() => page.title()).toContain('ann');

    const ben = await startClerk('ben');
    await page.getByRole('link', { name: 'troupe' }).click();
    const row = (name: string) => page.locator('.run-row', { hasText: `· ${name}` });
    const [one, other] = [row(String(ann.pid)), row(String(ben.pid))];
    await other.waitFor();
    expect(await one.innerText()).toContain('waits for you');
    await takePictures(page, 'processes-table');

    await other.locator('a').click();
    await page.locator('.request', { hasText: 'ben' }).waitFor();
    // Nobody has given control of it.
    expect(await page.locator('.request').getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await page.getByRole('toolbar', { name: 'Run' }).count()).toBe(0);

    await page.getByRole('combobox', { name: 'Run' }).selectOption({ label: 'ann · Pay three' });
    await page.locator('.request', { hasText: 'ann' }).getByRole('button', { name: 'Approve' }).click();
    await ann.until(/done paid 3/);
    await page.locator('.pill', { hasText: 'completed' }).waitFor();

    await page.getByRole('combobox', { name: 'Run' }).selectOption({ label: 'ben · Pay three' });
    await page.locator('.request', { hasText: 'ben' }).waitFor();
    ben.kill('SIGKILL');
    await page.locator('.pill', { hasText: 'process ended' }).waitFor();
    await page.getByText('The process of this run has ended before it').waitFor();
    expect(await page.locator('.transcript').innerText()).toContain('Pay three');
    await takePictures(page, 'processes-ended');
    await page.getByRole('link', { name: 'troupe' }).click();
    await row(String(ben.pid)).filter({ hasText: 'process ended' }).waitFor();
    await takePictures(page, 'processes-ended-table');
    expect(problems).toEqual([]);
  });
});
