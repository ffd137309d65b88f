import type { Clock } from '../../base/clock.ts';
import { errorData, isTroupeError, toError, TroupeError } from '../../contracts/errors/error.ts';
import type { ErrorCode } from '../../contracts/errors/error-data.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import type { Awaited } from './deadline.ts';
import type { Decided } from './decide-due.ts';
import { decideDue, nextDue } from './decide-due.ts';
import type { DueTimes } from './due-times.ts';
import { dueTimesOf } from './due-times.ts';
import type { QueuedMessages } from './queued-messages.ts';
import type { Due, ScheduleReport } from './schedule.ts';
import type { ScheduleLog } from './schedule-log.ts';
import type { Pending, ScheduleState } from './schedule-state.ts';
import { keyOf } from './schedule-state.ts';
import { timeRuleOf } from './stored-rule.ts';

/** Called with the handle of a run as soon as there is one: it may have to wait for its turn. */
export type OnHandle = (handle: RunHandle<unknown, unknown>) => void;

/** Starts the run of what is due, or resumes it. */
export type StartRun = (due: Due, onHandle: OnHandle) => Promise<unknown>;

/** The parts that a keeper needs. */
export interface KeeperSetup {
  readonly name: string;
  readonly store: JournalStore;
  readonly log: ScheduleLog;
  readonly messages: QueuedMessages;
  readonly clock: Clock;
  readonly lookEveryMs: number;
  readonly graceMs: number;
  readonly report: (report: ScheduleReport) => void;
  /** Called when `wakeAt` has changed. */
  readonly onWait: () => void;
}

/** The id of the run that a due time or a message of a schedule becomes. */
export const runIdOf = (name: string, key: string): string => `${name}@${key}`;

/** A run that this process has started, or is about to. */
interface Attempt {
  handle?: RunHandle<unknown, unknown> | undefined;
  isOver: boolean;
  /** Not tried again before that time, in ms since 1970: what ends without an end in its store must not be resumed in a circle. */
  notBefore: number;
  /** Settles when the run is started, or has failed to. */
  opened: Promise<unknown>;
  /** Settles when a run that was started while its keeper was stopped is suspended. */
  left?: Promise<void> | undefined;
}

/** Errors after which a run that was started cannot go on anywhere: it must not hold up what comes after it. */
const FINAL: readonly ErrorCode[] = ['journal.diverged', 'journal.corrupt', 'journal.version'];
/** Errors that say that somebody else has the run. */
const ELSEWHERE: readonly ErrorCode[] = ['journal.held', 'journal.fenced', 'run.duplicate'];

/**
 * Keeps one schedule: looks at its log, decides what is due, and starts what is pending, in order.
 *
 * I1 One look at a time. Whatever it does may have been done by another process just before: each step is decided by the log, or by the id of a run.
 * I2 A run is not started before its due time is on the log, and leaves the log only when the store has its end.
 * I3 Only the first that is pending is started.
 */
export class ScheduleKeeper implements Awaited {
  wakeAt = -Infinity;
  /** The code of the schedule, as it was added last. */
  start: StartRun = () =>
    Promise.reject(new TroupeError('internal', 'Cannot start a run as its schedule has no code'));
  readonly #setup: KeeperSetup;
  readonly #attempts = new Map<string, Attempt>();
  #looking: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;
  #isRetired = false;
  #times: { readonly of: string; readonly times: DueTimes } | undefined;

  constructor(setup: KeeperSetup) {
    this.#setup = setup;
  }

