import { anything, wholeNumber } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Embedder } from '../../contracts/conversations/memory.ts';
import { batchedEmbedder } from '../wire/batched-embedder.ts';
import { versionProblem } from './check-version.ts';
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
 * @throws {TroupeError} `input.invalid` for anything but an embedding model of version 2, 3 or 4, without `dimensions`,
 * or for an unknown option. The embedder rejects with a TroupeError with a `model.*` code.
 */
export const aiSdkEmbedder = (model: AiSdkEmbeddingModel, options: AiSdkEmbedderOptions): Embedder => {
  const problem = versionProblem(model);
  if (problem !== undefined) throw unfit(problem);
  if (typeof Reflect.get(model, 'doEmbed') !== 'function') throw unfit('it has no `doEmbed`');
  const { dimensions, providerOptions, headers } = check(options);
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

const check = optionsCheck<AiSdkEmbedderOptions>(
  { code: 'input.invalid', owner: 'an embedder of the AI SDK' },
  () => ({ dimensions: wholeNumber(1), providerOptions: anything(), headers: anything() }),
);

const unfit = (found: string): TroupeError =>
  new TroupeError(
    'input.invalid',
    `Cannot use an embedding model of the AI SDK as ${found}: give one of version v2, v3, v4, such as openai.embedding('text-embedding-3-small')`,
  );
