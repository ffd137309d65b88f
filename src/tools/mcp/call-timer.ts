import { systemClock } from '../../base/clock.ts';

/** Waits for work during which a time stands still. */
export type Pause = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The time that a call has: it does not pass while the call waits for a person. */
export class CallTimer {
  readonly #onLate: () => void;
  #leftMs: number;
  #startedAt = 0;
  #timer: unknown;
  #pauses = 0;

  constructor(ms: number, onLate: () => void) {
    this.#leftMs = ms;
    this.#onLate = onLate;
    this.#start();
  }

  /** Waits for work during which the time stands still. */
  async pausedFor<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#pauses += 1;
    if (this.#pauses === 1) this.#stand();
    try {
      return await work();
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#start();
    }
  }

  /** Ends it: the call is over. */
  end(): void {
    this.#pauses = Infinity;
    systemClock.clearTimeout(this.#timer);
  }

  #start(): void {
    this.#startedAt = systemClock.now();
    this.#timer = systemClock.setTimeout(this.#onLate, this.#leftMs);
  }

  #stand(): void {
    systemClock.clearTimeout(this.#timer);
    this.#leftMs = Math.max(0, this.#leftMs - (systemClock.now() - this.#startedAt));
  }
}
