/**
 * Back-off of `retry.adaptive`: chosen by the class of the error, and doubled for each failure of that class that the
 * same model had lately, in this call or in one of an earlier step.
 *
 * After a rate limit at least half of the back-off is kept, whatever the jitter. `maxWaitMs` caps the whole wait.
 */
export interface AdaptiveRetry {
  /** After the first rate limit, in ms; it doubles. Default 5,000. */
  readonly rateLimitWaitMs?: number | undefined;
  /** After the first answer that was empty or could not be read, in ms; it doubles. Default 0. */
  readonly invalidWaitMs?: number | undefined;
  /** The number of steps for which failures count, the current one included. Default 10. */
  readonly steps?: number | undefined;
}
