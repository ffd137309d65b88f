/** The way in which calls share batches. */
export interface Batching {
  /** Calls that are made within this time of the first one share its batch, in ms. Default 1,000. */
  readonly windowMs?: number | undefined;
  /** A batch of this number of calls is submitted at once. Default 10,000; at most what the provider takes. */
  readonly size?: number | undefined;
  /** The first wait before the batch is looked at, in ms; it grows by half each time, up to 10 minutes. Default 30,000. */
  readonly pollMs?: number | undefined;
  /** A call waits this long for its answer, in ms: then it is cancelled, as `model.timeout`. Default 25 hours; providers give up after 24. */
  readonly timeoutMs?: number | undefined;
}
