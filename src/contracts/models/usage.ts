/** Tokens of one call; `cached` and `stored` are parts of `input`, `reasoning` of `output`. */
export type Usage = {
  readonly input: number;
  readonly output: number;
  /** Read from the provider's prompt cache. */
  readonly cached?: number | undefined;
  /** Written to the provider's prompt cache, which some charge more for; absent if there were none. */
  readonly stored?: number | undefined;
  readonly reasoning?: number | undefined;
  /** True if the provider reported no usage and it was estimated from characters. */
  readonly isEstimate?: boolean | undefined;
};
