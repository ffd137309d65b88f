import type OpenAI from 'openai';
import { aText, optional } from '../../base/schemas/option-schemas.ts';
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

/** Options of a model of OpenAI. */
export interface OpenAIOptions extends ProviderOptions {
  /** Sends requests with the same key to the same cache (`prompt_cache_key`). Default: none. */
  readonly cacheKey?: string | undefined;
}

/** The model behind `openai`, as `make` makes one of the provider's API. */
export const openaiModel = (id: string, options: OpenAIOptions, make: MakeModel<OpenAI> = sdkModel): Model =>
  vendorModel(id, options, make, {
    provider: PROVIDER,
    check,
    createClient,
    protocol: async () => {
      const { openaiReader } = await import('./responses-answer.ts');
      const { openaiRequest, responsesSettings } = await import('./responses-request.ts');
      const body = (context: WireContext) => openaiRequest(id, context, options);
      return {
        isStrict: true,
        body,
        open: (client, context, signal) =>
          client.responses.create(body(context), { signal, ...headersOf(context) }).withResponse(),
        reader: openaiReader,
        omitted: (request) => responsesSettings(id, request).omitted,
      };
    },
  });

const PROVIDER = 'openai';

const check = optionsCheck<OpenAIOptions>({ code: 'input.invalid', owner: 'a model of OpenAI' }, () => ({
  ...providerShape(),
  cacheKey: optional(aText(1)),
}));

const createClient = async (id: string, options: OpenAIOptions): Promise<OpenAI> => {
  const environment = processEnvironment();
  const apiKey = options.apiKey ?? variable(environment, 'OPENAI_API_KEY');
  if (apiKey === undefined) {
    throw new TroupeError('model.auth', `Cannot ask openai:${id} as no API key is set: set OPENAI_API_KEY`);
  }
  const { OpenAI } = await loadPackage('openai', () => import('openai').catch(rethrow));
  return new OpenAI({
    ...sdkOptions(options),
    apiKey,
    baseURL: options.baseURL ?? variable(environment, 'OPENAI_BASE_URL') ?? null,
  });
};
