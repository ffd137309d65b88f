interface Listeners {
  readonly all: Set<() => void>;
  /** Nobody listens any more. */
  readonly leave: () => void;
}

const listening = new WeakMap<AbortSignal, Listeners>();

/**
 * Calls `listener` when `signal` aborts; gives what takes it back. Many runs may share a signal (a request's, a
 * process's): it gets one listener for all of them, as platforms warn of a leak where there are more than ten.
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
  const tell = (): void => {
    // Somebody may leave while others are told: a set that is walked takes notice.
    for (const each of all) each();
  };
  const listeners: Listeners = {
    all,
    leave: () => {
      signal.removeEventListener('abort', tell);
      listening.delete(signal);
    },
  };
  signal.addEventListener('abort', tell, { once: true });
  listening.set(signal, listeners);
  return listeners;
};
