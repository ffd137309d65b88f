import type Anthropic from '@anthropic-ai/sdk';
import type { Model } from '../../contracts/models/model.ts';
import { byBatchOf } from '../batch/by-batch.ts';
import type { ProviderOptions } from '../wire/provider-options.ts';
import { anthropicModel } from './anthropic-model.ts';

/**
 * A model of Anthropic by the Messages API; needs the package `@anthropic-ai/sdk`, loaded on the first call.
 *
 * One call is one request, always streamed unless `batch` is set; the whole conversation is sent each time, with marks for the prompt cache.
 * Models after Claude Opus 4.6 take no `temperature`, `topP` or `topK`. `usage.input` counts what was read from the cache and written to it
 * too, unlike the API's own `input_tokens`.
 *
 * @example
 * const model = anthropic('claude-sonnet-5-5'); // reads ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL
 * const judge = anthropic('claude-sonnet-5-5', { batch: true }); // answers within a day, at half the price
 *
 * @throws {TroupeError} `input.invalid` for options that are unknown or do not fit. The model rejects with a TroupeError with a `model.*` code,
 * `model.auth` if no key is set, or with the abort's reason.
 */
export const anthropic = (id: string, options: ProviderOptions = {}): Model =>
  anthropicModel(
    id,
    options,
    byBatchOf<Anthropic>(
      `anthropic:${id}`,
      options,
      async () => (await import('./anthropic-batches.ts')).anthropicBatches,
    ),
  );
