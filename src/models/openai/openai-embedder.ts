import type OpenAI from 'openai';
import { toError, TroupeError } from '../../contracts/errors/error.ts';
import type { Embedder } from '../../contracts/conversations/memory.ts';
import { classifyError } from '../retry/classify-error.ts';
import { processEnvironment, variable } from '../environment.ts';
import { loadPackage } from '../../contracts/errors/load-package.ts';
import { type ProviderOptions, sdkOptions } from '../wire/provider-options.ts';

/** Options of {@link openaiEmbedder}. */
export interface OpenAIEmbedderOptions extends Omit<ProviderOptions, 'extra'> {
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
 * @throws (rejects with) a TroupeError with a `model.*` code.
 */
export const openaiEmbedder = (options: OpenAIEmbedderOptions = {}): Embedder => {
  const { model = 'text-embedding-3-small', dimensions = 1_536 } = options;
  let client: Promise<OpenAI> | undefined;
  const batch = async (texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]> => {
    try {
      client ??= createClient(model, options).catch((error: unknown) => {
        client = undefined;
        throw error;
      });
      const { data } = await (
        await client
      ).embeddings.create(
        { model, input: texts.map(inputOf), dimensions },
        signal === undefined ? {} : { signal },
      );
      const vectors = [...data]
        .sort((a, b) => a.index - b.index)
        .map(({ embedding }) => Float32Array.from(embedding));
      if (vectors.length === texts.length && vectors.every(({ length }) => length === dimensions))
        return vectors;
    } catch (thrown) {
      throw toError(classifyError(thrown, { provider: 'openai', model }));
    }
    throw new TroupeError(
      'model.malformed',
      `Cannot use the embeddings of openai:${model} as their number or length is wrong`,
      { retryable: 'yes' },
    );
  };
  return {
    name: `openai:${model}:${dimensions}`,
    dimensions,
    embed: async (texts, signal) => {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH)
        vectors.push(...(await batch(texts.slice(at, at + BATCH), signal)));
      return vectors;
    },
  };
};

const BATCH = 100;

/** The API refuses an empty text. */
const inputOf = (text: string): string => text.slice(0, 20_000) || ' ';

const createClient = async (model: string, options: OpenAIEmbedderOptions): Promise<OpenAI> => {
  const environment = processEnvironment();
  const apiKey = options.apiKey ?? variable(environment, 'OPENAI_API_KEY');
  if (apiKey === undefined)
    throw new TroupeError(
      'model.auth',
      `Cannot ask openai:${model} as no API key is set: set OPENAI_API_KEY`,
    );
  const { OpenAI } = await loadPackage('openai', () => import('openai'));
  return new OpenAI({
    ...sdkOptions(options),
    apiKey,
    baseURL: options.baseURL ?? variable(environment, 'OPENAI_BASE_URL') ?? null,
  });
};
