import type { Clock } from '../../contracts/clock.ts';
import { isThenable } from '../../contracts/thenable.ts';

/** How long a store may take to write once its run was aborted, in ms. */
const ABORTED_WRITE_MS = 5_000;

/**
 * What waits until all is written, as the end of a run does.
 *
 * I1  Who waits is called once: when all is written, or when nothing is written here any more.
 * I2  Once the run is aborted, a store that does not answer is waited for within bounds; `giveUp` is called then.
 */
export class LastWrite {
  readonly #clock: Clock;
  readonly #giveUp: () => void;
  readonly #waiting = new Set<() => void>();
  #isHurried = false;
  #timer: unknown;

  constructor(clock: Clock, giveUp: () => void) {
    this.#clock = clock;
    this.#giveUp = giveUp;
  }

  /** Calls `go` when `writing` is through: at once, where the store needs no wait. */
  await(writing: void | Promise<void>, go: () => void): void {
    if (!isThenable(writing)) {
      go();
      return;
    }
    const finish = (): void => {
      if (!this.#waiting.delete(finish)) return;
      if (this.#waiting.size === 0) this.#disarm();
      go();
    };
    this.#waiting.add(finish);
    if (this.#isHurried) this.#arm();
    void writing.then(finish);
  }

  /** The run is aborted. */
  hurry(): void {
    this.#isHurried = true;
    if (this.#waiting.size > 0) this.#arm();
  }

  /** Nothing is written here any more. */
  lose(): void {
    for (const finish of this.#waiting) finish();
  }

  #arm(): void {
    this.#timer ??= this.#clock.setTimeout(this.#giveUp, ABORTED_WRITE_MS);
  }

  #disarm(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
