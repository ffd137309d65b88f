import { LONGEST_TIMER_MS } from '../contracts/clock.ts';
import { isJsonObject, type JsonObject } from '../contracts/json.ts';
import { withReadableError } from './retry/error-body.ts';
import { withEventStream } from './event-stream-body.ts';

/** What every provider's adapter can be told. */
export interface ProviderOptions {
  /** Default: the provider's environment variable, read on the first call. */
  readonly apiKey?: string | undefined;
  /** Default: the provider's environment variable, else its own address. */
  readonly baseURL?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: the platform's, looked up on every call. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Fields put into every request body as they are, over what the adapter puts there: what only this provider has. */
  readonly extra?: JsonObject | undefined;
  /** Lets a key be used in a browser, where whoever looks can read it. Default false. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
}

/**
 * What both SDKs are created with. They never retry, wait or give up by themselves: one place does, above them. Their time-out covers
 * the headers only and cannot be switched off, so it gets the longest delay that a timer can have.
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
  // The SDKs would keep the fetch of the moment in which the client is made.
  fetch: async (input, init) =>
    withEventStream(await withReadableError(await (options.fetch ?? globalThis.fetch)(input, init))),
  defaultHeaders: { ...options.headers },
  dangerouslyAllowBrowser: options.dangerouslyAllowBrowser ?? false,
});

/**
 * What a replay of `provider` and `model` holds under `name`; undefined if somebody else made it: signatures and
 * encrypted reasoning are worth nothing to another model.
 */
export const replayed = (
  replay: { readonly provider: string; readonly content: unknown } | undefined,
  provider: string,
  model: string,
  name: string,
): readonly JsonObject[] | undefined => {
  if (replay?.provider !== provider || !isJsonObject(replay.content)) return undefined;
  const items = replay.content[name];
  return replay.content['model'] === model && Array.isArray(items) ? items.filter(isJsonObject) : undefined;
};
