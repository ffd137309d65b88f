import type { Page } from 'playwright-core';

/** The text that a person can read on a page as it is: of what is displayed, in the window, and cut off by nothing around it. */
export const visibleText = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    const said = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode: node } = texts;
      const element = node.parentElement;
      if (node.data.trim() === '' || element.closest('script, style, .unseen, title, desc')) continue;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      let { left, top, right, bottom } = box;
      const clip = (around) => {
        left = Math.max(left, around.left);
        top = Math.max(top, around.top);
        right = Math.min(right, around.right);
        bottom = Math.min(bottom, around.bottom);
      };
      clip({ left: 0, top: 0, right: innerWidth, bottom: innerHeight });
      for (let around = element; around !== null; around = around.parentElement)
        if (getComputedStyle(around).overflow !== 'visible') clip(around.getBoundingClientRect());
      // Of each line at least the upper half, and of a text that is cut off its beginning.
      if (bottom - top < Math.min(box.height, 16) / 2 || right - left < 4 || left > box.left + 2) continue;
      const part = Math.min(1, (right - left) / box.width);
      said.push(node.data.slice(0, Math.ceil(node.data.length * part)));
    }
    return said.join(' ').replaceAll(/\\s+/g, ' ');
  })()`);
