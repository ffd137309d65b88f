/** Tokens of one call; `cached` and `stored` are parts of `input`, `reasoning` of `output`. */
export type Usage = {
  readonly input: number;
  readonly output: number;
  /** Read from the provider's prompt cache. */
  readonly cached?: number | undefined;
  /** Written to the provider's prompt cache, which some charge more for; absent if there were none. */
  readonly stored?: number | undefined;
  readonly reasoning?: number | undefined;
  /** Searches of the web that the provider made and charges one by one; absent if there were none. */
  readonly webSearches?: number | undefined;
  /** Searches of files at the provider, likewise. */
  readonly fileSearches?: number | undefined;
  /** In US dollars: the price that the provider itself states with its answer. It counts in place of the computed one. */
  readonly billedUsd?: number | undefined;
  /** True if the provider reported no usage and it was estimated from characters. */
  readonly isEstimate?: boolean | undefined;
};

/** The tokens and the time, in ms, that an answer took when its model was asked. */
export interface CachedUse {
  readonly usage: Usage;
  readonly durationMs: number;
}
