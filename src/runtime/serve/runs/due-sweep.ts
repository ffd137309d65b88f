import type { Clock } from '../../../base/clock.ts';
import { isTroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';
import { dueRuns } from '../../journal/resume/due-runs.ts';
import { takeTurns } from './take-turns.ts';

/** Runs that are looked at in one sweep: beyond, tenants do not take turns. */
const LOOKED_AT = 1_000;
/** Time after which a run that could not be resumed is tried again, in ms; doubled each time, up to the longest. */
const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 300_000;

/** The needs of a {@link DueSweep}. */
export interface DueSweepSetup {
  readonly store: JournalStore;
  readonly clock: Clock;
  /** Runs under way here at most. */
  readonly most: number;
  /** The runs that are under way here. */
  readonly underWay: () => ReadonlySet<string>;
  /** Checks whether the agent of a run is served here. */
  readonly isServed: (entry: RunEntry) => boolean;
  /** Resolves with false for a run that has not begun: its first record may be under way. */
  readonly resume: (entry: RunEntry) => Promise<boolean>;
  /** Leaves a run under way to a process that resumes it. */
  readonly leave: (runId: string) => Promise<void>;
  readonly onProblem: (error: unknown) => void;
  /** Aborted when no more runs are taken. */
  readonly ended: AbortSignal;
}

interface Refused {
  readonly retryAt: number;
  readonly delayMs: number;
}

/**
 * Resumes what is due in a store, as far as there is room.
 *
 * I1  Tenants take turns.
 * I2  A run that cannot be resumed is named once for each attempt, and attempted ever more rarely.
 * I3  Runs that only wait give way to those that are due: they are resumed by what they wait for.
 */
export class DueSweep {
  readonly #setup: DueSweepSetup;
  readonly #refused = new Map<string, Refused>();
  readonly #unreadable = new Set<string>();

  constructor(setup: DueSweepSetup) {
    this.#setup = setup;
  }

  /** Resumes what is due; returns the number of these runs. @throws those of the store's list */
  async sweep(): Promise<number> {
    const { store, most, underWay, ended } = this.#setup;
    const { due, unreadable } = await dueRuns(store, LOOKED_AT);
    for (const { id, error } of unreadable) {
      if (!this.#unreadable.has(id)) this.#setup.onProblem(error);
      this.#unreadable.add(id);
    }
    const wanted = this.#wanted(due);
    await this.makeRoom(wanted.length);
    let count = 0;
    for (const entry of takeTurns(wanted, underWay())) {
      if (ended.aborted || underWay().size >= most) break;
      if (await this.#resume(entry)) count += 1;
    }
    return count;
  }

  #wanted(due: readonly RunEntry[]): readonly RunEntry[] {
    const { clock, isServed, underWay } = this.#setup;
    const [now, here] = [clock.now(), underWay()];
    return due.filter((entry) => {
      const { retryAt = 0 } = this.#refused.get(entry.runId) ?? {};
      return retryAt <= now && !here.has(entry.runId) && isServed(entry);
    });
  }

  /** Leaves runs that only wait, so that there is room for a number of others; as far as there are such. */
  async makeRoom(count: number): Promise<void> {
    const { store, most, underWay, leave } = this.#setup;
    let lacking = Math.min(count, most) - (most - underWay().size);
    for (const runId of underWay()) {
      if (lacking <= 0) return;
      if ((await store.entry(runId))?.status !== 'waiting') continue;
      await leave(runId);
      lacking -= 1;
    }
  }

  async #resume(entry: RunEntry): Promise<boolean> {
    const { clock, resume, onProblem } = this.#setup;
    try {
      const isResumed = await resume(entry);
      this.#refused.delete(entry.runId);
      return isResumed;
    } catch (thrown) {
      // Another process was faster.
      if (isTroupeError(thrown, 'journal.held')) return false;
      const { delayMs } = this.#refused.get(entry.runId) ?? { delayMs: RETRY_MS / 2 };
      const next = Math.min(delayMs * 2, LONGEST_RETRY_MS);
      this.#refused.set(entry.runId, { retryAt: clock.now() + next, delayMs: next });
      onProblem(thrown);
      return false;
    }
  }
}
