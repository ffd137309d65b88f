import * as z from 'zod';
import {
  aFunction,
  aSecret,
  aText,
  formOr,
  isObject,
  objectWith,
  oneOf,
  optional,
  optionsSchema,
  together,
  wholeNumber,
} from '../../../../base/schemas/option-schemas.ts';
import { onDemand } from '../../../../base/on-demand.ts';
import { oneLine } from '../../../../base/text/printable.ts';
import type { HttpOps } from '../../../../contracts/environments/operations.ts';
import { checkOptions } from '../../../../contracts/errors/check-options.ts';
import { TroupeError } from '../../../../contracts/errors/error.ts';
import { foundText } from '../../../../contracts/errors/found-text.ts';
import type { Tool } from '../../../../contracts/tools/tool.ts';
import { dual } from '../../../calls/tool-result.ts';
import { tool } from '../../../define/define-tool.ts';
import { htmlTokens } from '../html/html-tokens.ts';
import { visibleText } from '../visible-text.ts';
import type { SearchEngine, SearchHit, SearchServiceName } from './search-engine.ts';
import { searchServices } from './search-services.ts';
import { serviceEngine, type SearchKey } from './service-engine.ts';

/** Options of {@link searchTool}. */
export type SearchToolOptions = {
  /** Most results of a call; a model may ask for fewer. Default 5, at most 20. */
  readonly maxResults?: number | undefined;
} & (ServiceOptions | { readonly engine: SearchEngine });

/** A service by its name. */
interface ServiceOptions {
  /** [Brave](https://brave.com/search/api/) or [Tavily](https://tavily.com). */
  readonly engine: SearchServiceName;
  /** The service's key, or a function that returns it before each request. It is sent, and written nowhere. */
  readonly apiKey: SearchKey;
  /** The address of the search. Default: the service's. */
  readonly url?: string | undefined;
  /** Makes the requests, and bounds them. Default: `publicHttp({ methods })`, with the service's method. */
  readonly ops?: HttpOps | undefined;
}

const schema = onDemand(() =>
  together<Record<string, unknown>>(
    optionsSchema<ServiceOptions & { maxResults: number }>({
      engine: formOr(
        isObject,
        objectWith(['find'], 'not something that searches: write { name, find }'),
        oneOf(Object.keys(searchServices)),
      ),
      apiKey: optional(formOr((given) => typeof given === 'function', aFunction(), aSecret())),
      url: optional(aText(1)),
      ops: optional(objectWith(['request'], 'not something that makes requests: write publicHttp({ … })')),
      maxResults: optional(wholeNumber(1)),
    }),
    ({ engine, apiKey, url, ops, maxResults }) => {
      if (Number(maxResults ?? 1) > MOST) return ['maxResults', `more than ${MOST}`];
      if (isObject(engine)) {
        const own = Object.entries({ apiKey, url, ops }).find(([, given]) => given !== undefined)?.[0];
        return own === undefined ? undefined : ['engine', `your own, which needs no \`${own}\``];
      }
      if (apiKey === undefined || apiKey === '')
        return ['engine', 'a service that needs a key, and `apiKey` has none'];
      return typeof url !== 'string' || URL.canParse(url) ? undefined : ['url', 'not a URL'];
    },
  ),
);

/** Most results of a call. */
const MOST = 20;
/** Characters of a title and of a text that a model is shown. */
const [TITLE, TEXT] = [200, 1_000];

/**
 * The tool `search_web`: pages about something, with title, address and a text of each, by a service or by an engine of yours.
 *
 * Texts are shown without tags, on one line, up to 1,000 characters each; results without an address of the web are left out. To read a page,
 * give the agent {@link pageTool}, too.
 *
 * A call fails with `tool.failed` for a status that is no success (`error.status`) and an answer that is not as documented; a key that is
 * repeated in it is redacted.
 *
 * @example
 * const search = searchTool({ engine: 'brave', apiKey: () => readSecret('brave') });
 * const reader = agent({ name: 'reader', tools: [search, pageTool()] });
 *
 * @throws {TroupeError} `tool.invalid` for options that do not fit: an unknown service, one without a key.
 */
export const searchTool = (options: SearchToolOptions): Tool => {
  checkOptions(schema(), options, { code: 'tool.invalid', owner: 'the tool search_web' });
  const { maxResults = 5 } = options;
  const engine = engineOf(options);
  return tool({
    name: 'search_web',
    description: 'Searches the web. Gives the best pages with title, address and a text of each.',
    category: 'http',
    tags: ['web', 'search', 'read'],
    safety: 'read',
    input: z.object({
      query: z.string().trim().min(1).max(400).describe('The words to search for'),
      limit: z.number().int().min(1).max(maxResults).default(maxResults).describe('Most pages to give'),
    }),
    describe: ({ query }) => `Searching the web for “${query}”`,
    execute: async ({ query, limit }, { signal }) => {
      const found = readHits(engine.name, await engine.find(query, { limit, signal })).slice(0, limit);
      const lines = found.map((hit, index) => `${index + 1}. ${hit.title}\n   ${hit.url}\n   ${hit.text}`);
      return dual({ text: lines.join('\n') || `No page was found for “${query}”.`, value: found });
    },
  });
};

const engineOf = (options: SearchToolOptions): SearchEngine =>
  'apiKey' in options ? serviceEngine(searchServices[options.engine], options) : options.engine;

/** Reads what an engine gave, which may be code of others. */
const readHits = (name: string, given: unknown): readonly SearchHit[] => {
  if (!Array.isArray(given))
    throw new TroupeError(
      'tool.failed',
      `Cannot read what the search engine '${name}' gave as it is no list of results: found ${foundText(given)}`,
      { retryable: 'no' },
    );
  return given.flatMap((hit: Partial<Record<keyof SearchHit, unknown>> | null) => {
    const url = typeof hit?.url === 'string' ? webAddress(hit.url) : undefined;
    return url === undefined
      ? []
      : [{ title: plainText(hit?.title, TITLE) || url, url, text: plainText(hit?.text, TEXT) }];
  });
};

const webAddress = (text: string): string | undefined =>
  /^https?:/i.test(text) && text.length <= 2_000 && URL.canParse(text) ? new URL(text).href : undefined;

/** Services mark words in their texts by tags. */
const plainText = (given: unknown, most: number): string => {
  const text = typeof given === 'string' ? given.slice(0, most * 10) : '';
  const parts = [...htmlTokens(text)].map((token) => (token.kind === 'text' ? token.text : ''));
  return oneLine(visibleText(parts.join('')), most);
};
