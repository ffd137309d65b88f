import { expect, onTestFinished, test } from 'vitest';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { violationsIn } from '../../support/axe.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { openInspector } from '../../support/inspector-page.ts';
import { sampled } from '../../support/thorough.ts';
import { newsroom } from './newsroom.ts';

describeInChromium('axe', (browser) => {
  test.each(sampled(['light', 'dark'] as const, 2, 1))(
    'finds nothing wrong in any view of the page, in the %s',
    async (colorScheme) => {
      const store = memoryStore();
      onTestFinished(() => store.close());
      const { inspector, page, problems } = await openInspector(browser(), { control: true, store });
      await page.emulateMedia({ colorScheme });
      const run = newsroom().stream('What became of the ferry?', {
        inspect: inspector,
        store,
        runId: 'news-1',
      });
      await newsroom().run('Nothing at all', {
        inspect: inspector,
        limits: { budget: { steps: 1 } },
        runId: 'news-2',
      });
      await page.locator('.request').waitFor();
      /** Each once, with the view in which it was met first. */
      const found = new Map<string, string>();
      const look = async (view: string): Promise<void> => {
        for (const wrong of await violationsIn(page)) if (!found.has(wrong)) found.set(wrong, view);
      };
      const tabs = await page.getByRole('tab').allInnerTexts();
      expect(tabs.length).toBeGreaterThan(8);
      for (const actor of sampled(['team newsroom waits', 'agent writer'], 2, 1)) {
        await page.getByRole('treeitem', { name: actor }).click();
        for (const [index, tab] of sampled([...tabs.entries()], 3)) {
          await page.getByRole('tab').nth(index).click();
          await look(`${actor}, ${tab}`);
        }
      }
      for (const button of ['Message', 'Kill', 'Abort']) {
        await page.getByRole('toolbar').getByRole('button', { name: button }).click();
        await look(button);
        await page.keyboard.press('Escape');
      }
      await page.keyboard.press('f');
      await look('Fork');
      await page.keyboard.press('Escape');
      await page.getByRole('tab', { name: 'Transcript' }).click();
      await page.getByRole('button', { name: 'Run again' }).last().click();
      const dialog = page.getByRole('dialog', { name: 'Run again' });
      await dialog.getByLabel('Model').fill('offline');
      await look('Run again');
      await dialog.getByRole('button', { name: 'Send' }).click();
      await dialog.getByRole('region', { name: 'Both answers' }).waitFor();
      await look('both answers');
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      await look('help');
      await page.keyboard.press('Escape');
      const address = page.url();
      await page.keyboard.press('h');
      await page.getByRole('searchbox', { name: 'Find a run' }).waitFor();
      await look('runs');
      await page.keyboard.press('o');
      await page.locator('.figures').waitFor();
      await look('monitor');
      await page.keyboard.press('h');
      await page.getByRole('searchbox', { name: 'Find a run' }).waitFor();
      for (const menu of ['Columns', 'Views']) {
        await page.locator('.menu summary', { hasText: menu }).click();
        await look(menu);
      }
      await page.getByRole('textbox', { name: 'Name of this view' }).fill('All');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Rename the view All' }).click();
      await look('a saved view');
      await page.keyboard.press('Escape');
      await page.getByRole('grid').focus();
      for (const key of ['Home', ' ', 'ArrowDown', ' ']) await page.keyboard.press(key);
      await look('two chosen runs');
      await page.keyboard.press('c');
      await page.getByText('then they part').waitFor();
      await look('two runs side by side');
      await page.setViewportSize({ width: 390, height: 844 });
      await look('two runs on a phone');
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goBack();
      await page.getByRole('grid').waitFor();
      const buffer = Buffer.from('hello');
      await page
        .getByLabel('Files with runs')
        .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer });
      await page.getByRole('alert').waitFor();
      await look('a refused file');
      await page.setViewportSize({ width: 390, height: 844 });
      await look('runs on a phone');
      await page.goto(address);
      await page.locator('.request').waitFor();
      await look('a run on a phone');
      expect([...found].map(([wrong, view]) => `${view}: ${wrong}`)).toEqual([]);
      expect(problems).toEqual([]);
      run.abort();
      await run.result;
    },
  );
});
