interface Listeners {
  readonly all: Set<() => void>;
  /** Removes the listener of the signal. */
  readonly leave: () => void;
}

const listening = new WeakMap<AbortSignal, Listeners>();

/**
 * Calls `listener` when `signal` aborts; returns a function that removes it. Runs that share a signal share one listener on it, as
 * platforms warn of a leak above ten.
 */
export const onSignal = (signal: AbortSignal, listener: () => void): (() => void) => {
  const { all, leave } = listening.get(signal) ?? listen(signal);
  all.add(listener);
  return () => {
    all.delete(listener);
    if (all.size === 0) leave();
  };
};

const listen = (signal: AbortSignal): Listeners => {
  const all = new Set<() => void>();
  const notify = (): void => {
    // A listener may be removed during the iteration: a set handles that.
    for (const each of all) each();
  };
  const listeners: Listeners = {
    all,
    leave: () => {
      signal.removeEventListener('abort', notify);
      listening.delete(signal);
    },
  };
  signal.addEventListener('abort', notify, { once: true });
  listening.set(signal, listeners);
  return listeners;
};
