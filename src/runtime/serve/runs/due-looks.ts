import type { Clock } from '../../../base/clock.ts';
import { systemClock } from '../../../base/clock.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';

/** The outcome of a look for what is due. */
export interface DueRuns {
  /** Number of resumed runs. */
  readonly count: number;
  /** The `journal.held` of each run that another process has. */
  readonly held: readonly TroupeError[];
}

/** The needs of looks for what is due. */
export interface DueLooksSetup {
  readonly runs: { readonly isDraining: boolean; resumeDue(): Promise<DueRuns> };
  readonly clock: Clock;
  /** Time between two looks, in ms. Default 30,000. */
  readonly everyMs?: number | undefined;
  readonly onProblem: (error: unknown) => void;
}

/** Time between two looks, in ms. */
const EVERY_MS = 30_000;
/** Time in ms after which it is seen that the process of a run, which was killed just before the boot, is gone. */
const SOON_MS = 1_000;

/**
 * Looks for runs of a store that are due, and has them resumed: at boot, after each `everyMs`, and for runs that were held at boot as soon as
 * their hold may be over. A process that was killed holds its runs for a while, and one that works renews its hold.
 */
export class DueLooks {
  readonly #setup: DueLooksSetup;
  /** The end of the hold of each run that was held at boot, as it was seen last. */
  readonly #held = new Map<string, number>();
  readonly #timers = new Set<unknown>();

  constructor(setup: DueLooksSetup) {
    this.#setup = setup;
  }

  /** Looks for the first time; resolves with the number of resumed runs, and never rejects. */
  async begin(): Promise<number> {
    const { count, held } = await this.#look();
    this.#lookEach();
    for (const error of held) {
      const hold = holdOf(error);
      if (hold !== undefined) this.#held.set(hold.runId, hold.expiresAt);
      this.#setup.onProblem(hold === undefined ? error : notYet(error));
    }
    if (this.#held.size > 0) this.#after(SOON_MS, () => this.#lookAtHeld());
    return count;
  }

  /** Looks no more. */
  stop(): void {
    for (const timer of this.#timers) this.#setup.clock.clearTimeout(timer);
    this.#timers.clear();
  }

  #lookEach(): void {
    this.#after(this.#setup.everyMs ?? EVERY_MS, async () => {
      await this.#look();
      this.#lookEach();
    });
  }

  /** Looks again until each run that was held at boot is resumed, or its hold was renewed. */
  async #lookAtHeld(): Promise<void> {
    const { held } = await this.#look();
    const known = new Map(this.#held);
    this.#held.clear();
    for (const error of held) {
      const hold = holdOf(error);
      if (hold !== undefined && known.get(hold.runId) === hold.expiresAt)
        this.#held.set(hold.runId, hold.expiresAt);
    }
    if (this.#held.size === 0) return;
    const first = Math.min(...this.#held.values());
    this.#after(Math.max(SOON_MS, first - systemClock.now()), () => this.#lookAtHeld());
  }

  async #look(): Promise<DueRuns> {
    try {
      return await this.#setup.runs.resumeDue();
    } catch (thrown) {
      this.#setup.onProblem(thrown);
      return { count: 0, held: [] };
    }
  }

  #after(ms: number, look: () => Promise<void>): void {
    const { runs, clock } = this.#setup;
    if (runs.isDraining || ms === Infinity) return;
    const timer = clock.setTimeout(() => {
      this.#timers.delete(timer);
      void look();
    }, ms);
    this.#timers.add(timer);
  }
}

/** A run that another process has. */
interface Hold {
  readonly runId: string;
  /** In ms since 1970, by the clock of leases: the system's. */
  readonly expiresAt: number;
}

/** The hold that a `journal.held` of a store names; undefined where it names none. */
const holdOf = ({ data: { runId, details } }: TroupeError): Hold | undefined => {
  if (runId === undefined || !isJsonObject(details)) return undefined;
  const { expiresAt } = details;
  return typeof expiresAt === 'number' ? { runId, expiresAt } : undefined;
};

/** The store says by which process a run is held, and until when. */
const notYet = ({ message, data: { runId, details } }: TroupeError): TroupeError =>
  new TroupeError(
    'journal.held',
    `${message}. It is looked at again then, and resumed here unless that process works on`,
    { runId, retryable: 'maybe', details },
  );
