import type OpenAI from 'openai';
import {
  aBoolean,
  aFunction,
  anything,
  aText,
  optional,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Embedder } from '../../contracts/conversations/memory.ts';
import { processEnvironment, variable } from '../environment.ts';
import { loadPackage, rethrow } from '../../contracts/errors/load-package.ts';
import { batchedEmbedder } from '../wire/batched-embedder.ts';
import { type ProviderOptions, sdkOptions } from '../wire/provider-options.ts';

/** Options of {@link openaiEmbedder}. */
export interface OpenAIEmbedderOptions extends Omit<ProviderOptions, 'extra' | 'batch'> {
  /** Default `text-embedding-3-small`. */
  readonly model?: string | undefined;
  /** Shorter vectors are cheaper to search. Default 1,536; the model has to support it. */
  readonly dimensions?: number | undefined;
}

/**
 * Embeddings of OpenAI, or of a server that speaks its API; needs the package `openai`, loaded on the first call.
 *
 * Texts are sent in batches of a hundred, truncated to the models' limit of 20,000 characters.
 *
 * @example
 * const memory = vectorMemory({ embedder: openaiEmbedder({ dimensions: 512 }) });
 *
 * @throws {TroupeError} `input.invalid` for an option that is unknown or of another type. The embedder rejects with a
 * TroupeError with a `model.*` code.
 */
export const openaiEmbedder = (options: OpenAIEmbedderOptions = {}): Embedder => {
  const { model = 'text-embedding-3-small', dimensions = 1_536 } = check(options);
  let client: Promise<OpenAI> | undefined;
  return batchedEmbedder({
    provider: 'openai',
    model,
    dimensions,
    batchSize: () => 100,
    embed: async (input, signal) => {
      client ??= createClient(model, options).catch((error: unknown) => {
        client = undefined;
        throw error;
      });
      const { embeddings } = await client;
      const { data } = await embeddings.create({ model, input, dimensions }, { signal });
      return [...data].sort((a, b) => a.index - b.index).map(({ embedding }) => embedding);
    },
  });
};

const check = optionsCheck<OpenAIEmbedderOptions>(
  { code: 'input.invalid', owner: 'an embedder of OpenAI' },
  () => ({
    model: optional(aText(1)),
    dimensions: optional(wholeNumber(1)),
    apiKey: optional(aText()),
    baseURL: optional(aText()),
    takes: anything(),
    headers: anything(),
    fetch: optional(aFunction()),
    dangerouslyAllowBrowser: optional(aBoolean()),
  }),
);

const createClient = async (model: string, options: OpenAIEmbedderOptions): Promise<OpenAI> => {
  const environment = processEnvironment();
  const apiKey = options.apiKey ?? variable(environment, 'OPENAI_API_KEY');
  if (apiKey === undefined)
    throw new TroupeError(
      'model.auth',
      `Cannot ask openai:${model} as no API key is set: set OPENAI_API_KEY`,
    );
  const { OpenAI } = await loadPackage('openai', () => import('openai').catch(rethrow));
  return new OpenAI({
    ...sdkOptions(options),
    apiKey,
    baseURL: options.baseURL ?? variable(environment, 'OPENAI_BASE_URL') ?? null,
  });
};
