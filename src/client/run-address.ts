import { messageOf, TroupeError } from '../contracts/errors/error.ts';

type RequestHeaders = Readonly<Record<string, string>>;

/** Options of requests to a remote run. */
export interface AddressOptions {
  /** Headers of each request; a function is called for each, as tokens may have been renewed. */
  readonly headers?: RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>) | undefined;
  /** Default: the platform's own. */
  readonly fetch?: typeof fetch | undefined;
  /** Rule for cookies, as in `fetch`. */
  readonly credentials?: 'include' | 'omit' | 'same-origin' | undefined;
  /** Wait before reconnecting, in ms, unless the server sets it; doubled with each failed attempt. Default 1,000. */
  readonly retryMs?: number | undefined;
  /** Default 30,000. */
  readonly maxRetryMs?: number | undefined;
  /** Number of consecutive failed attempts before giving up. Default: unlimited. */
  readonly attempts?: number | undefined;
}

/** A request, apart from the options of its address. */
interface AddressRequest extends Pick<RequestInit, 'method' | 'body'> {
  readonly signal: AbortSignal | null;
  /** Headers that the options may replace. */
  readonly defaults: RequestHeaders;
  /** Headers that they may not. */
  readonly own?: RequestHeaders | undefined;
}

/** Fetches an address with the headers, the cookies and the `fetch` of its options. */
export const fetchAddress = async (
  url: string,
  { headers, credentials, fetch: get = fetch }: AddressOptions,
  { defaults, own, ...request }: AddressRequest,
): Promise<Response> =>
  get(url, {
    ...request,
    headers: { ...defaults, ...(typeof headers === 'function' ? await headers() : headers), ...own },
    ...(credentials === undefined ? {} : { credentials }),
  });

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
  try {
    return typeof base === 'string' ? new URL(url, base).href : new URL(url).href;
  } catch (thrown) {
    throw new TroupeError(
      'stream.invalid',
      `Cannot reach '${String(url)}' as it is no URL: ${messageOf(thrown)}`,
    );
  }
};
