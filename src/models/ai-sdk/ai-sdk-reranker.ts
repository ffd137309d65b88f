import { anything, optional, wholeNumber } from '../../base/schemas/option-schemas.ts';
import type { Reranker } from '../../contracts/conversations/memory.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { toError, TroupeError } from '../../contracts/errors/error.ts';
import { classifyError } from '../retry/classify-error.ts';
import { versionProblem } from './check-version.ts';
import type { AiSdkRerankingModel, VendorOptions } from './language-model.ts';
import { vendorOf } from './vendors.ts';

/** Options of {@link aiSdkReranker}. */
export interface AiSdkRerankerOptions {
  /** Number of records that the model is shown, the nearest ones. Default 50; models charge by it. */
  readonly candidates?: number | undefined;
  /** Sent with every request, by the name of the vendor: `{ cohere: { maxTokensPerDoc: 1_000 } }`. Default: none. */
  readonly providerOptions?: VendorOptions | undefined;
  /** Sent with every request. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * A reranking model of the AI SDK (version 3 or 4 of its specification), for `vectorMemory`.
 *
 * Texts are truncated to 20,000 characters.
 *
 * @example
 * const memory = vectorMemory({ embedder, reranker: aiSdkReranker(cohere.reranking('rerank-v3.5')) });
 *
 * @throws {TroupeError} `input.invalid` for anything but a reranking model, or for an unknown option. The reranker rejects
 * with a TroupeError with a `model.*` code.
 */
export const aiSdkReranker = (model: AiSdkRerankingModel, options: AiSdkRerankerOptions = {}): Reranker => {
  const problem = versionProblem(model);
  if (problem !== undefined) throw unfit(problem);
  if (typeof Reflect.get(model, 'doRerank') !== 'function') throw unfit('it has no `doRerank`');
  const { candidates, providerOptions, headers } = check(options);
  const provider = vendorOf(model.provider).name;
  return {
    name: `${provider}:${model.modelId}`,
    candidates,
    rank: async (query, texts, topN, abortSignal) => {
      try {
        const { ranking } = await model.doRerank({
          query,
          documents: { type: 'text', values: texts.map((text) => text.slice(0, 20_000)) },
          topN,
          ...(abortSignal === undefined ? {} : { abortSignal }),
          ...(providerOptions === undefined ? {} : { providerOptions }),
          ...(headers === undefined ? {} : { headers }),
        });
        // In descending order of relevance, by the specification.
        return ranking.map(({ index }) => index);
      } catch (thrown) {
        throw toError(classifyError(thrown, { provider, model: model.modelId }));
      }
    },
  };
};

const check = optionsCheck<AiSdkRerankerOptions>(
  { code: 'input.invalid', owner: 'a reranker of the AI SDK' },
  () => ({ candidates: optional(wholeNumber(1)), providerOptions: anything(), headers: anything() }),
);

const unfit = (found: string): TroupeError =>
  new TroupeError(
    'input.invalid',
    `Cannot use a reranking model of the AI SDK as ${found}: give one of version v3, v4, such as cohere.reranking('rerank-v3.5')`,
  );
