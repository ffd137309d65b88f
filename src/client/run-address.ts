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

/** Opens a stream of events after number `last`. */
export const openAddress = async (
  url: string,
  last: number,
  { headers, credentials, fetch: get = fetch }: AddressOptions,
  signal: AbortSignal,
): Promise<Response> => {
  const response = await get(url, {
    headers: {
      accept: 'text/event-stream, application/x-ndjson;q=0.9',
      ...(typeof headers === 'function' ? await headers() : headers),
      ...(last < 0 ? {} : { 'last-event-id': String(last) }),
    },
    ...(credentials === undefined ? {} : { credentials }),
    signal,
  });
  const { status } = response;
  if (response.ok && status !== 204 && response.body !== null) return response;
  await response.body?.cancel().catch(() => undefined);
  // Transient failures are retried.
  const retryable = status >= 500 || status === 408 || status === 429 ? 'yes' : 'no';
  const message = `Cannot follow the run at ${url} as the server answered ${status}`;
  throw new TroupeError('stream.refused', message, { status, retryable });
};

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
    const message = `Cannot follow a run as '${String(url)}' is no URL: ${messageOf(thrown)}`;
    throw new TroupeError('stream.invalid', message);
  }
};
