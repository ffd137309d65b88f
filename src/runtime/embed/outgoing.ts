/**
 * Updates of a run for its app, delivered in order, in a microtask after the turn that caused them.
 *
 * So whatever the app does, throwing or sending a command, happens outside of turns.
 */
export class Outgoing {
  readonly #onFailure: (error: unknown) => void;
  /** Called when everything is delivered. */
  readonly #onDrained: () => void;
  #waiting: (() => void)[] = [];
  #isScheduled = false;
  #isHeld = false;

  constructor(onFailure: (error: unknown) => void, onDrained: () => void) {
    this.#onFailure = onFailure;
    this.#onDrained = onDrained;
  }

  push(show: () => void): void {
    this.#waiting.push(show);
    this.#schedule();
  }

  /** Delivers nothing until `open`. */
  hold(): void {
    this.#isHeld = true;
  }

  open(): void {
    this.#isHeld = false;
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** Discards the waiting updates. */
  clear(): void {
    this.#waiting = [];
    this.#isHeld = false;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isHeld) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#drain();
    });
  }

  #drain(): void {
    while (this.#waiting.length > 0 && !this.#isHeld) {
      const waiting = this.#waiting;
      this.#waiting = [];
      let at = 0;
      // The app may stop the actor: the rest waits.
      for (; at < waiting.length && !this.#isHeld; at += 1) this.#safely(waiting[at] ?? NOTHING);
      this.#waiting.unshift(...waiting.slice(at));
      if (!this.#isHeld) this.#safely(this.#onDrained);
    }
  }

  #safely(show: () => void): void {
    try {
      show();
    } catch (error) {
      this.#onFailure(error);
    }
  }
}

const NOTHING = (): void => undefined;
