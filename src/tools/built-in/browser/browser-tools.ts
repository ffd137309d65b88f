import * as z from 'zod';
import { aBoolean, fulfilling, isObject, optional } from '../../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../../contracts/errors/check-options.ts';
import type { Tool, Toolset } from '../../../contracts/tools/tool.ts';
import { dual } from '../../calls/tool-result.ts';
import { tool } from '../../define/define-tool.ts';
import type { HttpRules } from '../http/http-rules.ts';
import type { BrowserDriver } from './browser-driver.ts';
import { BrowserSession } from './browser-session.ts';
import { confineRequests } from './confine-requests.ts';
import { playwrightDriver } from './playwright-driver.ts';
import type { PlaywrightBrowser } from './playwright-shapes.ts';

/** Options of {@link browserTools}: the rules of every request that a page makes, and who acts. */
export interface BrowserToolsOptions extends Omit<HttpRules, 'methods' | 'maxRedirects'> {
  /** False to have clicks and inputs made without a person's approval. Default true. */
  readonly approval?: boolean | undefined;
}

interface Given {
  readonly browser: BrowserDriver | PlaywrightBrowser;
  readonly approval?: boolean | undefined;
}

const check = optionsCheck<Given>({ code: 'tool.invalid', owner: 'browserTools' }, () => ({
  browser: fulfilling(
    (given) =>
      isObject(given) &&
      ['newContext', 'open'].some((method) => typeof Reflect.get(given, method) === 'function'),
    'no browser: write await chromium.launch() of Playwright, or a driver with `open`',
  ),
  approval: optional(aBoolean()),
}));

/**
 * The toolset `browser`: `open` a page, `read` it again, `click`, `type`, and a `screenshot`; each agent of a run has a page of its own, without the cookies of
 * others, that is closed with the run.
 *
 * A browser is one of Playwright that you launch (and close), or a driver of yours: `open(requests)` returns a page with `go`, `read`, `click`, `type`, `screenshot` and
 * `close`. Everything that a page fetches is fetched by troupe, by the rules of `publicHttp`: public addresses only, each redirect checked,
 * `hosts` alone if there are any. A host of `trusted` is reached from its own pages, and by opening it; only they send it a form. Pop-ups, downloads, dialogs, web sockets, workers
 * in the background and peer connections come to nothing. A click and an input are approved by a person, who is shown the page's words for what is clicked.
 * A driver of yours has to see to all of that itself: it is given `requests`, and nothing watches over it.
 *
 * What a page says is a text of others: guard it by `guardrails(['injection'])`.
 *
 * @example
 * const browser = await chromium.launch();
 * const reader = agent({ name: 'reader', tools: [browserTools(browser, { hosts: ['example.com'] })] });
 *
 * @throws {TroupeError} `tool.invalid` for no browser, `input.invalid` for rules that do not fit.
 */
export const browserTools = (
  browser: BrowserDriver | PlaywrightBrowser,
  { approval = true, ...rules }: BrowserToolsOptions = {},
): Toolset => {
  check({ browser, approval });
  const driver = 'newContext' in browser ? playwrightDriver(browser) : browser;
  const requests = confineRequests(rules);
  return {
    name: 'browser',
    tools: [],
    open: () => {
      const session = new BrowserSession(driver, requests);
      return {
        tools: [...lookingTools(session), ...actingTools(session, approval)],
        listed: {},
        close: () => session.close(),
      };
    },
  };
};

const REF = z.string().min(1).max(20).describe('e2 for [ref=e2], as you read it');

/** One page, one call at a time. */
const ALONE = { category: 'browser', exclusive: true, retry: false } as const;

const lookingTools = (session: BrowserSession): readonly Tool[] => [
  tool({
    ...ALONE,
    safety: 'read',
    name: 'open',
    description: 'Opens an address in the browser, and gives what is on the page; [ref=e2] names an element.',
    input: z.object({ url: z.string().min(1).max(8_000).describe('http or https') }),
    describe: ({ url }) => `Opening ${url.replace(/[?#][^]*/, '').slice(0, 200)}`,
    execute: ({ url }) => session.open(url),
  }),
  tool({
    ...ALONE,
    safety: 'read',
    name: 'read',
    description: 'Gives what is on the open page now.',
    input: z.object({}),
    describe: () => 'Reading the page',
    execute: () => session.read(),
  }),
  tool({
    ...ALONE,
    safety: 'read',
    name: 'screenshot',
    description: 'Takes a picture of what is in sight of the open page.',
    input: z.object({}),
    describe: () => 'Taking a picture of the page',
    execute: async () =>
      dual({
        text: 'The page as it looks:',
        parts: [
          { type: 'image', data: await session.screenshot(), mediaType: 'image/png', name: 'page.png' },
        ],
      }),
  }),
];

const actingTools = (session: BrowserSession, approval: boolean): readonly Tool[] => [
  tool({
    ...ALONE,
    name: 'click',
    description: 'Clicks an element of the open page, and gives what is on the page then.',
    safety: 'write',
    approval,
    input: z.object({ ref: REF }),
    describe: ({ ref }) => `Clicking ${session.wordsOf(ref)}`,
    execute: ({ ref }) => session.act(ref, (page) => page.click(ref)),
  }),
  tool({
    ...ALONE,
    name: 'type',
    description: 'Replaces the text of a field of the open page, and gives what is on the page then.',
    safety: 'write',
    approval,
    input: z.object({
      ref: REF,
      text: z.string().max(20_000),
      submit: z.boolean().default(false).describe('Press Enter after it'),
    }),
    describe: ({ ref, submit }) =>
      `Typing into ${session.wordsOf(ref)}${submit ? ', and submitting it' : ''}`,
    execute: ({ ref, text, submit }) => session.act(ref, (page) => page.type(ref, text, submit)),
  }),
];
