import type { Model } from '../contracts/models/model.ts';
import type { Usage } from '../contracts/models/usage.ts';
import type { Prices } from '../contracts/models/prices.ts';
import { loadPackage, rethrow } from '../contracts/errors/load-package.ts';

/**
 * Loads the list prices of `@pydantic/genai-prices`: maintained by its authors, shipped in that package, no network
 * access.
 *
 * A model that the list merely guesses by the start of its name counts as unknown. Tokens that are
 * read from a cache or written to it have their own price if there is one. Loaded on first use, in about 20 ms.
 *
 * @example
 * const prices = await genaiPrices();
 * prices.cost({ provider: 'openai', id: 'gpt-4o' }, { input: 1_000, output: 100 }) // => 0.0035
 *
 * @throws (rejects with) `model.package-missing` where the package is not installed.
 */
export const genaiPrices = async (): Promise<Prices> => {
  const list = await loadPackage('@pydantic/genai-prices', () =>
    import('@pydantic/genai-prices').catch(rethrow),
  );
  return {
    name: 'genai-prices',
    cost: ({ provider, id }: Pick<Model, 'provider' | 'id'>, usage: Usage) => {
      const { input, output, cached, stored = 0, webSearches = 0, fileSearches = 0 } = usage;
      // More of either than of all input is nonsense, and the list throws at it.
      const read = Math.min(cached ?? 0, input);
      const found = list.calcPrice(
        {
          input_tokens: input,
          output_tokens: output,
          ...(cached === undefined ? {} : { cache_read_tokens: read }),
          ...(stored === 0 ? {} : { cache_write_tokens: Math.min(stored, input - read) }),
          ...(webSearches === 0 ? {} : { web_searches: webSearches }),
          ...(fileSearches === 0 ? {} : { storage_searches: fileSearches }),
        },
        id,
        { providerId: provider },
      );
      return found !== null && isNamed(id, found.model.id, found.model.match) ? found.total_price : undefined;
    },
  };
};

/** Providers in the list, by troupe's names: the package is loaded for no other. */
export const pricedProviders: ReadonlySet<string> = new Set([
  'anthropic',
  'aws',
  'azure',
  'cerebras',
  'cohere',
  'deepseek',
  'fireworks',
  'gemini',
  'google',
  'groq',
  'mistral',
  'openai',
  'openrouter',
  'perplexity',
  'together',
  'x-ai',
  'xai',
]);

/** Suffixes of a model's name: a date, or `latest`. */
const VERSION = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/** Checks whether the price is for this very model: the list finds `claude-sonnet-5` also for `claude-sonnet-5-5`. */
const isNamed = (asked: string, id: string, match: unknown): boolean => {
  const name = asked.replace(VERSION, '');
  const names = new Set([id, ...namesIn(match)]);
  return names.has(asked) || names.has(name);
};

const namesIn = (match: unknown): readonly string[] => {
  if (typeof match !== 'object' || match === null) return [];
  return Object.values(match).flatMap((part: unknown) => {
    if (typeof part === 'string') return [part];
    return Array.isArray(part) ? part.flatMap(namesIn) : namesIn(part);
  });
};
