import { systemClock } from '../../../contracts/clock.ts';
import type { JournalStore, Letter } from '../../../contracts/journal.ts';
import type { Run } from '../../run/run.ts';
import type { takeLetter } from '../letters/letters.ts';
import type { RunJournal } from './run-journal.ts';

/** What a heartbeat does. */
export interface HeartbeatPlan {
  readonly store: JournalStore;
  readonly run: Run;
  readonly journal: RunJournal;
  readonly renew: () => Promise<void>;
  readonly takeLetter: typeof takeLetter;
  /** Opens what is sealed of letters. */
  readonly open: (letters: readonly Letter[]) => Promise<readonly Letter[]>;
  /** Between two renewals, in ms. */
  readonly everyMs: number;
}

/** The interval at which a run looks for letters, in ms. */
const LOOK_MS = 250;

/**
 * Keeps the lease of a run for as long as the run lasts here, and looks for its letters.
 *
 * By the machine's clock, whatever clock the run has; and it holds no process back from ending, but while a person is waited for.
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

  /** Checks whether somebody waits for a person, who may be at another process: until then this one must not end. */
  hold(isAwaited: boolean): void {
    this.#isAwaited = isAwaited;
    this.#hold();
  }

  /** Hands letters to the run, each once. */
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
      // A store that cannot be read now may be read at the next beat; one that is gone is found when it is written to.
    }
  }
}

/** A timer of Node holds its process, unless it is told not to. */
const tell = (timer: unknown, what: 'ref' | 'unref'): void => {
  const does: unknown = typeof timer === 'object' && timer !== null ? Reflect.get(timer, what) : undefined;
  if (typeof does === 'function') Reflect.apply(does, timer, []);
};
