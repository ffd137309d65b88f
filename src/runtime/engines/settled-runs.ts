const settling = new WeakMap<Promise<unknown>, Promise<void>>();

/** Registers when a run with this result is settled, including its hooks' handling of the last events. */
export const rememberSettling = (result: Promise<unknown>, settled: Promise<void>): void => {
  settling.set(result, settled);
};

/**
 * Resolves when the run with this result is settled; never rejects. Wait for it before closing what hooks write to: a result is available
 * as soon as the run is over and waits for no hook.
 */
export const settledRun = (result: Promise<unknown>): Promise<void> =>
  settling.get(result) ??
  result.then(
    () => undefined,
    () => undefined,
  );
