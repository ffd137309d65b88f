/** When an abort takes effect: by default at once. */
export interface AbortOptions {
  readonly after?: 'step' | undefined;
}

/** How a run is stopped that is to be gone on with. */
export interface SuspendOptions {
  /** How long what is under way may take to finish, in ms. Default 10,000; what has not by then is repeated when the run is resumed. */
  readonly withinMs?: number | undefined;
}
