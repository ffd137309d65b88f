import { SmallSet } from '../collections/small-set.ts';

/** A listener to an abort. */
export interface AbortListener {
  aborted(reason: unknown): void;
}

/**
 * An abort signal that costs nothing until it is used: no AbortController is made unless `signal` is read.
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

  /** The argument of `abort`; undefined before it was called. */
  get reason(): unknown {
    return this.#reason;
  }

  /** The AbortSignal for `fetch` and similar APIs: made on first use, always the same. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Aborts: the signal first, then the listeners in order of registration. */
  abort(reason?: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    // Each is removed before it is called: one that an earlier one removes is not called.
    for (const listener of this.#listeners) {
      this.#listeners.delete(listener);
      if (typeof listener === 'function') listener(reason);
      else listener.aborted(reason);
    }
  }

  /** Registers a callback that is called once; immediately if already aborted. Returns a function that removes it. */
  onAbort(listener: (reason: unknown) => void): () => void {
    if (this.#isAborted) {
      listener(this.#reason);
      return () => undefined;
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Registers a listener like `onAbort`, without creating closures; remove it by `leave`. */
  attend(listener: AbortListener): void {
    if (this.#isAborted) listener.aborted(this.#reason);
    else this.#listeners.add(listener);
  }

  leave(listener: AbortListener): void {
    this.#listeners.delete(listener);
  }
}
