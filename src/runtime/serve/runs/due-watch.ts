import { errorData } from '../../../contracts/errors/error.ts';
import type { Clock } from '../../../base/clock.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';

/** The needs of a {@link DueWatch}. */
export interface DueWatchSetup {
  readonly store: Pick<JournalStore, 'watch'>;
  /** Resumes what is due; returns the number of these runs. */
  readonly resumeDue: () => Promise<number>;
  /** Time between two looks, in ms. */
  readonly sweepMs: number;
  readonly clock: Clock;
  readonly onProblem: (error: unknown) => void;
}

/**
 * Resumes what is due in a store: now, as soon as the store hears of more, and after each `sweepMs`.
 *
 * I1  It looks once at a time, and once more if there was reason for it meanwhile.
 * I2  A failure that lasts is a problem once.
 */
export class DueWatch {
  readonly #setup: DueWatchSetup;
  #timer: unknown;
  #looking: Promise<number> | undefined;
  #isToLookAgain = false;
  #unwatch: (() => Promise<void>) | undefined;
  #isEnded = false;
  /** The code of the failure of the last look. */
  #problem: string | undefined;

  constructor(setup: DueWatchSetup) {
    this.#setup = setup;
  }

  /** Resolves with the number of runs that were resumed at once; never rejects. */
  async begin(): Promise<number> {
    const { store, onProblem } = this.#setup;
    const count = await this.#look();
    try {
      this.#unwatch = await store.watch?.(() => {
        void this.#look();
      });
    } catch (thrown) {
      onProblem(thrown);
    }
    if (this.#isEnded) await this.#unwatch?.();
    return count;
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    this.#setup.clock.clearTimeout(this.#timer);
    await this.#unwatch?.();
  }

  async #look(): Promise<number> {
    if (this.#looking !== undefined) {
      this.#isToLookAgain = true;
      return this.#looking;
    }
    const { resumeDue, clock } = this.#setup;
    clock.clearTimeout(this.#timer);
    this.#looking = resumeDue().then(
      (count) => {
        this.#problem = undefined;
        return count;
      },
      (thrown: unknown) => {
        this.#fail(thrown);
        return 0;
      },
    );
    const count = await this.#looking;
    this.#looking = undefined;
    this.#arm();
    return count;
  }

  /** A store that stays out of reach is named once. */
  #fail(thrown: unknown): void {
    const { code } = errorData(thrown, 'journal.failed');
    if (this.#problem !== code) this.#setup.onProblem(thrown);
    this.#problem = code;
  }

  #arm(): void {
    if (this.#isEnded) return;
    const { clock, sweepMs } = this.#setup;
    if (this.#isToLookAgain) {
      this.#isToLookAgain = false;
      void this.#look();
    } else if (sweepMs !== Infinity)
      this.#timer = clock.setTimeout(() => {
        void this.#look();
      }, sweepMs);
  }
}
