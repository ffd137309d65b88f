import * as z from 'zod';
import { objectWith, optional } from '../../../base/schemas/option-schemas.ts';
import type { HttpOps } from '../../../contracts/environments/operations.ts';
import { optionsCheck } from '../../../contracts/errors/check-options.ts';
import type { Tool } from '../../../contracts/tools/tool.ts';
import { dual } from '../../calls/tool-result.ts';
import { tool } from '../../define/define-tool.ts';
import { failedAnswer } from '../http/failed-answer.ts';
import { publicHttp } from '../http/http-environment.ts';

/** Options of {@link pageTool}. */
export interface PageToolOptions {
  /** Makes the requests, and bounds them. Default: `publicHttp()`, which reaches public addresses only, in 15,000 ms, and reads 2,000,000 bytes. */
  readonly ops?: HttpOps | undefined;
}

const check = optionsCheck<PageToolOptions>({ code: 'tool.invalid', owner: 'the tool read_page' }, () => ({
  ops: optional(objectWith(['request'], 'not something that makes requests: write publicHttp({ … })')),
}));

const ACCEPTED =
  'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/*;q=0.8, application/json;q=0.7';

/**
 * The tool `read_page`: a page of the web as Markdown, with its title, its links and the address that it was found at.
 *
 * Its main part where a page marks one, or all of it (`whole`). Scripts, styles, comments, forms and what people do not see are
 * dropped; texts and JSON are given as they are. Policy is that of `ops`: every address and every redirect is checked, and `hosts` allows some alone.
 * What a page says is a text of others: guard it by `guardrails(['injection'])`, and give who reads it no tools that do harm.
 *
 * A call fails with `tool.denied` for an address that may not be reached, `tool.timeout`, and `tool.failed` for a status that is no success (`error.status`) and what is no text.
 *
 * @example
 * const reader = agent({ name: 'reader', tools: [pageTool({ ops: publicHttp({ hosts: ['nodejs.org'] }) })] });
 *
 * @throws {TroupeError} `tool.invalid` for options that do not fit.
 */
export const pageTool = (options: PageToolOptions = {}): Tool => {
  const { ops = publicHttp() } = check(options);
  return tool({
    name: 'read_page',
    description:
      'Reads a page of the web, or a text, by its address, and gives it as Markdown with its links. ' +
      'Of a page with menus around it the main part, or all of it with whole.',
    category: 'http',
    tags: ['web', 'read'],
    safety: 'read',
    input: z.object({
      url: z.string().min(1).max(8_000).describe('http or https'),
      whole: z.boolean().default(false).describe('Menus and side bars, too'),
    }),
    describe: ({ url }) => `Reading ${url.replace(/[?#][^]*/, '').slice(0, 200)}`,
    execute: async ({ url, whole }, { signal }) => {
      const response = await ops.request({
        url,
        headers: { accept: ACCEPTED, 'user-agent': 'troupe' },
        signal,
      });
      if (response.status < 200 || response.status >= 300) throw failedAnswer('read_page', response, '');
      // Loaded with the first page.
      const { readPage } = await import('./read-page.ts');
      const { title, markdown, isPart } = readPage(response, whole);
      const { isCut } = response;
      const notes = [
        ...(title === '' ? [] : [`Title: ${title}`]),
        `URL: ${response.url}`,
        ...(isPart ? ['(its main part: `whole` gives the rest, too)'] : []),
      ];
      const end = isCut ? '\n\n[cut here: the page is longer]' : '';
      return dual({
        text: `${notes.join('\n')}\n\n${markdown === '' ? '(no text)' : markdown}${end}`,
        value: { url: response.url, title, markdown, isPart, isCut },
      });
    },
  });
};
