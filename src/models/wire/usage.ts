import type { ModelRequest } from '../../contracts/models/model.ts';
import type { Usage } from '../../contracts/models/usage.ts';

/** A provider's token counts of one call; any may be missing or invalid. */
export interface ReportedUsage {
  readonly input?: unknown;
  readonly output?: unknown;
  readonly cached?: unknown;
  readonly stored?: unknown;
  readonly reasoning?: unknown;
  readonly webSearches?: unknown;
  readonly fileSearches?: unknown;
  /** In US dollars. */
  readonly billed?: unknown;
}

/**
 * Returns the usage of one call. A missing, null, NaN or negative count is estimated from the number of characters, and
 * the whole is then marked as an estimate: a budget never has to add up NaN.
 *
 * @example
 * usageOf({ input: 12, output: null }, request, 'Hello!') // => { input: 12, output: 2, isEstimate: true }
 */
export const usageOf = (reported: ReportedUsage, request: ModelRequest, written: string): Usage => {
  const input = count(reported.input);
  const output = count(reported.output);
  const cached = count(reported.cached);
  const stored = count(reported.stored) ?? 0;
  const reasoning = count(reported.reasoning);
  const webSearches = count(reported.webSearches) ?? 0;
  const fileSearches = count(reported.fileSearches) ?? 0;
  const billedUsd = count(reported.billed);
  return {
    input: input ?? estimateTokens(requestText(request)),
    output: output ?? estimateTokens(written),
    ...(cached === undefined ? {} : { cached }),
    ...(stored === 0 ? {} : { stored }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(webSearches === 0 ? {} : { webSearches }),
    ...(fileSearches === 0 ? {} : { fileSearches }),
    ...(billedUsd === undefined ? {} : { billedUsd }),
    ...(input === undefined || output === undefined ? { isEstimate: true } : {}),
  };
};

/** Both vendors' rule of thumb for English text. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Roughly how many tokens a text has: a token for four characters, at least one for any text.
 *
 * @example
 * estimateTokens('Hello, world!') // => 4
 */
const estimateTokens = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

/** Everything that goes into a prompt, as text. */
const requestText = ({ instructions, messages, tools, output }: ModelRequest): string =>
  JSON.stringify([instructions, messages.toArray(), tools, output?.schema]);

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
