import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong in what a page shows, once it is at rest: the rule, and the elements. */
export const violationsIn = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(
    'Promise.all(document.getAnimations().map((each) => each.effect.getTiming().iterations === 1 && each.finished))',
  );
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axe);
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, { resultTypes: ['violations'] })`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary = '' }) =>
        `${id}: ${target.join(' ')}: ${failureSummary.split('\n')[1] ?? ''}`,
    ),
  );
};
