/**
 * What a run has to show an app, in order: handed over in a microtask, once the turn that it comes of is through.
 *
 * So nothing that an app does, be it a throw or a command, happens in the midst of a turn.
 */
export class Outgoing {
  readonly #onFailure: (error: unknown) => void;
  /** Called when all is handed over that there was. */
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

  /** Hands nothing over until `open`: nobody is there to take it. */
  hold(): void {
    this.#isHeld = true;
  }

  open(): void {
    this.#isHeld = false;
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** Forgets what waits: nobody is to see it any more. */
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
      // Whoever is shown something may stop the actor: the rest waits.
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
