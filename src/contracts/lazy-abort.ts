import { SmallSet } from './small-set.ts';

/** What is told of an abort. */
export interface AbortListener {
  aborted(reason: unknown): void;
}

/**
 * An abort that costs nothing until somebody looks: no AbortController is made unless `signal` is read.
 *
 * One per attempt of a call. The first reason stays; aborting again does nothing.
 *
 * @example
 * const abort = new LazyAbort();
 * abort.onAbort(() => socket.destroy());
 * abort.abort(new Error('too slow'));
 * abort.signal.aborted // => true, though the signal was made after the abort
 */
export class LazyAbort {
  #controller: AbortController | undefined;
  readonly #listeners = new SmallSet<AbortListener | ((reason: unknown) => void)>();
  #isAborted = false;
  #reason: unknown;

  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** What `abort` was called with; undefined before. */
  get reason(): unknown {
    return this.#reason;
  }

  /** The signal to hand to `fetch` and the like: always the same one, made on first use. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Tells the signal first, then the listeners in the order in which they came. */
  abort(reason?: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    // Each is taken out before it is called: one that an earlier one takes back is not called.
    for (const listener of this.#listeners) {
      this.#listeners.delete(listener);
      if (typeof listener === 'function') listener(reason);
      else listener.aborted(reason);
    }
  }

  /** Calls back once, at once if it was aborted already. Returns what takes the listener back. */
  onAbort(listener: (reason: unknown) => void): () => void {
    if (this.#isAborted) {
      listener(this.#reason);
      return () => undefined;
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Like `onAbort`, for a listener that outlives its interest and takes itself back by `leave`: it needs no function for either. */
  attend(listener: AbortListener): void {
    if (this.#isAborted) listener.aborted(this.#reason);
    else this.#listeners.add(listener);
  }

  leave(listener: AbortListener): void {
    this.#listeners.delete(listener);
  }
}
