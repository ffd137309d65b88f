import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { pdf } from '../../content/pictures.ts';
import { plainBlobs } from '../../content/plain-blobs.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { takePicture } from '../../support/pictures.ts';
import { openInspector } from '../../support/inspector-page.ts';
import { clerk, pixel, question } from './album.ts';

describeInChromium('media, in the page of the inspector', (browser) => {
  test.each(['live', 'stored'])(
    'of a run that is %s are drawn where they were given, and saved by a click',
    async (where) => {
      const store = where === 'stored' ? memoryStore() : undefined;
      if (store !== undefined) await clerk().run(question, { store, runId: 'run-1' });
      const { page, inspector, problems } = await openInspector(browser(), { store, agents: [clerk()] });
      if (store === undefined) await clerk().run(question, { inspect: inspector, runId: 'run-1' });
      await page.locator('[data-actor="run-1/clerk"]').click();
      const transcript = page.locator('.transcript');

      // The question and the answer have a picture each, which the browser has drawn.
      const drawn = transcript.locator('.item.said .media img, .item.model > .media img');
      await expect.poll(() => drawn.count()).toBe(2);
      expect(await drawn.evaluateAll((all) => all.map((each) => each.getAttribute('alt')))).toEqual([
        'question.png',
        'answer.png',
      ]);
      await expect
        .poll(() => drawn.evaluateAll((all) => all.map((each) => Reflect.get(each, 'naturalWidth'))))
        .toEqual([1, 1]);
      expect(await transcript.locator('.item.said .prose').first().innerText()).toBe(
        'What is this?\n\n[image question.png]',
      );
      expect(await page.locator('[data-actor="run-1/clerk"]').innerText()).toContain('What is this? [image');

      // What a tool gave is no picture that may be drawn.
      const call = transcript.locator('.item.tool');
      await call.locator('summary').click();
      const files = call.locator('.media a');
      await expect.poll(() => files.allInnerTexts()).toEqual(['letter.pdf · 20 B', 'logo.svg · 87 B']);
      expect(await call.locator('.media img').count()).toBe(0);
      const [saved] = await Promise.all([page.waitForEvent('download'), files.first().click()]);
      expect(saved.suggestedFilename()).toBe('letter.pdf');
      expect(readFileSync(await saved.path())).toEqual(Buffer.from(pdf()));
      const [picture] = await Promise.all([page.waitForEvent('download'), drawn.first().click()]);
      expect(readFileSync(await picture.path())).toEqual(pixel);

      // The request that a model was sent shows what it was shown.
      const request = transcript.locator('.request-part').nth(1);
      await request.locator('summary').click();
      await expect.poll(() => request.locator('.sent .media li').count()).toBe(3);
      await takePicture(page, `content-${where}`);
      expect(problems).toEqual([]);
    },
  );

  test('that are elsewhere are named with what is missing, in place of a broken picture', async () => {
    const { blobs } = plainBlobs('s3:album');
    const store = memoryStore();
    await clerk().run(question, { store, content: { blobs }, runId: 'run-1' });
    const { page, problems } = await openInspector(browser(), { store, agents: [clerk()] });
    await page.locator('[data-actor="run-1/clerk"]').click();
    const media = page.locator('.transcript .item.said .media');
    await expect
      .poll(() => media.first().innerText())
      .toMatch(
        /^question\.png\s*· 70 B\s*Cannot show these bytes as they are not in memory: .*`content\.blobs`/,
      );
    expect(await media.locator('img, a').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
