import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { agent, TroupeError } from '../../../src/index.ts';
import { formatTrace, inspect, readTrace } from '../../../src/inspect/index.ts';
import { modelAnswer } from '../../../src/models/index.ts';
import type { Model } from '../../../src/models/index.ts';
import { memoryStore } from '../../../src/persistence/index.ts';
import { journalText } from '../../../src/persistence/run-log.ts';
import { builtPage } from '../../support/built-package.ts';
import { describeInChromium } from '../../support/chromium.ts';
import { takePicture } from '../../support/pictures.ts';
import { temporaryFolder } from '../traces/traces-kit.ts';

const HOSTILE = '<img src=x onerror="document.title=\'owned\'">';

/** Breaks off twice, each time after a word, and then answers. */
const flaky = (): Model => {
  let times = 0;
  return {
    provider: 'example',
    id: 'flaky',
    isLanguageModel: false,
    answer: (_, { delta }) => {
      times += 1;
      delta({ type: 'text', text: 'The answer' });
      if (times < 3)
        throw new TroupeError('model.unavailable', `Cannot answer as it is down: ${HOSTILE}`, {
          retryable: 'yes',
        });
      const usage = { input: 1_200, output: 300, cached: 800, stored: 200, reasoning: 120 };
      return Promise.resolve(modelAnswer({ text: 'The answer is 42.', usage }));
    },
  };
};

const FIGURES =
  '^stop reason stop · 1,200 → 300 tokens · 800 from the cache · 200 stored in it · 120 for reasoning';

describeInChromium('a model call that was asked again, on the page', (browser) => {
  const windows = [
    [1280, 800, 'light'],
    [390, 844, 'dark'],
  ] as const;

  test.each(windows)(
    'lists its attempts with their errors, waits, requests and figures, in a window of %i by %i, live and from its journal',
    async (width, height, colorScheme) => {
      const inspector = await inspect({ page: builtPage() });
      onTestFinished(() => inspector.close());
      const store = memoryStore();
      const writer = agent({
        name: 'writer',
        instructions: 'Answer in full.',
        model: flaky(),
        failures: { retry: { initialWaitMs: 1 } },
      });
      await writer.run('What is it?', { inspect: inspector, store, runId: 'run-1' });
      const entry = await store.entry('run-1');
      const file = join(temporaryFolder(), 'run.journal');
      if (entry !== undefined) writeFileSync(file, journalText({ entry, rows: await store.read('run-1') }));
      const kept = join(temporaryFolder(), 'run.html');
      writeFileSync(kept, await formatTrace(await readTrace(file), { as: 'html', page: builtPage() }));

      for (const [place, url, expected] of [
        ['live', inspector.url, new RegExp(`${FIGURES} · first token after (?:<1|\\d+) ms · `)],
        // When its first token came is known only where the stream was seen.
        ['kept', pathToFileURL(kept).href, new RegExp(`${FIGURES} · (?!first token)`)],
      ] as const) {
        const page = await browser().newPage({ viewport: { width, height }, colorScheme });
        onTestFinished(() => page.close());
        const problems: string[] = [];
        page.on('pageerror', ({ message }) => problems.push(message));
        page.on('console', (line) => {
          if (line.type() === 'error') problems.push(line.text());
        });
        await page.goto(url);
        const call = page.locator('.transcript .item.model');
        const attempts = call.getByRole('list', { name: 'Attempts' }).locator('> li');
        await expect.poll(() => attempts.count()).toBe(3);
        expect(await call.count()).toBe(1);
        expect(await call.locator('.tag').allInnerTexts()).toEqual(['3 attempts']);
        expect(await attempts.locator('header .what').allInnerTexts()).toEqual([
          'broke off after 10 characters',
          'broke off after 10 characters',
          'answered',
        ]);
        expect(await attempts.first().locator('footer').innerText()).toMatch(
          /tokens \(estimated\).* · asked again after (?:<1|\d+) ms$/,
        );
        expect(await attempts.first().innerText()).toContain(HOSTILE);
        const figures = await attempts.last().locator('footer').innerText();
        expect(figures).toMatch(expected);
        // Each has the request that it was.
        const requests = attempts.locator('.request-part');
        expect(await requests.locator('summary').allInnerTexts()).toEqual([
          'request: 1 message',
          'request: 1 message, 0 new',
          'request: 1 message, 0 new',
        ]);
        await requests.last().locator('summary').click();
        await expect.poll(() => requests.last().innerText()).toContain('Answer in full.');
        expect(await requests.last().innerText()).toContain('What is it?');
        const { right } = await call.evaluate((element) => {
          const all = [...element.querySelectorAll('*')].map((each) => each.getBoundingClientRect().right);
          return { right: Math.max(...all) };
        });
        expect(right).toBeLessThanOrEqual(width);
        await call.scrollIntoViewIfNeeded();
        await takePicture(page, `attempts-${place}-${width}-${colorScheme}`);
        expect(await page.title()).not.toBe('owned');
        expect(await page.locator('.transcript img').count()).toBe(0);
        expect(problems).toEqual([]);
      }
    },
  );
});
