const settling = new WeakMap<Promise<unknown>, Promise<void>>();

/** Remembers when a run with this result is settled: its hooks, too, have handled their last events. */
export const rememberSettling = (result: Promise<unknown>, settled: Promise<void>): void => {
  settling.set(result, settled);
};

/**
 * Resolves when the run with this result is settled; never rejects. Whoever closes what hooks write to waits for this:
 * a result is there as soon as the run is over, and waits for no hook.
 */
export const settledRun = (result: Promise<unknown>): Promise<void> =>
  settling.get(result) ??
  result.then(
    () => undefined,
    () => undefined,
  );
