/** Resources used by a whole run, children included. */
export interface RunTotals {
  readonly steps: number;
  /** Requests to models, failed ones too; answers from a cache are none. */
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of the input that was read from prompt caches. */
  readonly cachedTokens: number;
  /** Attempts after the first, of models and of tools. */
  readonly retries: number;
  readonly durationMs: number;
  /**
   * In US dollars; undefined as soon as the price of one call is unknown. A model that is not a language model costs
   * nothing.
   */
  readonly costUsd?: number | undefined;
  /** In US dollars: the part of the cost that providers stated themselves; absent if none did. The rest is computed from prices. */
  readonly billedUsd?: number | undefined;
  /** Models whose price is unknown, if any. */
  readonly unpriced?: readonly string[] | undefined;
  /** Number of model calls whose tokens were estimated, as the provider did not report them; absent if there are none. */
  readonly estimated?: number | undefined;
}