  /** Looks now, or once more after the look that is under way. */
  wake(): void {
    this.#isWanted = true;
    // Woken again by the look itself.
    this.wakeAt = Infinity;
    if (this.#looking !== undefined || this.#isStopped || this.#isRetired) return;
    this.#looking = this.#lookWhileWanted().finally(() => {
      this.#looking = undefined;
      this.#setup.onWait();
    });
  }

  /** Looks no more; resolves when what runs has ended. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    this.wakeAt = Infinity;
    await this.#looking;
    for (const attempt of this.#attempts.values()) {
      await attempt.opened;
      await attempt.handle?.result.catch(() => undefined);
    }
  }

  /** Ends it: what runs is suspended, so that any process can resume it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.wakeAt = Infinity;
    await this.#looking;
    await Promise.all(
      [...this.#attempts.values()].map(async (attempt) => {
        if (attempt.handle !== undefined) return suspendRun(attempt.handle);
        await attempt.opened;
        await attempt.left;
      }),
    );
  }

  async #lookWhileWanted(): Promise<void> {
    while (this.#isWanted && !this.#isStopped && !this.#isRetired) {
      this.#isWanted = false;
      try {
        await this.#look();
      } catch (thrown) {
        this.#fail(thrown);
      }
    }
  }

  async #look(): Promise<void> {
    const { log, clock, lookEveryMs } = this.#setup;
    const found = await log.read();
    this.wakeAt = clock.now() + lookEveryMs;
    // Removed, by whatever process.
    if (found.definition === undefined) return;
    const settled = await this.#settle(found);
    const state = await this.#decide(settled);
    if (state.isPaused || state.definition === undefined) return;
    const next = nextDue(state, await this.#timesOf(state));
    // One that was due once, and is over, is looked at no more.
    const isOver = state.definition.at !== undefined && next === undefined && state.pending.length === 0;
    this.wakeAt = isOver ? Infinity : Math.min(this.wakeAt, next ?? Infinity);
    this.#startFirst(state);
  }

  /** Removes from what is pending the runs that have ended. */
  async #settle(found: ScheduleState): Promise<ScheduleState> {
    const { name, store, log, messages } = this.#setup;
    let state = found;
    for (let [first] = state.pending; first !== undefined; [first] = state.pending) {
      const entry = await store.entry(runIdOf(name, first.key));
      if (entry === undefined || entry.status === 'running' || entry.status === 'waiting') break;
      state = await log.append({ type: 'ended', key: first.key });
      this.#attempts.delete(first.key);
      if (first.isMessage) await messages.remove(first.key);
    }
    return state;
  }

  /** Decides about all that is due, until nothing is. */
  async #decide(found: ScheduleState): Promise<ScheduleState> {
    const { clock, graceMs, log } = this.#setup;
    let state = found;
    while (!state.isPaused) {
      const decided = decideDue(state, await this.#timesOf(state), clock.now(), graceMs);
      if (decided === undefined) break;
      state = await log.append(decided);
      await this.#reportDecided(decided, state);
    }
    return state;
  }

  async #reportDecided({ to, start }: Decided, { pending }: ScheduleState): Promise<void> {
    const { name, store, report } = this.#setup;
    if (start.length === 0) report({ type: 'dropped', schedule: name, dueAt: to });
    for (const at of start) {
      const key = keyOf(at);
      // What another process decided first may have run meanwhile.
      const isTaken =
        pending.some((other) => other.key === key) || (await store.entry(runIdOf(name, key))) !== undefined;
      if (!isTaken) report({ type: 'skipped', schedule: name, dueAt: at });
    }
  }

  async #timesOf({ definition }: ScheduleState): Promise<DueTimes> {
    const rule = definition === undefined ? undefined : timeRuleOf(definition);
    const of = JSON.stringify(rule ?? null);
    if (this.#times?.of !== of) this.#times = { of, times: await dueTimesOf(rule) };
    return this.#times.times;
  }

  #startFirst({ pending: [first] }: ScheduleState): void {
    if (first === undefined || this.#isStopped) return;
    const { clock } = this.#setup;
    const known = this.#attempts.get(first.key);
    if (known !== undefined && (!known.isOver || known.notBefore > clock.now())) return;
    const attempt: Attempt = { isOver: false, notBefore: 0, opened: Promise.resolve() };
    this.#attempts.set(first.key, attempt);
    attempt.opened = this.#open(first, attempt).catch((thrown: unknown) =>
      this.#failToOpen(first, attempt, thrown),
    );
  }

  async #open({ key, at, isMessage }: Pending, attempt: Attempt): Promise<void> {
    const { name, clock, store, graceMs, messages, report } = this.#setup;
    const runId = runIdOf(name, key);
    const due = { schedule: name, runId, dueAt: at, isLate: clock.now() - at > graceMs };
    const message = isMessage ? await messages.read(key) : undefined;
    if (isMessage && message === undefined && (await store.entry(runId)) === undefined)
      throw new TroupeError(
        'journal.corrupt',
        `Cannot deliver the message '${key}' as it is not in its queue: '${name}'`,
      );
    await this.start(message === undefined ? due : { ...due, message }, (handle) => {
      attempt.handle = handle;
      const over = (): void => {
        this.#end(attempt);
      };
      handle.result.then(over, over);
      // Disposed of while it was started.
      if (this.#isStopped) attempt.left = suspendRun(handle);
    });
    report({ type: 'started', ...due });
  }

  #end(attempt: Attempt): void {
    const { clock, lookEveryMs } = this.#setup;
    attempt.isOver = true;
    attempt.handle = undefined;
    attempt.notBefore = clock.now() + lookEveryMs;
    this.wake();
  }

  /** A start that failed is tried again at the next look. */
  async #failToOpen({ key }: Pending, attempt: Attempt, thrown: unknown): Promise<void> {
    const { name, log } = this.#setup;
    attempt.isOver = true;
    attempt.handle = undefined;
    if (ELSEWHERE.some((code) => isTroupeError(thrown, code))) return;
    const isFinal = FINAL.some((code) => isTroupeError(thrown, code));
    this.#fail(thrown, runIdOf(name, key), isFinal);
    if (!isFinal) return;
    try {
      await log.append({ type: 'ended', key });
      this.wake();
    } catch (failed) {
      this.#fail(failed, runIdOf(name, key));
    }
  }

  #fail(thrown: unknown, runId?: string, isFinal = false): void {
    const { name, report, clock, lookEveryMs } = this.#setup;
    this.wakeAt = Math.min(this.wakeAt, clock.now() + lookEveryMs);
    const message = `Cannot keep the schedule '${name}'`;
    const error = toError(errorData(thrown, 'journal.failed', { message }));
    report({ type: 'failed', schedule: name, runId, isFinal, error });
  }
}

/** One that ends by itself meanwhile needs nothing. */
const suspendRun = (handle: RunHandle<unknown, unknown>): Promise<void> =>
  handle.suspend().catch(() => undefined);
