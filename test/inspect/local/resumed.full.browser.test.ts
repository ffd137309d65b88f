import { expect, test } from 'vitest';
import { agent } from '../../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { violationsIn } from '../../support/axe.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { openInspector } from '../../support/inspector-page.ts';
import { takePictures } from '../../support/pictures.ts';
import { PlainStore } from '../../support/plain-store.ts';
import { deferred, never } from '../../support/runs.ts';
import { goOn } from '../../support/stored-runs.ts';
import { expectWithinSides } from '../page/beyond-sides.ts';

const clerk = (...replies: Parameters<typeof scriptedModel>[0]) =>
  agent({ name: 'clerk', model: scriptedModel(replies) });

describeInChromium('a run that was interrupted and resumed, on the page', (browser) => {
  test('says so in its bar, on the timeline, and in the lists of events and errors', async () => {
    const store = new PlainStore();
    const asked = deferred<void>();
    const gone = clerk(() => {
      asked.resolve();
      return never();
    });
    gone.stream('How is it?', { store, runId: 'old' });
    await asked.promise;
    const it = clerk('Well.');
    await (
      await goOn(store, it, 'old', {})
    ).result;
    const { page, problems } = await openInspector(browser(), { store, agents: [it] });
    const bar = page.getByRole('region', { name: 'Sums of the run' });
    const resumed = bar.getByRole('button', { name: /^resumed once after an interruption at \d\d:\d\d$/ });
    await resumed.waitFor();
    expect(await page.locator('.marker.resumed').getAttribute('aria-label')).toMatch(
      /^resumed after an interruption at \d\d:\d\d:\d\d$/,
    );
    await takePictures(page, 'resumed-bar');
    await page.getByRole('tab', { name: 'Errors' }).click();
    const row = page.getByRole('option', { name: /clerk was interrupted and resumed/ });
    await row.click();
    await page.getByText('another one resumed it from its journal').first().waitFor();
    await takePictures(page, 'resumed-errors');
    await page.getByRole('tab', { name: 'Events' }).click();
    const line = page.getByRole('listitem').filter({ hasText: 'resumed after an interruption' });
    await line.waitFor();
    await takePictures(page, 'resumed-events');
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await expectWithinSides(page);
      expect(await violationsIn(page)).toEqual([]);
    }
    await page.getByRole('slider').press('Home');
    await expect.poll(() => resumed.count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
