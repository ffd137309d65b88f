import { TroupeError } from '../../contracts/errors/error.ts';
import type { Embedder } from '../../contracts/conversations/memory.ts';
import { batchedEmbedder } from '../wire/batched-embedder.ts';
import type { AiSdkEmbeddingModel, VendorOptions } from './language-model.ts';
import { vendorOf } from './vendors.ts';

/** Options of {@link aiSdkEmbedder}. */
export interface AiSdkEmbedderOptions {
  /** Length of the model's vectors, which it does not say itself; vectors of another length are refused. */
  readonly dimensions: number;
  /** Sent with every request, by the name of the vendor: `{ openai: { dimensions: 512 } }`. Default: none. */
  readonly providerOptions?: VendorOptions | undefined;
  /** Sent with every request. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Embeddings of a model of the AI SDK (version 2, 3 or 4 of its specification), for `vectorMemory`.
 *
 * Texts are sent in batches of the size that the model names, else of a hundred, truncated to 20,000 characters.
 *
 * @example
 * const embedder = aiSdkEmbedder(google.embedding('gemini-embedding-001'), { dimensions: 3_072 });
 *
 * @throws {TroupeError} `input.invalid` for anything but an embedding model, or without `dimensions`. The embedder
 * rejects with a TroupeError with a `model.*` code.
 */
export const aiSdkEmbedder = (model: AiSdkEmbeddingModel, options: AiSdkEmbedderOptions): Embedder => {
  const { dimensions, providerOptions, headers }: Partial<AiSdkEmbedderOptions> = Object(options);
  if (typeof Reflect.get(Object(model), 'doEmbed') !== 'function')
    throw unfit('the model has no `doEmbed`: give an embedding model, such as openai.embedding(…)');
  if (dimensions === undefined || !Number.isInteger(dimensions) || dimensions < 1)
    throw unfit(`\`dimensions\` is ${String(dimensions)}: give the length of its vectors, such as 1536`);
  return batchedEmbedder({
    provider: vendorOf(model.provider).name,
    model: model.modelId,
    dimensions,
    batchSize: async () => (await model.maxEmbeddingsPerCall) ?? DEFAULT_BATCH,
    embed: async (values, abortSignal) => {
      const { embeddings } = await model.doEmbed({
        values,
        ...(abortSignal === undefined ? {} : { abortSignal }),
        ...(providerOptions === undefined ? {} : { providerOptions }),
        ...(headers === undefined ? {} : { headers }),
      });
      return embeddings;
    },
  });
};

const DEFAULT_BATCH = 100;

const unfit = (found: string): TroupeError =>
  new TroupeError('input.invalid', `Cannot use an embedding model of the AI SDK as ${found}`);
