/**
 * How `retry.adaptive` backs off: by the class of the error, twice as long with each failure of that class that the same model
 * had lately, in this call or in one of a step before.
 *
 * After a rate limit at least half of the back-off is kept, whatever the jitter. `maxWaitMs` caps all of it.
 */
export interface AdaptiveRetry {
  /** After the first rate limit, in ms; it doubles. Default 5,000. */
  readonly rateLimitWaitMs?: number | undefined;
  /** After the first answer that was empty or could not be read, in ms; it doubles. Default 0. */
  readonly invalidWaitMs?: number | undefined;
  /** The number of steps back that failures count, the one under way included. Default 10. */
  readonly steps?: number | undefined;
}
