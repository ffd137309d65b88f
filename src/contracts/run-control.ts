/** The moment at which an abort takes effect: by default at once. */
export interface AbortOptions {
  readonly after?: 'step' | undefined;
}

/** The way in which a run is stopped that is to be resumed. */
export interface SuspendOptions {
  /** The time that what is under way may take to finish, in ms. Default 10,000; what has not by then is repeated when the run is resumed. */
  readonly withinMs?: number | undefined;
}
