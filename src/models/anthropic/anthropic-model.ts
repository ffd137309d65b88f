import type Anthropic from '@anthropic-ai/sdk';
import type { Stream } from '@anthropic-ai/sdk/core/streaming';
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Model } from '../../contracts/models/model.ts';
import { processEnvironment, variable } from '../environment.ts';
import { loadPackage, rethrow } from '../../contracts/errors/load-package.ts';
import { headersOf, type ProviderOptions, sdkOptions } from '../wire/provider-options.ts';
import { providerShape } from '../wire/provider-shape.ts';
import type { WireContext } from '../wire/reader-context.ts';
import { type MakeModel, sdkModel } from '../wire/sdk-model.ts';
import { vendorModel } from '../wire/vendor-model.ts';

/** The model behind `anthropic`, as `make` makes one of the provider's API. */
export const anthropicModel = (
  id: string,
  options: ProviderOptions,
  make: MakeModel<Anthropic> = sdkModel,
): Model =>
  vendorModel(id, options, make, {
    provider: PROVIDER,
    check,
    createClient,
    protocol: async () => {
      const { anthropicReader } = await import('./anthropic-answer.ts');
      const { anthropicRequest, anthropicSettings } = await import('./anthropic-request.ts');
      const body = (context: WireContext) => anthropicRequest(id, context, options.extra);
      return {
        body,
        // By `post`: the SDK's method for messages prints warnings to the console at any log level.
        open: (client, context, signal) =>
          client
            .post<Stream<RawMessageStreamEvent>>('/v1/messages', {
              body: body(context),
              signal,
              stream: true,
              ...headersOf(context),
            })
            .withResponse(),
        reader: anthropicReader,
        omitted: (request) => anthropicSettings(id, request).omitted,
      };
    },
  });

const PROVIDER = 'anthropic';

const check = optionsCheck<ProviderOptions>({ code: 'input.invalid', owner: 'a model of Anthropic' }, () => ({
  ...providerShape(),
}));

const createClient = async (id: string, options: ProviderOptions): Promise<Anthropic> => {
  const environment = processEnvironment();
  const apiKey = options.apiKey ?? variable(environment, 'ANTHROPIC_API_KEY');
  const authToken = apiKey === undefined ? variable(environment, 'ANTHROPIC_AUTH_TOKEN') : undefined;
  if (apiKey === undefined && authToken === undefined) {
    throw new TroupeError(
      'model.auth',
      `Cannot ask anthropic:${id} as no API key is set: set ANTHROPIC_API_KEY`,
    );
  }
  const { Anthropic } = await loadPackage('@anthropic-ai/sdk', () =>
    import('@anthropic-ai/sdk').catch(rethrow),
  );
  return new Anthropic({
    ...sdkOptions(options),
    // A traced run traces its calls already: a second span for each would be one too many.
    openTelemetry: false,
    apiKey: apiKey ?? null,
    authToken: authToken ?? null,
    baseURL: options.baseURL ?? variable(environment, 'ANTHROPIC_BASE_URL') ?? null,
  });
};
