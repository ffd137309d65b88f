import type { Publication } from './publication.ts';

/** Some publications of one run, in order. */
export interface PublishedBatch {
  readonly runId: string;
  /** At least one; numbered one after the other. */
  readonly publications: readonly Publication[];
  /** The number of publications lost since the batch before, as too many waited or one was given up. */
  readonly dropped: number;
}

/**
 * Whoever passes publications on: to a relay, a queue, a socket.
 *
 * It is handed one batch of a run at a time, and the next once that is through. A batch that it rejects comes again, unchanged, until it
 * is taken: what has its number already is not to be shown twice. To have a batch given up instead, reject with a `TroupeError` whose
 * `retryable` is `no`.
 */
export interface Publisher {
  readonly name: string;
  /** `signal` is aborted when nobody waits for it any more. */
  publish(batch: PublishedBatch, signal: AbortSignal): Promise<void>;
  /** Lets go of what it holds; called by `close()` of what `publishTo` gave. */
  close?(): void | Promise<void>;
}
