import { messageOf, TroupeError } from '../contracts/error.ts';

type RequestHeaders = Readonly<Record<string, string>>;

/** How a run that is elsewhere is read. */
export interface AddressOptions {
  /** Sent with each request; a function is asked anew for each, as a token may have been renewed. */
  readonly headers?: RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>) | undefined;
  /** Default: the platform's own. */
  readonly fetch?: typeof fetch | undefined;
  /** The rule for cookies, as `fetch` has it. */
  readonly credentials?: 'include' | 'omit' | 'same-origin' | undefined;
  /** The time after a loss to connect again, in ms, if the server says nothing; doubled with each attempt in vain. Default 1,000. */
  readonly retryMs?: number | undefined;
  /** Default 30,000. */
  readonly maxRetryMs?: number | undefined;
  /** Attempts in a row that may come to nothing before it is given up. Default: no limit. */
  readonly attempts?: number | undefined;
}

/** Opens a stream of events from the one after `last` on. */
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
  // What may go away by itself is tried again.
  const retryable = status >= 500 || status === 408 || status === 429 ? 'yes' : 'no';
  const message = `Cannot follow the run at ${url} as the server refuses: it answered ${status}`;
  throw new TroupeError('stream.refused', message, { status, retryable });
};

/**
 * A URL in full.
 *
 * @throws {TroupeError} `stream.invalid` for what is none.
 */
export const addressOf = (url: string | URL): string => {
  // A page has an address of its own that others are read against.
  const location: unknown = Reflect.get(globalThis, 'location');
  const base: unknown = Reflect.get(Object(location), 'href');
  try {
    return typeof base === 'string' ? new URL(url, base).href : new URL(url).href;
  } catch (thrown) {
    const message = `Cannot follow a run as '${String(url)}' is no URL: ${messageOf(thrown)}`;
    throw new TroupeError('stream.invalid', message);
  }
};
