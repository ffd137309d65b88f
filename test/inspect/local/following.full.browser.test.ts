import { expect, test } from 'vitest';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { z } from 'zod';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { openInspector } from '../../support/inspector-page.ts';
import { PlainStore } from '../../support/plain-store.ts';
import { takePictures } from '../../support/pictures.ts';

const note = tool({
  name: 'note',
  description: 'Writes something down.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});

const clerk = () =>
  agent({
    name: 'clerk',
    tools: [note],
    decide: ({ step }) => (step < 2 ? act({ name: 'note', input: { text: 'so' } }) : answer('done')),
  });

describeInChromium('a stored run that is followed', (browser) => {
  test('says why it is followed no further, and keeps what it showed; the next run says nothing of it', async () => {
    const store = new PlainStore();
    for (const runId of ['r', 'other']) await clerk().run('go', { store, runId });
    const { page, problems } = await openInspector(browser(), { store, agents: [clerk()] });
    await page.goto(`${page.url().split('#')[0] ?? ''}#/run/r/chart`);
    const place = page.locator('.place');
    await expect.poll(() => place.innerText()).toMatch(/^[1-9]/);
    const shown = await place.innerText();
    expect(await page.getByRole('alert').count()).toBe(0);
    const [first, ...rest] = store.rows.get('r') ?? [];
    const last = rest.pop();
    if (first === undefined || last === undefined) throw new Error('no rows');
    store.rows.set('r', [first, ...rest, { ...last, text: '<b>torn</b>' }]);
    await expect.poll(() => page.getByRole('alert').innerText()).toContain(`row ${last.n} is another one`);
    expect(await place.innerText()).toBe(shown);
    await takePictures(page, 'unfollowed');
    await page.evaluate("location.hash = '#/run/other/chart'");
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
