import { withoutUndefined } from '../base/json/without-undefined.ts';
import { tryRead } from '../base/try-read.ts';
import type { RetryOptions } from './pause.ts';
import { messageOf, TroupeError } from '../contracts/errors/error.ts';

type RequestHeaders = Readonly<Record<string, string>>;

/** Options of requests to a remote run. */
export interface AddressOptions extends RetryOptions {
  /** Headers of each request; a function is called for each, as tokens may have been renewed. */
  readonly headers?: RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>) | undefined;
  /** Default: the platform's own. */
  readonly fetch?: typeof fetch | undefined;
  /** Rule for cookies, as in `fetch`. */
  readonly credentials?: 'include' | 'omit' | 'same-origin' | undefined;
  /** Number of consecutive failed attempts before giving up. Default: unlimited. */
  readonly attempts?: number | undefined;
}

/** A request, apart from the options of its address. */
interface AddressRequest {
  /** It is posted. */
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Headers that the options may replace. */
  readonly defaults: RequestHeaders;
  /** Headers that they may not. */
  readonly own?: RequestHeaders | undefined;
}

/** Fetches an address with the headers, the cookies and the `fetch` of its options. */
export const fetchAddress = async (
  url: string,
  { headers, credentials, fetch: get = fetch }: AddressOptions,
  { defaults, own, body, signal }: AddressRequest,
): Promise<Response> => {
  const given = typeof headers === 'function' ? await headers() : headers;
  const method = body && 'POST';
  return get(
    url,
    withoutUndefined({ method, body, signal, credentials, headers: { ...defaults, ...given, ...own } }),
  );
};

/** Opens a stream of events after number `last`. */
export const openAddress = async (
  url: string,
  last: number,
  options: AddressOptions,
  signal: AbortSignal,
): Promise<Response> => {
  const response = await fetchAddress(url, options, {
    defaults: { accept: 'text/event-stream, application/x-ndjson;q=0.9' },
    own: last < 0 ? {} : { 'last-event-id': String(last) },
    signal,
  });
  const { status, body } = response;
  if (response.ok && status !== 204 && body !== null) return response;
  await body?.cancel().catch(() => undefined);
  throw refusalBy(url, status);
};

/** The error for a status that is no success; those that may pass are retryable. */
export const refusalBy = (url: string, status: number): TroupeError =>
  new TroupeError('stream.refused', `Cannot reach ${url} as it answered ${status}`, {
    status,
    retryable: status >= 500 || status === 408 || status === 429 ? 'yes' : 'no',
  });

/** The error for a server that gave no answer. */
export const unreachableError = (url: string, cause: unknown, retryable: 'yes' | 'no' = 'yes'): TroupeError =>
  new TroupeError('stream.refused', `Cannot reach ${url} as the request failed: ${messageOf(cause)}`, {
    cause,
    retryable,
  });

/** The absolute URL; a path stays one, as it has no address yet where a page is rendered on a server. @throws {TroupeError} `stream.invalid` */
export const addressOrPath = (url: string | URL): string =>
  /^\.{0,2}\//.test(String(url)) ? String(url) : addressOf(url);

/**
 * The absolute URL.
 *
 * @throws {TroupeError} `stream.invalid` for what is none.
 */
export const addressOf = (url: string | URL): string => {
  // Resolved against the page's own URL.
  const location: unknown = Reflect.get(globalThis, 'location');
  const base: unknown = Reflect.get(Object(location), 'href');
  const found = tryRead(() => new URL(url, typeof base === 'string' ? base : undefined).href);
  if (found !== undefined) return found;
  throw new TroupeError('stream.invalid', `Cannot reach a run as its URL is invalid: ${String(url)}`);
};
