import { expect, test } from 'vitest';
import type { HttpRequest, HttpResponse } from '../../../src/contracts/environments/operations.ts';
import { PageNetwork } from '../../../src/tools/built-in/browser/page-network.ts';
import type {
  PlaywrightContext,
  PlaywrightPage,
  PlaywrightRoute,
} from '../../../src/tools/built-in/browser/playwright-shapes.ts';

const page = { url: () => 'https://shop.example/' } as PlaywrightPage;
const context = { cookies: async () => [{ name: 'a', value: '1' }] } as unknown as PlaywrightContext;

/** A network that answers by `answer`, and what became of the request for a part of its page. */
const networkOf = (answer: (request: HttpRequest) => Partial<HttpResponse>) => {
  const asked: string[] = [];
  const cookies: (string | undefined)[] = [];
  const pages: (string | undefined)[] = [];
  const network = new PageNetwork(context, page, async (request, from) => {
    pages.push(from);
    asked.push(request.url);
    cookies.push(request.headers?.['cookie']);
    return { url: request.url, status: 200, headers: {}, text: '', isCut: false, ...answer(request) };
  });
  const answered = (url: string, method: string, isMain: boolean) =>
    new Promise<string>((resolve) => {
      const route: PlaywrightRoute = {
        request: () => ({
          url: () => url,
          method: () => method,
          headers: () => ({}),
          postDataBuffer: () => null,
          isNavigationRequest: () => isMain,
          frame: () => ({ page: () => page, parentFrame: () => null }),
        }),
        abort: async () => resolve('refused'),
        fulfill: async ({ status }) => resolve(String(status)),
      };
      void network.answer(route);
    });
  const fetchPart = (url: string, method = 'GET') => answered(url, method, false);
  const openPage = (url: string, method = 'GET') => answered(url, method, true);
  return { network, asked, cookies, pages, fetchPart, openPage };
};

test('[QITOS-40] a page makes 500 requests between two calls, and then no more', async () => {
  const { network, asked, fetchPart } = networkOf(() => ({}));
  for (let made = 0; made < 510; made += 1) await fetchPart('https://shop.example/s');
  expect(asked).toHaveLength(500);
  expect(await fetchPart('https://shop.example/s')).toBe('refused');
  network.begin();
  expect(await fetchPart('https://shop.example/s')).toBe('200');
});

test.each<[string, string, string, string]>([
  ['within its host', 'https://cdn.example/a', '/b', '200'],
  ['to https', 'http://cdn.example/a', 'https://cdn.example/b', '200'],
  [
    'to another host, whose answer would pass for its own',
    'https://cdn.example/a',
    'https://bank.example/b',
    'refused',
  ],
  ['from https', 'https://cdn.example/a', 'http://cdn.example/b', 'refused'],
  ['to no web address', 'https://cdn.example/a', 'file:///etc/passwd', 'refused'],
  ['without end', 'https://cdn.example/b', '/b', 'refused'],
])('[QITOS-40] a part of a page that redirects %s', async (_, url, location, outcome) => {
  const { fetchPart } = networkOf((request) =>
    request.url === url ? { status: 302, headers: { location } } : {},
  );
  expect(await fetchPart(url)).toBe(outcome);
});

test('[QITOS-40] what a part of a page sends is not sent on to where it redirects', async () => {
  const { fetchPart, asked } = networkOf(() => ({ status: 307, headers: { location: '/b' } }));
  expect(await fetchPart('https://shop.example/a', 'POST')).toBe('refused');
  expect(asked).toEqual(['https://shop.example/a']);
});

test('[QITOS-40] a part of another origin is asked without cookies', async () => {
  const { fetchPart, cookies } = networkOf(() => ({}));
  await fetchPart('https://shop.example/s');
  await fetchPart('https://bank.example/s');
  expect(cookies).toEqual(['a=1', undefined]);
});

test('[QITOS-40] a form that is sent is the act of its page, an address that is opened that of nobody', async () => {
  const { openPage, pages, cookies } = networkOf(() => ({}));
  for (const method of ['GET', 'POST'])
    for (const host of ['shop', 'bank']) await openPage(`https://${host}.example/`, method);
  expect(pages).toEqual([undefined, undefined, 'https://shop.example', 'https://shop.example']);
  expect(cookies).toEqual(['a=1', 'a=1', 'a=1', undefined]);
});
