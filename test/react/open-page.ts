import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { BuiltApp } from './built-app.ts';
import { serveBuiltApp } from './built-app.ts';

/** Serves the app of a folder to all tests of a suite. */
export const appOf = (folder: string): (() => BuiltApp) => {
  let app: BuiltApp | undefined;
  beforeAll(async () => {
    app = await serveBuiltApp(folder);
  });
  afterAll(() => app?.close());
  return () => {
    if (app === undefined) throw new Error('Cannot open the app as it is not served');
    return app;
  };
};

/** Collects what the console of a page has to complain of. */
export const problemsOf = (page: Page): string[] => {
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type())) problems.push(line.text());
  });
  return problems;
};

/** Opens an app; `problems` is what its console has to complain of. */
export const openApp = async (
  browser: Browser,
  app: BuiltApp,
): Promise<{ page: Page; problems: string[] }> => {
  const page = await browser.newPage({ viewport: { width: 720, height: 480 } });
  onTestFinished(() => page.close());
  const problems = problemsOf(page);
  await page.goto(app.url);
  await page.waitForFunction('globalThis.probe !== undefined', undefined, { timeout: 50_000 });
  return { page, problems };
};

/** Waits until a place of the page says something. */
export const says = async (page: Page, place: string, text: string): Promise<void> => {
  await expect.poll(() => page.locator(place).textContent(), { timeout: 30_000 }).toBe(text);
};
