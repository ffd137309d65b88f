import type { ContentSupport } from '../../contracts/content/content-support.ts';
import type { Model, ModelRequest } from '../../contracts/models/model.ts';
import type { ErrorContext } from '../retry/classify-error.ts';
import { type ReaderContext, readerContext } from './reader-context.ts';
import type { OpenedStream, StreamReader } from './provider-stream.ts';
import { othersOptions } from './others-options.ts';
import { withOmitted } from './sent-settings.ts';
import { readAnswer } from './provider-stream.ts';

/** A provider's API, as {@link sdkModel} needs it. */
export interface SdkApi<Client, Event> {
  readonly provider: string;
  readonly id: string;
  /** The media that its models take. */
  readonly takes?: (() => ContentSupport | undefined) | undefined;
  /** An explicit key: one from the environment is registered as a secret anyway. */
  readonly apiKey?: string | undefined;
  createClient(): Promise<Client>;
  /** Loads the provider's protocol on first use. */
  protocol(): Promise<SdkProtocol<Client, Event>>;
}

/** Asks a provider and reads its answers. */
export interface SdkProtocol<Client, Event> {
  /** Sends one request; resolves when the headers are there. */
  open(client: Client, context: ReaderContext, signal: AbortSignal): Promise<OpenedStream<Event>>;
  reader(context: ReaderContext): StreamReader<Event>;
  /** The settings that a request is sent without, each with the reason. */
  omitted(request: ModelRequest): Readonly<Record<string, string>>;
  /** Its own error codes, with the code that each maps to. */
  readonly codes?: ErrorContext['codes'];
  /** Keywords of JSON Schema that it refuses in the inputs of tools. */
  readonly refusedKeywords?: readonly string[] | undefined;
}

/** A model behind a provider's SDK, which is loaded on the first call, as is what speaks with it. */
export const sdkModel = <Client, Event>(api: SdkApi<Client, Event>): Model => {
  const { provider, id, apiKey } = api;
  let client: Promise<Client> | undefined;
  return {
    provider,
    id,
    get takes() {
      return api.takes?.();
    },
    ...(apiKey === undefined ? {} : { secrets: () => ({ [`${provider}:${id} apiKey`]: apiKey }) }),
    answer: async (request, call) => {
      const protocol = await api.protocol();
      const who: ErrorContext = { provider, model: id, codes: protocol.codes };
      const context = await readerContext(who, request, call, protocol.refusedKeywords);
      const open = async (signal: AbortSignal): Promise<OpenedStream<Event>> => {
        // A client that could not be made (no package, no key) is not cached: the next call may succeed.
        client ??= api.createClient().catch((error: unknown) => {
          client = undefined;
          throw error;
        });
        return protocol.open(await client, context, signal);
      };
      const answer = await readAnswer(who, call, open, protocol.reader(context));
      const omitted = { ...protocol.omitted(request), ...othersOptions(request.settings, provider) };
      return withOmitted(answer, omitted);
    },
  };
};
