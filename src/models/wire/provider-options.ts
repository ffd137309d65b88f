import { LONGEST_TIMER_MS } from '../../base/clock.ts';
import type { ContentSupport } from '../../contracts/content/content-support.ts';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import type { Batching } from '../batch/batching.ts';
import { withReadableError } from '../retry/error-body.ts';
import { withEventStream } from './event-stream-body.ts';
import type { WireContext } from './reader-context.ts';

/** Options of every provider's adapter. */
export interface ProviderOptions {
  /** Default: the provider's environment variable, read on the first call. */
  readonly apiKey?: string | undefined;
  /** Default: the provider's environment variable, else its own address. */
  readonly baseURL?: string | undefined;
  /** The media that the model takes, by media type. Default: those that its provider documents for its newest models. */
  readonly takes?: ContentSupport | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: the platform's, looked up on every call. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Fields added to every request body, overriding the adapter's: for features of this provider alone. */
  readonly extra?: JsonObject | undefined;
  /**
   * Every call goes through the provider's batches, at about half the price, and is answered after minutes or hours. Calls that are made at about
   * the same time share a batch; a stored run that is resumed finds its own. Default false.
   */
  readonly batch?: boolean | Batching | undefined;
  /** Allows a key in a browser, where every visitor can read it. Default false. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
}

/**
 * Returns the options for both SDKs. They never retry, wait or give up by themselves: one place above them does. Their
 * time-out covers the headers only and cannot be disabled, so it gets the longest delay of a timer.
 */
export const sdkOptions = (
  options: ProviderOptions,
): {
  maxRetries: 0;
  timeout: number;
  logLevel: 'off';
  fetch: typeof globalThis.fetch;
  defaultHeaders: Record<string, string>;
  dangerouslyAllowBrowser: boolean;
} => ({
  maxRetries: 0,
  timeout: LONGEST_TIMER_MS,
  // They print to the console what they also throw.
  logLevel: 'off',
  // Otherwise the SDKs would keep the fetch of the time when the client is made.
  fetch: async (input, init) =>
    withEventStream(await withReadableError(await (options.fetch ?? globalThis.fetch)(input, init))),
  defaultHeaders: { ...options.headers },
  dangerouslyAllowBrowser: options.dangerouslyAllowBrowser ?? false,
});

/** The headers of one request. */
export const headersOf = ({ request }: WireContext): { headers?: Record<string, string> } => {
  const headers = request.settings?.headers;
  return headers === undefined ? {} : { headers: { ...headers } };
};

/**
 * Returns the replay data of `provider` and `model` under `name`; undefined if another model made it: signatures and
 * encrypted reasoning are useless to others.
 */
export const replayDataFor = (
  replay: { readonly provider: string; readonly content: unknown } | undefined,
  provider: string,
  model: string,
  name: string,
): readonly JsonObject[] | undefined => {
  if (replay?.provider !== provider || !isJsonObject(replay.content)) return undefined;
  const items = replay.content[name];
  return replay.content['model'] === model && Array.isArray(items) ? items.filter(isJsonObject) : undefined;
};
