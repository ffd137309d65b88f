import { onTestFinished } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import type { Inspector, InspectOptions } from '../../src/inspect/local/inspect.ts';
import { inspect } from '../../src/inspect/local/inspect.ts';
import { builtPage } from './built-package.ts';

/** A page of an inspector, and what went wrong in it; closed when the test is over. */
export interface InspectorPage {
  readonly page: Page;
  readonly problems: readonly string[];
}

/** Opens a page of an inspector: of a window of its own, without animations, each frame of which would be drawn. */
export const openPage = async (browser: Browser, { url }: Pick<Inspector, 'url'>): Promise<InspectorPage> => {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (line) => {
    if (line.type() === 'error') problems.push(line.text());
  });
  onTestFinished(() => page.close());
  await page.goto(url);
  return { page, problems };
};

/** Opens the genuine page at the genuine server. */
export const openInspector = async (
  browser: Browser,
  options: InspectOptions,
): Promise<InspectorPage & { readonly inspector: Inspector }> => {
  const inspector = await inspect({ alone: true, ...options, page: builtPage() });
  onTestFinished(() => inspector.close());
  return { inspector, ...(await openPage(browser, inspector)) };
};
