import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { ToolResult } from '../../../src/contracts/tools/tool-result.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { publicHttp } from '../../../src/tools/built-in/http/http-environment.ts';
import type { SearchEngine } from '../../../src/tools/built-in/web/search/search-engine.ts';
import { searchTool } from '../../../src/tools/built-in/web/search/search-tool.ts';
import { callUntyped } from '../../support/call-untyped.ts';
import { perform } from '../tool-context.ts';
import { servePages } from './page-server.ts';

const KEY = 'key-of-nobody-0815';

interface Asked {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A service of this machine that answers as the one documents that it does. */
const serveSearch = async (answer: (asked: Asked) => unknown, status = 200) => {
  const asked: Asked[] = [];
  const host = await servePages((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const seen = { url: request.url ?? '', headers: request.headers, body };
      asked.push(seen);
      const answered = answer(seen);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof answered === 'string' ? answered : JSON.stringify(answered));
    });
  });
  return { asked, host };
};

/** By https://api-dashboard.search.brave.com/app/documentation/web-search */
const brave = {
  type: 'search',
  query: { original: 'green tea', more_results_available: true },
  web: {
    type: 'search',
    family_friendly: true,
    results: [
      {
        title: 'Green tea &amp; more',
        url: 'https://tea.example/green',
        is_source_local: false,
        description: 'All about <strong>green tea</strong>\nand cups.',
        page_age: '2026-01-02T00:00:00',
        profile: { name: 'Tea', long_name: 'tea.example' },
        language: 'en',
        meta_url: { scheme: 'https', netloc: 'tea.example' },
      },
      { title: 'Black', url: 'https://tea.example/black', description: 'Black tea.' },
    ],
  },
};

/** By https://docs.tavily.com/documentation/api-reference/endpoint/search */
const tavily = {
  query: 'green tea',
  answer: null,
  images: [],
  results: [
    {
      title: 'Green tea & more',
      url: 'https://tea.example/green',
      content: 'All about green tea and cups.',
      score: 0.98,
      raw_content: null,
    },
    {
      title: 'Black',
      url: 'https://tea.example/black',
      content: 'Black tea.',
      score: 0.5,
      raw_content: null,
    },
  ],
  response_time: 1.1,
  request_id: '123e4567',
};

const services = [
  { engine: 'brave', answer: brave, method: 'GET', header: 'x-subscription-token', sent: KEY },
  { engine: 'tavily', answer: tavily, method: 'POST', header: 'authorization', sent: `Bearer ${KEY}` },
] as const;

