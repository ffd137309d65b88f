import { expect, onTestFinished, test } from 'vitest';
import { answer } from '../../../src/contracts/agents/decision.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { schedules } from '../../../src/runtime/schedules/schedules.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { violationsIn } from '../../support/axe.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { openInspector, openPage } from '../../support/inspector-page.ts';
import { takePictures } from '../../support/pictures.ts';
import { expectWithinSides } from './beyond-sides.ts';

describeInChromium('the page of schedules', (browser) => {
  test('lists, pauses, resumes and removes them with control, and is without fault in the light and in the dark', async () => {
    const store = memoryStore();
    const clerk = agent({ name: 'clerk', decide: () => answer('Done.') });
    const live = schedules(store, { clock: virtualClock(Date.UTC(2026, 2, 2, 6)) });
    onTestFinished(async () => {
      await live[Symbol.asyncDispose]();
      await store.close();
    });
    await live.add({
      name: 'digest-of-the-day',
      agent: clerk,
      input: 'Go.',
      when: { cron: '0 8 * * *', zone: 'Europe/Vienna' },
    });
    await live.add({ name: 'heartbeat', agent: clerk, input: 'Go.', when: { everyMs: 900_000 } });
    await live.add({ name: 'mail', agent: clerk, input: 'Go.' });
    await live.pause('mail');
    for (const id of ['one', 'two', 'three']) await live.send('mail', { id, message: 'Hello.' });

    const { inspector, page, problems } = await openInspector(browser(), { control: true, store });
    await page.goto(`${inspector.url}#/schedules`);
    const row = (name: string) => page.getByRole('row', { name });
    await row('mail').getByText('and 2 more').waitFor();
    expect(await row('digest-of-the-day').innerText()).toContain('0 8 * * * Europe/Vienna');
    expect(await row('heartbeat').innerText()).toContain('every 15 min');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violationsIn(page)).toEqual([]);
    }
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await expectWithinSides(page);
    }
    await takePictures(page, 'schedules');

    await page.getByRole('button', { name: 'Pause heartbeat' }).click();
    await page.getByRole('button', { name: 'Resume heartbeat' }).waitFor();
    expect((await live.list()).find(({ name }) => name === 'heartbeat')?.isPaused).toBe(true);
    await page.getByRole('button', { name: 'Resume heartbeat' }).click();
    await page.getByRole('button', { name: 'Pause heartbeat' }).waitFor();

    await page.getByRole('button', { name: 'Remove mail' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove a schedule' });
    await dialog.getByText('3 runs pending').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violationsIn(page)).toEqual([]);
    }
    await takePictures(page, 'schedules-remove');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await row('mail').count()).toBe(1);
    await page.getByRole('button', { name: 'Remove mail' }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await row('mail').waitFor({ state: 'detached' });
    expect((await live.list()).map(({ name }) => name)).toEqual(['digest-of-the-day', 'heartbeat']);

    // What another process has done meanwhile is said.
    await page.getByRole('button', { name: 'Remove heartbeat' }).click();
    await live.remove('heartbeat');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: `Cannot find the schedule 'heartbeat'` }).waitFor();
    expect(problems.filter((each) => !each.includes('404'))).toEqual([]);
  });

  test('has no buttons without control', async () => {
    const store = memoryStore();
    onTestFinished(() => store.close());
    const live = schedules(store, { clock: virtualClock(Date.UTC(2026, 2, 2, 6)) });
    const clerk = agent({ name: 'clerk', decide: () => answer('Done.') });
    await live.add({ name: 'heartbeat', agent: clerk, input: 'Go.', when: { everyMs: 900_000 } });
    await live[Symbol.asyncDispose]();
    const { inspector } = await openInspector(browser(), { store });
    const { page, problems } = await openPage(browser(), inspector);
    await page.getByRole('link', { name: 'troupe' }).click();
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByRole('row', { name: 'heartbeat' }).waitFor();
    expect(await page.getByRole('row').getByRole('button').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
