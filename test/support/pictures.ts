import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Where pictures of pages are put: nowhere, unless a folder is named by `TROUPE_SCREENSHOTS`. With `docs` only those are made that are shown there. */
const wanted = process.env['TROUPE_SCREENSHOTS'];
const folder = wanted === 'docs' ? undefined : wanted;

const desk = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

/** Takes a picture of what a page shows, where pictures are wanted. */
export const takePicture = async (page: Page, name: string): Promise<void> => {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
};

/** Takes pictures of a page in windows of some sizes, in the light and in the dark; leaves it on a desk, in the light. */
export const takePictures = async (page: Page, name: string, sizes = [desk, phone]): Promise<void> => {
  if (folder === undefined) return;
  for (const size of sizes)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await takePicture(page, `${name}-${size.width}-${colorScheme}`);
    }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(desk);
};
