import { systemClock } from '../../../base/clock.ts';
import type { JournalStore, Letter } from '../../../contracts/journals/journal.ts';
import type { Run } from '../../run/run.ts';
import type { takeLetter } from '../letters/letters.ts';
import type { RunJournal } from './run-journal.ts';

/** The collaborators of a heartbeat. */
export interface HeartbeatPlan {
  readonly store: JournalStore;
  readonly run: Run;
  readonly journal: RunJournal;
  readonly renew: () => Promise<void>;
  readonly takeLetter: typeof takeLetter;
  /** Decrypts letters. */
  readonly open: (letters: readonly Letter[]) => Promise<readonly Letter[]>;
  /** Interval between two renewals, in ms. */
  readonly everyMs: number;
}

/** Interval between two checks for letters, in ms. */
const LOOK_MS = 250;

/**
 * Renews the lease of a run while the run lasts in this process, and delivers its letters.
 *
 * Uses the system's clock, whatever clock the run has. Does not keep the process alive, except while the run waits for a person.
 */
export class Heartbeat {
  readonly #plan: HeartbeatPlan;
  readonly #seen = new Set<string>();
  #renewAt: number;
  #timer: unknown;
  #isStopped = false;
  #isAwaited = false;

  constructor(plan: HeartbeatPlan) {
    this.#plan = plan;
    this.#renewAt = systemClock.now() + plan.everyMs;
    this.#arm();
  }

  stop(): void {
    this.#isStopped = true;
    systemClock.clearTimeout(this.#timer);
  }

  #arm(): void {
    if (this.#isStopped) return;
    this.#timer = systemClock.setTimeout(() => {
      void this.#beat().finally(() => {
        this.#arm();
      });
    }, LOOK_MS);
    this.#hold();
  }

  /** Keeps the process alive while the run waits for a person, who may answer through another process. */
  hold(isAwaited: boolean): void {
    this.#isAwaited = isAwaited;
    this.#hold();
  }

  /** Delivers each letter to the run once. */
  take(letters: readonly Letter[]): void {
    const { run, journal, takeLetter: hand } = this.#plan;
    for (const letter of letters) {
      if (this.#isStopped || this.#seen.has(letter.id)) continue;
      this.#seen.add(letter.id);
      hand(letter, run, journal);
    }
  }

  #hold(): void {
    tell(this.#timer, this.#isAwaited ? 'ref' : 'unref');
  }

  async #beat(): Promise<void> {
    const { store, run, renew, everyMs, open } = this.#plan;
    const now = systemClock.now();
    if (now >= this.#renewAt) {
      this.#renewAt = now + everyMs;
      await renew();
    }
    if (this.#isStopped) return;
    try {
      const letters = await store.letters(run.runId);
      if (letters.length > 0) this.take(await open(letters));
    } catch {
      // The next beat tries again; a store that is gone is noticed at the next write.
    }
  }
}

/** Node's timers keep the process alive unless unreferenced. Browsers' timers have neither method. */
const tell = (timer: unknown, what: 'ref' | 'unref'): void => {
  const does: unknown = typeof timer === 'object' && timer !== null ? Reflect.get(timer, what) : undefined;
  if (typeof does === 'function') Reflect.apply(does, timer, []);
};
