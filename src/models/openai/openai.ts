import type OpenAI from 'openai';
import type { Model } from '../../contracts/models/model.ts';
import { byBatchOf } from '../batch/by-batch.ts';
import { openaiModel, type OpenAIOptions } from './openai-model.ts';

export type { OpenAIOptions };

/**
 * A model of OpenAI by the Responses API; needs the package `openai`, loaded on the first call.
 *
 * One call is one request, always streamed unless `batch` is set, and nothing is stored at the provider: encrypted reasoning is sent back and
 * forth as replay. A `baseURL` must point to a server that speaks the Responses API; for others use `openaiChat`.
 *
 * @example
 * const model = openai('gpt-5.5'); // reads OPENAI_API_KEY, OPENAI_BASE_URL
 * const judge = openai('gpt-5.5', { batch: true }); // answers within a day, at half the price
 *
 * @throws {TroupeError} `input.invalid` for options that are unknown or do not fit. The model rejects with a TroupeError with a `model.*` code,
 * `model.auth` if no key is set, or with the abort's reason.
 */
export const openai = (id: string, options: OpenAIOptions = {}): Model =>
  openaiModel(
    id,
    options,
    byBatchOf<OpenAI>(`openai:${id}`, options, async () => {
      const { openaiBatches } = await import('./openai-batches.ts');
      return (client, who) => openaiBatches(client, who, '/v1/responses');
    }),
  );
