import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Parts that may be wider than the window, and scroll sideways. */
const wide = '.lanes, .table, .tabs, .run-bar, .segments';

/** Lists what reaches beyond the sides of the window, and is not elided there; of a drawing, its boxes. */
const beyondSides = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(`(() => {
    const isElided = (each) =>
      each !== null && (getComputedStyle(each).textOverflow === 'ellipsis' || isElided(each.parentElement));
    const isBeyond = (each) => {
      const { left, right, width, height } = each.getBoundingClientRect();
      return width * height > 0 && (left < -1 || right > innerWidth + 1);
    };
    return [...document.querySelectorAll('body :not(svg, svg *, .unseen, :is(${wide}) *), .work .part > rect')]
      .filter((each) => each.checkVisibility() && isBeyond(each) && !isElided(each))
      .map((each) => \`\${each.tagName} \${each.getAttribute('class') ?? ''}: \${each.textContent}\`);
  })()`);

/** Expects that all is within the sides of the window: what is drawn is fitted to a new width with the next frames. */
export const expectWithinSides = async (page: Page, message = page.url()): Promise<void> => {
  await expect.poll(() => beyondSides(page), { timeout: 20_000, message }).toEqual([]);
};
