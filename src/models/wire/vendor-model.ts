import type { ContentSupport } from '../../contracts/content/content-support.ts';
import type { Model } from '../../contracts/models/model.ts';
import type { ProviderOptions } from './provider-options.ts';
import { checkModelId } from './provider-shape.ts';
import type { MakeModel, SdkApi } from './sdk-model.ts';

/** A vendor's own API, for models with these options. */
export interface VendorApi<Client, Event, Options> extends Pick<
  SdkApi<Client, Event>,
  'provider' | 'protocol'
> {
  /** Throws `input.invalid` for options that do not fit. */
  readonly check: (options: Options, whose: string) => unknown;
  readonly createClient: (id: string, options: Options) => Promise<Client>;
}

/** A model of a vendor's own API, as `make` makes one. */
export const vendorModel = <Client, Event, Options extends ProviderOptions>(
  id: string,
  options: Options,
  make: MakeModel<Client>,
  { provider, check, createClient, protocol }: VendorApi<Client, Event, Options>,
): Model => {
  checkModelId(id);
  check(options, `the model '${provider}:${id}'`);
  return make({
    provider,
    id,
    apiKey: options.apiKey,
    takes: () => options.takes ?? TAKES,
    createClient: () => createClient(id, options),
    protocol,
  });
};

/**
 * Images and PDFs, also in results of tools, of both vendors (platform.openai.com/docs, "Images and vision" and "File inputs";
 * platform.claude.com/docs, "Vision" and "PDF support").
 */
const TAKES: ContentSupport = {
  media: ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'],
  links: ['image/*', 'application/pdf'],
};
