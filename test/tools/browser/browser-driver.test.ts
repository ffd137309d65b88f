import { expect, test } from 'vitest';
import { agent, type Decision } from '../../../src/index.ts';
import type { BrowserDriver } from '../../../src/tools/built-in/browser/browser-driver.ts';
import { browserTools } from '../../../src/tools/built-in/browser/browser-tools.ts';
import { callUntyped } from '../../support/call-untyped.ts';

/** A driver that notes what it is asked for. */
const noting = (text = '- button "Pay \u202Eall" [ref=e1]') => {
  const asked: string[] = [];
  const note = (words: string) => async (): Promise<void> => void asked.push(words);
  const driver: BrowserDriver = {
    open: async () => ({
      go: (url) => note(`go ${url}`)(),
      read: async () => ({ url: 'https://shop.example/', title: 'Shop\n', text }),
      click: (ref) => note(`click ${ref}`)(),
      type: (ref, words, submit) => note(`type ${ref} ${words} ${submit}`)(),
      screenshot: async () => new Uint8Array(),
      close: note('close'),
    }),
  };
  return { asked, driver };
};

const doing = (driver: BrowserDriver, calls: readonly { name: string; input: Record<string, string> }[]) =>
  agent({
    name: 'clerk',
    tools: [browserTools(driver)],
    decide: ({ step }): Decision => {
      const next = calls[step];
      return next === undefined ? { kind: 'answer', answer: 'done' } : { kind: 'act', calls: [next] };
    },
  });

const open = { name: 'browser.open', input: { url: 'https://shop.example/' } };
const click = { name: 'browser.click', input: { ref: 'e1' } };

test('[QITOS-40] a click is approved by a person, who is shown the words of the page', async () => {
  const { asked, driver } = noting();
  const handle = doing(driver, [open, click]).stream('go');
  const questions: unknown[] = [];
  handle.events$.subscribe((event) => {
    if (event.type !== 'tool.approval-requested') return;
    questions.push(event);
    setTimeout(() => handle.approve(event.id));
  });
  await handle.result;
  expect(questions).toHaveLength(1);
  expect(JSON.stringify(questions)).toContain('Pay all');
  expect(asked).toEqual(['go https://shop.example/', 'click e1', 'close']);
});

test('[QITOS-40] what a person denies, and what the agent has not read of, is not clicked', async () => {
  const { asked, driver } = noting();
  const handle = doing(driver, [open, { ...click, input: { ref: 'e7' } }, click]).stream('go');
  handle.events$.subscribe((event) => {
    if (event.type !== 'tool.approval-requested') return;
    const isKnown = JSON.stringify(event).includes('Pay');
    setTimeout(() => (isKnown ? handle.deny(event.id, 'no') : handle.approve(event.id)));
  });
  const { records } = await handle.result;
  expect(records[1]?.results[0]?.text).toContain('no element [ref=e7]');
  expect(asked).toEqual(['go https://shop.example/', 'close']);
});

test('[QITOS-40] a page is cut where it is too long, and hides nothing from people', async () => {
  const { driver } = noting(`a\u202Eb${'x'.repeat(60_000)}`);
  const { records } = await doing(driver, [open]).run('go');
  const text = records[0]?.results[0]?.text ?? '';
  expect(text).toMatch(/^URL: https:\/\/shop\.example\/\nTitle: Shop\n\nabx/);
});

test('[QITOS-40] without a page there is nothing to read', async () => {
  const { driver } = noting();
  const { records } = await doing(driver, [{ name: 'browser.read', input: {} }]).run('go');
  expect(records[0]?.results[0]?.text).toBe('No page is open: open one first.');
});

test.each<[string, unknown, object, string]>([
  ['no browser', {}, {}, 'tool.invalid'],
  ['nothing', undefined, {}, 'tool.invalid'],
  ['an approval that is none', noting().driver, { approval: 'yes' }, 'tool.invalid'],
  ['an unknown rule', noting().driver, { host: ['a'] }, 'input.invalid'],
  ['methods', noting().driver, { ports: 80 }, 'input.invalid'],
])('[QITOS-40] browserTools refuses %s', (_, browser, options, code) => {
  expect(() => callUntyped({ browserTools }, 'browserTools', browser, options)).toThrow(
    expect.objectContaining({ code }),
  );
});
