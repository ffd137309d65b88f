import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInChromium } from '../support/chromium.ts';
import { appOf, openApp, says } from './open-page.ts';

const ACT = '{"running":"ACT"}';

describeInChromium('what the pages of @xstate/react do, with an agent, under StrictMode', (browser) => {
  const app = appOf(join(import.meta.dirname, 'xstate-pages'));
  const open = async (name: string) => {
    const opened = await openApp(browser(), app());
    await opened.page.evaluate(`probe.mount(${JSON.stringify(name)})`);
    return opened;
  };
  const counts = (page: Page) =>
    page.evaluate<Record<'runs' | 'asked' | 'called' | 'renders' | 'seen', number>>('({ ...probe.counts })');
  const onceRun = { runs: 1, asked: 2, called: 1 };

  test('[FIND-07] useActor: a snapshot for each update, commands by send, what can be sent by can', async () => {
    const { page, problems } = await open('useActor');
    await says(page, '.state', ACT);
    await page.getByText('pause').click();
    await says(page, '.state', `${ACT} paused`);
    expect(await page.getByText('pause', { exact: true }).isDisabled()).toBe(true);
    await page.evaluate('probe.open()');
    await page.getByText('resume').click();
    await says(page, '.answer', 'It is fetched.');
    await says(page, '.state', 'completed');
    expect(await page.getByText('resume').isDisabled()).toBe(true);
    expect(await counts(page)).toMatchObject(onceRun);
    expect(problems).toEqual([]);
  });

  test('[FIND-10] useActorRef and useSelector: only who selects is rendered again, and eventsOf misses nothing', async () => {
    const { page, problems } = await open('useActorRef');
    await says(page, '.state', ACT);
    const before = await counts(page);
    await page.evaluate('probe.open()');
    await says(page, '.answer', 'It is fetched.');
    await says(page, '.said', 'run.ended');
    const after = await counts(page);
    // By what it sets itself, at the end; StrictMode renders twice.
    expect(after.renders - before.renders).toBe(2);
    expect(after.seen).toBeGreaterThan(before.seen);
    expect(after).toMatchObject(onceRun);
    expect(problems).toEqual([]);
  });

  test('[FIND-11] shallowEqual: an object that is selected is the same as long as what is in it is', async () => {
    const { page, problems } = await open('shallowEqual');
    await says(page, '.state', ACT);
    await says(page, '.answer', 'step 0');
    await page.evaluate('probe.open()');
    await says(page, '.state', 'completed');
    const { renders } = await counts(page);
    // The states that it rests in, twice each; not each of the snapshots, of which there are many more.
    expect(renders).toBeLessThanOrEqual(14);
    expect(await counts(page)).toMatchObject(onceRun);
    expect(problems).toEqual([]);
  });

  test('[FIND-07] createActorContext: one actor for all below its provider', async () => {
    const { page, problems } = await open('createActorContext');
    await says(page, '.state', ACT);
    await page.getByText('abort').click();
    await says(page, '.state', 'aborted');
    expect(await counts(page)).toMatchObject({ runs: 1, asked: 1, called: 1 });
    expect(problems).toEqual([]);
  });

  test('[FIND-07] useMachine: a machine that invokes the agent, leaves it, and invokes it again', async () => {
    const { page, problems } = await open('useMachine');
    await says(page, '.state', 'idle');
    await page.getByText('ask').click();
    await says(page, '.child', ACT);
    await page.getByText('leave').click();
    await says(page, '.state', 'idle');
    expect(await page.locator('.child').count()).toBe(0);
    await page.getByText('ask').click();
    await says(page, '.child', ACT);
    await page.evaluate('probe.open()');
    await says(page, '.state', 'answered');
    await says(page, '.answer', 'It is fetched.');
    expect(await counts(page)).toMatchObject({ runs: 2, asked: 3, called: 2 });
    expect(problems).toEqual([]);
  });
});
