import type { ContentSupport } from '../../contracts/content/content-support.ts';
import type { Model } from '../../contracts/models/model.ts';
import type { ErrorContext } from '../retry/classify-error.ts';
import type { SdkProtocol } from './ask-provider.ts';

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

/** Makes a model of an API. */
export type MakeModel<Client> = <Event>(api: SdkApi<Client, Event>) => Model;

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
      const [{ askProvider }, protocol] = await Promise.all([import('./ask-provider.ts'), api.protocol()]);
      const who: ErrorContext = { provider, model: id, codes: protocol.codes };
      // A client that could not be made (no package, no key) is not cached: the next call may succeed.
      const connect = (): Promise<Client> =>
        (client ??= api.createClient().catch((error: unknown) => {
          client = undefined;
          throw error;
        }));
      return askProvider(who, protocol, connect, request, call);
    },
  };
};
