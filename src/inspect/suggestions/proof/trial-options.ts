import type { Clock } from '../../../base/clock.ts';
import type { ModelChoice } from '../../../contracts/models/model.ts';
import type { Prices } from '../../../contracts/models/prices.ts';

/** Options of trials on recorded runs. */
export interface TrialOptions {
  /** The agent or team whose runs are forked, as it is now. */
  readonly agent: { readonly name: string };
  /**
   * Asked in place of the model of the agent that a suggestion is about (theirs, or a member's): of another model all that this one asks, of all
   * else what is not on record. Default: their own, by which only shorter results and calls in one answer are tried.
   */
  readonly model?: ModelChoice | undefined;
  /** The number of runs that are forked for a suggestion, the newest. Default 5. */
  readonly runs?: number | undefined;
  /** Prices of the forks. Default: `@pydantic/genai-prices`, if it is installed. */
  readonly prices?: Prices | undefined;
  /** The `context` of the forks. */
  readonly context?: unknown;
  /** Measures the time of what models are asked; all else takes the time that is on record. Default: the system's clock. */
  readonly clock?: Clock | undefined;
}
