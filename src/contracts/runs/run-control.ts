/** Time at which an abort takes effect: by default at once. */
export interface AbortOptions {
  readonly after?: 'step' | undefined;
}

/** The way in which a run is stopped that is to be resumed. */
export interface SuspendOptions {
  /** Grace period for work in flight, in ms. Default 10,000; unfinished work is executed again on resume. */
  readonly withinMs?: number | undefined;
}