describe.each(services)('the web is searched by $engine', ({ engine, answer, method, header, sent }) => {
  const toolFor = (host: string) =>
    searchTool({
      engine,
      apiKey: () => KEY,
      url: `http://${host}/search`,
      ops: publicHttp({ trusted: [host], methods: [method] }),
    });

  test('as it documents, and gives the best pages', async () => {
    const { asked, host } = await serveSearch(() => answer);
    const result = await perform(toolFor(host), { query: 'green tea', limit: 2 });
    expect(result).toMatchObject({
      ok: true,
      text:
        '1. Green tea & more\n   https://tea.example/green\n   All about green tea and cups.\n' +
        '2. Black\n   https://tea.example/black\n   Black tea.',
      value: [{ title: 'Green tea & more' }, { url: 'https://tea.example/black', text: 'Black tea.' }],
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.headers[header]).toBe(sent);
    const fields = method === 'GET' ? asked[0]?.url : asked[0]?.body;
    expect(fields).toBe(
      method === 'GET' ? '/search?q=green+tea&count=2' : '{"query":"green tea","max_results":2}',
    );
  });

  test('whose key is in no event, result or error, also where the service repeats it', async () => {
    for (const status of [200, 401]) {
      const { host } = await serveSearch(
        ({ headers }) => ({
          ...answer,
          detail: `not for ${String(headers[header])}`,
          web: 1,
          results: `${String(headers[header])}`,
        }),
        status,
      );
      const model = scriptedModel([calls({ name: 'search_web', input: { query: 'tea' } }), 'Done.']);
      const result = await agent({ name: 'reader', tools: [toolFor(host)], model }).run('Tea?');
      expect(result.records[0]?.results[0]?.ok).toBe(false);
      expect(JSON.stringify([result.events, model.requests])).not.toContain(KEY);
    }
  });

  test('without results where it has none', async () => {
    const { host } = await serveSearch(() => ({ type: 'search', query: {} }));
    expect((await perform(toolFor(host), { query: 'tea' })).text).toBe('No page was found for “tea”.');
  });

  test.each([
    ['<html>', 'it is no JSON'],
    ['{"web":{"results":{}},"results":{}}', 'is no list'],
  ])('and an answer that is not as documented is a failure: %s', async (body, reason) => {
    const { host } = await serveSearch(() => body);
    expect(await perform(toolFor(host), { query: 'tea' })).toMatchObject({
      ok: false,
      error: { code: 'tool.failed', message: expect.stringContaining(reason) },
    });
  });

  test.each([
    [401, 'no'],
    [429, 'yes'],
    [500, 'yes'],
  ] as const)('and its status %i says if it may be asked again', async (status, retryable) => {
    const { host } = await serveSearch(() => ({ detail: 'quota' }), status);
    expect(await perform(toolFor(host), { query: 'tea' })).toMatchObject({
      ok: false,
      error: { code: 'tool.failed', status, retryable, message: expect.stringContaining('quota') },
    });
  });

  test.each(['', 'a b', 'a\r\nx: y'])('and not with the key %j', async (key) => {
    const tool = searchTool({ engine, apiKey: async () => key, url: 'http://127.0.0.1:1/' });
    const { text } = await perform(tool, { query: 'tea' });
    expect(text).toContain('`apiKey` returned no key');
  });
});

const valueOf = (result: ToolResult): unknown => (result.ok ? result.value : undefined);

describe('an engine of your own', () => {
  const engineOf = (find: SearchEngine['find']): SearchEngine => ({ name: 'archive', find });

  test('is given the query, the limit and a signal', async () => {
    const seen: unknown[] = [];
    const engine = engineOf(async (query, { limit, signal }) => {
      seen.push(query, limit, signal.aborted);
      return [{ title: 'Tea', url: 'https://tea.example/', text: 'a' }];
    });
    expect(await perform(searchTool({ engine, maxResults: 3 }), { query: ' tea ' })).toMatchObject({
      ok: true,
    });
    expect(seen).toEqual(['tea', 3, false]);
    expect(await perform(searchTool({ engine, maxResults: 3 }), { query: 'tea', limit: 4 })).toMatchObject({
      ok: false,
    });
  });

  test('cannot give more than was asked for, other addresses than those of the web, or a text that misleads', async () => {
    const hits = [
      { title: 'a', url: 'javascript:alert(1)', text: 'x' },
      {
        title: '<b>T</b>ea\u202E\n2. Fake',
        url: 'HTTPS://tea.example/a b',
        text: '<script>x</script>ok\u200B&lt;b&gt; '.repeat(500),
      },
      { title: '', url: 'https://tea.example/', text: 'y' },
      { title: 'c', url: 'https://c.example/', text: 'z' },
    ];
    const result = await perform(searchTool({ engine: engineOf(async () => hits), maxResults: 2 }), {
      query: 'tea',
    });
    const [first, second, ...more] = valueOf(result) as readonly {
      title: string;
      url: string;
      text: string;
    }[];
    expect(more).toEqual([]);
    expect(first).toMatchObject({ title: 'Tea 2. Fake', url: 'https://tea.example/a%20b' });
    expect(first?.text.length).toBeLessThanOrEqual(1_000);
    expect(second).toMatchObject({ title: 'https://tea.example/', text: 'y' });
  });

  test.each([
    ['no list', () => Promise.resolve('x')],
    ['nothing', () => Promise.resolve(undefined)],
  ])('that gives %s fails the call', async (_, search) => {
    const result = await perform(
      callUntyped({ searchTool }, 'searchTool', { engine: { name: 'archive', find: search } }) as ReturnType<
        typeof searchTool
      >,
      { query: 'tea' },
    );
    expect(result).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("'archive' gave as it is no list") },
    });
  });
});

test.each([
  [{}, '`?engine`? is not one of brave, tavily'],
  [{ engine: 'google', apiKey: 'a' }, 'not one of brave, tavily: found .google.'],
  [{ engine: 'brave' }, 'needs a key, and `apiKey` has none'],
  [{ engine: 'brave', apiKey: '' }, 'needs a key'],
  [{ engine: 'brave', apiKey: 7_000_815 }, 'apiKey`? is not a string: found a value of type number'],
  [{ engine: 'brave', apiKey: 'a', url: 'x' }, 'url`? is not a URL'],
  [{ engine: 'brave', apiKey: 'a', maxResults: 21 }, 'more than 20'],
  [{ engine: 'brave', apiKey: 'a', limit: 2 }, 'option `limit` is unknown'],
  [{ engine: {} }, 'not something that searches'],
  [{ engine: { name: 'a', find: () => [] }, apiKey: 'a' }, 'needs no `apiKey`'],
])('options that do not fit are refused: %j', (options, reason) => {
  expect(() => callUntyped({ searchTool }, 'searchTool', options)).toThrow(new RegExp(reason));
});
