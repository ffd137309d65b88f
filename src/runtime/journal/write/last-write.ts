import type { Clock } from '../../../base/clock.ts';
import { isThenable } from '../../../base/promises/thenable.ts';
import type { WhyHurried } from './store-silent.ts';

/** Time that a store may take to answer once its run was aborted or is overdue, in ms. */
export const HURRIED_STORE_MS = 5_000;

/**
 * Callbacks that wait until everything is written, such as the end of the run.
 *
 * I1 Each callback is called once: when everything is written, or when nothing is written here any more.
 * I2 Once the run is aborted or overdue, a store that does not answer is waited for within bounds, then `giveUp` is called.
 */
export class LastWrite {
  readonly #clock: Clock;
  readonly #giveUp: (why: WhyHurried) => void;
  readonly #waiting = new Set<() => void>();
  /** Set once the run has to end. */
  #why: WhyHurried | undefined;
  #timer: unknown;

  constructor(clock: Clock, giveUp: (why: WhyHurried) => void) {
    this.#clock = clock;
    this.#giveUp = giveUp;
  }

  /** Calls `go` when `writing` settles: synchronously, if the store is synchronous. */
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
    this.#arm();
    void writing.then(finish);
  }

  /** Limits the wait, as the run has to end. */
  hurry(why: WhyHurried): void {
    this.#why ??= why;
    this.#arm();
  }

  /** Calls all waiting callbacks, as nothing is written here any more. */
  lose(): void {
    for (const finish of this.#waiting) finish();
  }

  #arm(): void {
    const why = this.#why;
    if (why === undefined || this.#waiting.size === 0) return;
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#giveUp(why);
    }, HURRIED_STORE_MS);
  }

  #disarm(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
