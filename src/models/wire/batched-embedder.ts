import { toError } from '../../contracts/errors/error.ts';
import type { Embedder } from '../../contracts/conversations/memory.ts';
import { readVectors } from '../../contracts/conversations/read-vectors.ts';
import { classifyError } from '../retry/classify-error.ts';

/** An API that turns a limited number of texts into vectors at a time. */
export interface EmbeddingApi {
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
  /** The number of texts that it takes at once. */
  batchSize(): number | PromiseLike<number>;
  embed(
    texts: string[],
    signal: AbortSignal | undefined,
  ): PromiseLike<readonly (readonly number[] | Float32Array)[]>;
}

/**
 * Asks an API for the vectors of any number of texts, truncated to the models' usual limit of 20,000 characters.
 *
 * @throws (rejects with) a TroupeError with a `model.*` code.
 */
export const batchedEmbedder = (api: EmbeddingApi): Embedder => {
  const { provider, model, dimensions } = api;
  const batch = async (texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]> => {
    const vectors = await Promise.resolve(api.embed(texts.map(inputOf), signal)).catch((thrown: unknown) => {
      throw toError(classifyError(thrown, { provider, model }));
    });
    return readVectors(vectors, { name: `${provider}:${model}`, dimensions }, texts.length);
  };
  return {
    name: `${provider}:${model}:${dimensions}`,
    dimensions,
    embed: async (texts, signal) => {
      const size = Math.max(1, await api.batchSize());
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += size)
        vectors.push(...(await batch(texts.slice(at, at + size), signal)));
      return vectors;
    },
  };
};

/** APIs refuse an empty text. */
const inputOf = (text: string): string => text.slice(0, 20_000) || ' ';
