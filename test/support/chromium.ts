import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { missingChromium } from './fixtures-missing.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

const findBrowser = (): string | undefined => {
  const found = names.map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim());
  return found.find((path) => path !== '' && existsSync(path));
};

/**
 * A `describe` with a browser of its own, without a window. Without one on this machine the body is not called: one skipped
 * test, counted by the reporter, stands in its place.
 */
export const describeInChromium = (name: string, body: (browser: () => Browser) => void): void => {
  const executablePath = findBrowser();
  if (executablePath === undefined) {
    describe(name, () => it.skip(`${missingChromium}: ${names.join(', ')}`));
    return;
  }
  describe(name, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    });
    afterAll(async () => {
      await browser?.close();
    });
    body(() => {
      if (browser === undefined) throw new Error('Cannot use the browser as it was not started');
      return browser;
    });
  });
};
