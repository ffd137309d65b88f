import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';
import { beforeAll, describe, it } from 'vitest';
import { browserNames, findBrowser } from './find-browser.ts';
import { missingChromium } from './fixtures-missing.ts';

/** Pages of one context share a process, whatever server they are of: fewer are started. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--renderer-process-limit=1',
  '--disable-site-isolation-trials',
  '--disable-features=IsolateOrigins,site-per-process',
];

let started: Promise<Browser> | undefined;

/** One browser for all suites of a process, as it takes a second to start: its pages know nothing of each other. It ends with the process. */
const startBrowser = (executablePath: string): Promise<Browser> =>
  (started ??= chromium.launch({ executablePath, args: ARGS }));

/**
 * A `describe` with a browser, without a window. Without one on this machine the body is not called: one skipped
 * test, counted by the reporter, stands in its place.
 */
export const describeInChromium = (name: string, body: (browser: () => Browser) => void): void => {
  const executablePath = findBrowser();
  if (executablePath === undefined) {
    describe(name, () => it.skip(`${missingChromium}: ${browserNames.join(', ')}`));
    return;
  }
  describe(name, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await startBrowser(executablePath);
    });
    body(() => {
      if (browser === undefined) throw new Error('Cannot use the browser as it was not started');
      return browser;
    });
  });
};
