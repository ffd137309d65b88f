import type { Clock } from '../../../base/clock.ts';
import { systemClock } from '../../../base/clock.ts';
import { errorData, isTroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';
import { dueRuns } from '../../journal/resume/due-runs.ts';
import { forgetHeld, isHolding, markHeld } from '../../journal/versions/held-marks.ts';
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
  /** The code and the message of its error. */
  readonly reason: string;
  /** True if something has to change before it can be resumed. */
  readonly isHeld: boolean;
}

/**
 * Resumes what is due in a store, as far as there is room.
 *
 * I1  Tenants take turns.
 * I2  A run that cannot be resumed is named once for each reason, and attempted ever more rarely.
 * I3  Runs that only wait give way to those that are due: they are resumed by what they wait for.
 */
export class DueSweep {
  readonly #setup: DueSweepSetup;
  readonly #refused = new Map<string, Refused>();
  readonly #unreadable = new Set<string>();
  #held = 0;
  #hasForgotten = false;

  constructor(setup: DueSweepSetup) {
    this.#setup = setup;
  }

  /** The number of runs that are due, and that are held: something has to change before they can be resumed here. */
  get held(): number {
    return this.#held;
  }

  /** Resumes what is due; returns the number of these runs. @throws those of the store's list */
  async sweep(): Promise<number> {
    const { store, most, underWay, ended } = this.#setup;
    if (!this.#hasForgotten) await forgetHeld(store);
    this.#hasForgotten = true;
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
    this.#held = due.filter(({ runId }) => this.#refused.get(runId)?.isHeld === true).length;
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

  /** Registers that a run could not be resumed, or was lost again for a reason of its own: it is attempted later. */
  async refuse(runId: string, thrown: unknown): Promise<void> {
    const { store, clock, onProblem } = this.#setup;
    const now = clock.now();
    const before = this.#refused.get(runId);
    const isAgain = before !== undefined && now - before.retryAt < LONGEST_RETRY_MS;
    const delayMs = isAgain ? Math.min(before.delayMs * 2, LONGEST_RETRY_MS) : RETRY_MS;
    const { code, message } = errorData(thrown, 'journal.failed');
    const reason = `${code} ${message}`;
    const isHeld = isHolding(thrown);
    this.#refused.set(runId, { retryAt: now + delayMs, delayMs, reason, isHeld });
    if (before?.reason !== reason) onProblem(thrown);
    // For readers of the store; a store that takes no mark is no reason to stop.
    if (isHeld) await markHeld(store, runId, thrown, systemClock.now()).catch(onProblem);
  }

  async #resume(entry: RunEntry): Promise<boolean> {
    try {
      return await this.#setup.resume(entry);
    } catch (thrown) {
      // Another process was faster.
      if (!isTroupeError(thrown, 'journal.held')) await this.refuse(entry.runId, thrown);
      return false;
    }
  }
}
