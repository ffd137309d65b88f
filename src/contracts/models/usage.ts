/** Tokens of one call; `cached` and `reasoning` are parts of `input` and `output`. */
export type Usage = {
  readonly input: number;
  readonly output: number;
  readonly cached?: number | undefined;
  readonly reasoning?: number | undefined;
  /** True if the provider reported no usage and it was estimated from characters. */
  readonly isEstimate?: boolean | undefined;
};
