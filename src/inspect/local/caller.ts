/** The caller of a command. */
export interface Caller {
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal;
  /** Sends a piece of what will come; undefined for a caller that wants the whole alone. */
  readonly piece?: ((piece: object) => void) | undefined;
}
