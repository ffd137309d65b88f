import { describe, expect, onTestFinished, test } from 'vitest';
import type { Page } from 'playwright-core';
import { researchDesk } from '../../../src/cli/desk/research-desk.ts';
import type { Entry } from '../../../src/inspect/recording/entry.ts';
import type { Recorder } from '../../../src/inspect/recording/recorder.ts';
import { Tableau } from '../../../src/inspect/recording/tableau.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { documentsFrom } from '../../../src/tools/built-in/documents/documents-from.ts';
import { handbook } from '../../cli/desk-scripts.ts';
import { cashier } from '../../support/cashier.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { openInspector } from '../../support/inspector-page.ts';
import { isThorough } from '../../support/thorough.ts';

const standing = ({ recording }: Recorder): Tableau => {
  const tableau = new Tableau();
  for (const line of recording.from()) tableau.apply(JSON.parse(line) as Entry);
  return tableau;
};

/** What is lit of the actor that is chosen. */
const lit = (page: Page): Promise<string | null> =>
  page.locator('.box.atomic.active, .box.final.active').first().getAttribute('data-state');

describeInChromium('the local inspector, page and server', (browser) => {
  describe('during a run of the flagship', () => {
    test('holds it, steps it, shows the state that it is in, lets it go on, and goes back to its beginning', async () => {
      const { inspector, page, problems } = await openInspector(browser(), { control: true });
      const desk = researchDesk({ documents: documentsFrom(handbook), models: {} });
      const run = desk.stream('How many days of leave are there?', { inspect: inspector, paused: true });
      const bar = page.getByRole('toolbar');
      await page.getByRole('treeitem', { name: 'team desk' }).waitFor();
      await bar.getByRole('button', { name: 'Step' }).click();
      const supervisor = page.getByRole('treeitem', { name: /agent .*supervisor/ });
      await supervisor.click();
      const chosen = await supervisor.getAttribute('data-actor');
      await expect
        .poll(async () => [await lit(page)])
        .toEqual(standing(inspector.recorder).actors.get(chosen ?? '')?.states);
      await bar.getByRole('button', { name: 'Resume' }).click();
      const { status } = await run.result;
      expect(status).toBe('completed');
      await page.locator('.pill', { hasText: 'completed' }).waitFor();
      await expect.poll(() => lit(page)).toBe('agent.completed');
      const places = page.getByRole('slider');
      const came = standing(inspector.recorder).actors.get(chosen ?? '')?.cameAt ?? 0;
      await places.fill(String(came + 3));
      await expect.poll(() => lit(page)).toBe('agent.preparing');
      expect(problems).toEqual([]);
    });
  });

  test('says yes for a person, and the call is made', async () => {
    const { inspector, page, problems } = await openInspector(browser(), { control: true });
    const run = cashier().stream('Pay three', { inspect: inspector });
    await page.locator('.request').getByRole('button', { name: 'Approve' }).click();
    expect((await run.result).output).toBe('Three are paid.');
    await page.getByRole('treeitem', { name: 'agent cashier' }).click();
    const call = page.locator('.item.tool');
    await call.locator('summary').click();
    expect(await call.innerText()).toContain('paid 3');
    expect(problems).toEqual([]);
  });

  if (isThorough)
    test('follows a run that is kept while it goes on', async () => {
      const store = memoryStore();
      onTestFinished(() => store.close());
      const { page, problems } = await openInspector(browser(), { store, agents: [cashier()] });
      const run = cashier().stream('Pay three', { store, runId: 'kept' });
      await new Promise<void>((resolve) => {
        run.events$.subscribe(({ type }) => {
          if (type === 'tool.approval-requested') resolve();
        });
      });
      await page.reload();
      await page.locator('select').first().selectOption('stored kept');
      await page.getByRole('treeitem', { name: 'agent cashier' }).click();
      await expect.poll(() => lit(page)).toBe('agent.running.ACT');
      run.approve(run.requests[0]?.id ?? '');
      await run.result;
      await expect.poll(() => lit(page), { timeout: 20_000 }).toBe('agent.completed');
      expect(problems).toEqual([]);
    });
});
