import type { Publication } from './publication.ts';

/** Some publications of one run, in order. */
export interface PublishedBatch {
  readonly runId: string;
  /** At least one; numbered one after the other. */
  readonly publications: readonly Publication[];
  /** Number of publications dropped since the last batch, by overflow or abandonment. */
  readonly dropped: number;
}

/**
 * Delivers publications: to a relay, a queue, a socket.
 *
 * It gets one batch of a run at a time, and the next once that is done. A rejected batch is retried, unchanged, until
 * it is accepted: do not show a number twice. To have a batch abandoned instead, reject with a `TroupeError` whose
 * `retryable` is `no`.
 */
export interface Publisher {
  readonly name: string;
  /** `signal` is aborted when the batch is no longer awaited. */
  publish(batch: PublishedBatch, signal: AbortSignal): Promise<void>;
  /** Releases its resources; called by the `close()` of the hook of `publishTo`. */
  close?(): void | Promise<void>;
}
