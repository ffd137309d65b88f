import type { HttpRequest, HttpResponse } from '../../../contracts/environments/operations.ts';
import { messageOf, TroupeError } from '../../../contracts/errors/error.ts';
import type { PageRequests } from './browser-driver.ts';
import type {
  PlaywrightContext,
  PlaywrightPage,
  PlaywrightRequest,
  PlaywrightRoute,
} from './playwright-shapes.ts';

/** Redirects that the part of a page may lead through, within its host. */
const MOST_HOPS = 5;

/** Requests that a page may make between two calls: a page that never ends makes them for ever. */
const MOST_REQUESTS = 500;

/** Headers about the transport, which has unpacked the body. */
const TRANSPORT = new Set([
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
]);

/**
 * The network of one page: each of its requests is made by `requests`, so that the browser itself has none.
 *
 * A redirect never reaches the browser, as it would follow it by itself, past all checks: that of the page is remembered for {@link takeRedirect}, that of a part
 * of it is followed within its host, where it makes no other origin's answer its own.
 */
export class PageNetwork {
  readonly #context: PlaywrightContext;
  readonly #page: PlaywrightPage;
  readonly #requests: PageRequests;
  #left = MOST_REQUESTS;
  #redirect: string | undefined;
  #refusal: Error | undefined;

  constructor(context: PlaywrightContext, page: PlaywrightPage, requests: PageRequests) {
    this.#context = context;
    this.#page = page;
    this.#requests = requests;
  }

  /** Grants the requests of a further call, and forgets what was refused before. */
  begin(): void {
    this.#left = MOST_REQUESTS;
    this.#redirect = undefined;
    this.#refusal = undefined;
  }

  /** Returns where the page is to go on to; once. */
  takeRedirect(): string | undefined {
    const target = this.#redirect;
    this.#redirect = undefined;
    return target;
  }

  /** Throws the reason why the page itself could not be fetched since the last call began. */
  throwIfRefused(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  /** Answers a request of the browser. */
  async answer(route: PlaywrightRoute): Promise<void> {
    const request = route.request();
    const isMain = this.#isMain(request);
    try {
      this.#left -= 1;
      if (isMain === undefined) return await route.abort('blockedbyclient');
      if (this.#left < 0)
        throw new TroupeError('tool.denied', `Cannot fetch more than ${MOST_REQUESTS} times for one call`);
      const response = await this.#fetch(request, isMain);
      if (response.isCut) throw new TroupeError('tool.failed', 'Cannot show the page as it is too large');
      return await route.fulfill(
        isMain && isRedirect(response) ? this.#remember(response) : answerOf(response),
      );
    } catch (thrown) {
      // The page may be gone by now.
      return await this.#refuse(route, thrown, isMain === true).catch(() => undefined);
    }
  }

  /** A page that is refused is an empty one: a browser's own page for errors would come later, in the way of the next. */
  async #refuse(route: PlaywrightRoute, reason: unknown, isMain: boolean): Promise<void> {
    if (!isMain) return route.abort('blockedbyclient');
    this.#refusal ??= reason instanceof Error ? reason : new Error(messageOf(reason));
    return route.fulfill({ status: 403, headers: { 'content-type': 'text/plain' }, body: '' });
  }

  /** True for the page itself, false for a part of it, undefined for what is not of this page: a pop-up. */
  #isMain(request: PlaywrightRequest): boolean | undefined {
    try {
      const frame = request.frame();
      if (frame.page() !== this.#page) return undefined;
      return request.isNavigationRequest() && frame.parentFrame() === null;
    } catch {
      // A page that is not there yet has no frame.
      return undefined;
    }
  }

  async #fetch(request: PlaywrightRequest, isMain: boolean): Promise<HttpResponse> {
    // A form that is sent is the act of the page that has it; opening an address is nobody's.
    const page = isMain && request.method() === 'GET' ? undefined : originOf(this.#page.url());
    let next = await this.#requestOf(request, page);
    for (let hop = 0; hop <= MOST_HOPS; hop += 1) {
      const response = await this.#requests(next, page);
      if (isMain || !isRedirect(response)) return response;
      next = followWithin(next, response);
    }
    throw new TroupeError('tool.denied', `Cannot fetch what redirects more than ${MOST_HOPS} times`);
  }

  async #requestOf(request: PlaywrightRequest, page: string | undefined): Promise<HttpRequest> {
    const url = request.url();
    const body = request.postDataBuffer();
    // Cookies of others stay at home: no page acts in their name.
    const isOwn = page === undefined || new URL(url).origin === page;
    const cookies = isOwn ? await this.#context.cookies(url) : [];
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    return {
      url,
      method: request.method(),
      headers: { ...request.headers(), ...(cookie === '' ? {} : { cookie }) },
      ...(body === null ? {} : { body }),
    };
  }

  #remember(response: HttpResponse): ReturnType<typeof answerOf> {
    const target = response.headers['location'] ?? '';
    this.#redirect = URL.canParse(target, response.url) ? new URL(target, response.url).href : target;
    const cookies = response.headers['set-cookie'];
    return {
      status: 200,
      headers: { 'content-type': 'text/html', ...(cookies === undefined ? {} : { 'set-cookie': cookies }) },
      body: Buffer.from(''),
    };
  }
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : '');

const isRedirect = ({ status, headers }: HttpResponse): boolean =>
  status >= 300 && status < 400 && headers['location'] !== undefined;

/** The request that a redirect of a part leads to. */
const followWithin = (request: HttpRequest, { headers }: HttpResponse): HttpRequest => {
  const from = new URL(request.url);
  const target = new URL(headers['location'] ?? '', from);
  const isWithin =
    target.hostname === from.hostname && (target.protocol === from.protocol || target.protocol === 'https:');
  if (!isWithin || (request.method !== 'GET' && request.method !== 'HEAD'))
    throw new TroupeError('tool.denied', 'Cannot follow a redirect of a part of the page to another host');
  return { ...request, url: target.href };
};

const answerOf = ({ status, headers, bytes, text }: HttpResponse) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !TRANSPORT.has(name))),
  body: Buffer.from(bytes ?? text),
});
