import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeInChromium } from '../support/chromium.ts';
import { openPage } from '../support/inspector-page.ts';
import { takePictures } from '../support/pictures.ts';
import { makeProject, payerFiles, startDev, teamFiles } from './dev-kit.ts';

describeInChromium('the page of troupe dev', (browser) => {
  test('stays while versions come and go, and says what is wrong with one until that is mended', async () => {
    const { folder, write, read } = makeProject({ ...payerFiles, ...teamFiles });
    const dev = await startDev(folder, 'team.js', 'Pay three', '--store', join(folder, 'runs.db'));
    const { page, problems } = await openPage(browser(), dev.page);
    let loads = 0;
    page.on('load', () => (loads += 1));
    const asked = page.locator('.request', { hasText: 'pay' });
    await asked.waitFor();

    write('words.js', 'export const words = ;');
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: `words.js:1: Unexpected token ';'` }).waitFor();
    await asked.waitFor();
    await takePictures(page, 'dev-problem');

    write('words.js', `export const words = 'two';`);
    await alert.waitFor({ state: 'detached' });
    // The run is shown as the next version continues it.
    await asked.waitFor();

    const whole = read('team.js');
    write('team.js', whole.replace(`name: 'greeter'`, `name: 'porter'`));
    const held = page.getByRole('status').filter({ hasText: 'Held:' });
    await held.filter({ hasText: 'porter' }).waitFor();
    expect(await asked.count()).toBe(0);
    await takePictures(page, 'dev-held');

    write('team.js', whole);
    await asked.getByRole('button', { name: 'Approve' }).click();
    await dev.until(/paid 3 by version two/);
    await page.locator('.pill', { hasText: 'completed' }).waitFor();
    expect(await held.count()).toBe(0);
    expect(loads).toBe(0);
    expect(problems).toEqual([]);
  });
});
