import type { Clock } from '../../base/clock.ts';
import { whenNothingIsPutOff } from '../../runtime/run/pacer.ts';

/** A timer of a driven clock. */
export interface DrivenTimer {
  readonly due: number;
  readonly callback: () => void;
  /** The thing that it stands for, where the order of equally due ones is chosen. */
  readonly label?: string | undefined;
}

/** Ways of a driven clock beside those of {@link DrivenClock}. */
export interface DrivenWays {
  /** Chooses among the timers that are due first. Default: the one that was set first. */
  readonly choose?: ((ready: readonly [DrivenTimer, ...DrivenTimer[]]) => DrivenTimer) | undefined;
  /** Called before a timer fires. */
  readonly onFire?: (() => void) | undefined;
  /** Lets other work of the process have a turn. Default: a timer of the platform. */
  readonly turn?: (() => Promise<void>) | undefined;
  /** Time that is waited for work that nothing is known of, in ms of the platform: a file that is read, a process. Default 500. */
  readonly unknownMs?: number | undefined;
  /**
   * Names of genuine work that does not hold the clock, as it never ends by itself. With it, work that takes longer than `unknownMs` is added, and
   * time moves on.
   */
  readonly deaf?: Set<string> | undefined;
  /** True while genuine work waits for this very clock. */
  readonly isAwaited?: (() => boolean) | undefined;
}

/** Turns of the event loop with nothing to do, after which time moves on: what promises have to do is done by then. */
const QUIET_TURNS = 2;

/** Time that genuine work may take while nothing of the run is due, in ms of the platform. */
const GENUINE_MS = 120_000;

/** Time that is waited for work that nothing is known of, in ms of the platform: a file that is read, a process. */
const UNKNOWN_MS = 500;

/** Turns of the event loop that such work has at least, however busy the machine is. */
const UNKNOWN_TURNS = 20;

/**
 * A clock whose time moves on by itself to the next timer, as soon as the run has nothing else to do: an hour of waiting takes no time. While a
 * model or a tool itself is at work, which takes the time of the platform, it stands still.
 */
export class DrivenClock implements Clock {
  readonly #timers = new Set<DrivenTimer>();
  readonly #ways: DrivenWays;
  /** The names of genuine work. */
  readonly #working = new Set<{ readonly name: string | undefined }>();
  #now: number;

  constructor(startMs: number, ways: DrivenWays = {}) {
    this.#now = startMs;
    this.#ways = ways;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number, label?: string): DrivenTimer {
    const timer: DrivenTimer = { due: this.#now + Math.max(0, ms), callback, label };
    if (timer.due < Infinity) this.#timers.add(timer);
    return timer;
  }

  clearTimeout(handle: unknown): void {
    for (const timer of this.#timers) if (timer === handle) this.#timers.delete(timer);
  }

  /** True while a timer is set. */
  get hasTimers(): boolean {
    return this.#timers.size > 0;
  }

  /** Holds the clock while genuine work lasts. Only work with a name may be one that never ends by itself. */
  async during<Value>(work: () => Value | PromiseLike<Value>, name?: string): Promise<Value> {
    const entry = { name };
    this.#working.add(entry);
    try {
      return await work();
    } finally {
      this.#working.delete(entry);
    }
  }

  /**
   * Moves time on until `work` settles. Returns false if it does not by `untilMs`, or if nothing is left that it could wait for: it `isWaiting` for
   * somebody who is not there.
   */
  async drive(
    work: Promise<unknown>,
    untilMs: number,
    isWaiting: () => boolean = () => false,
  ): Promise<boolean> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    work.then(settle, settle);
    const { choose = setFirst, unknownMs = UNKNOWN_MS, deaf } = this.#ways;
    // The platform's time, as the clock itself stands still meanwhile.
    let idleSince = performance.now();
    let idleTurns = 0;
    for (;;) {
      await this.#quiet();
      if (isSettled) return true;
      const [first, ...others] = this.#isHeld ? [] : this.#ready();
      if (first !== undefined) {
        if (first.due > untilMs) return false;
        const next = others.length === 0 ? first : choose([first, ...others]);
        this.#timers.delete(next);
        this.#now = next.due;
        this.#ways.onFire?.();
        next.callback();
        idleSince = performance.now();
        idleTurns = 0;
        continue;
      }
      if (!this.#isHeld && isWaiting()) return false;
      const limit = this.#isHeld && !this.#mayBeDeaf ? GENUINE_MS : unknownMs;
      if (performance.now() - idleSince > limit && idleTurns > UNKNOWN_TURNS) {
        if (!this.#mayBeDeaf) return false;
        for (const { name } of this.#working) if (name !== undefined) deaf?.add(name);
        continue;
      }
      idleTurns += 1;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** True while genuine work lasts whose end is to be waited for. */
  get #isHeld(): boolean {
    if (this.#working.size === 0 || this.#ways.isAwaited?.() === true) return false;
    return [...this.#working].some(({ name }) => name === undefined || !this.#isDeaf(name));
  }

  /** True if all work that holds the clock could be such that never ends by itself. */
  get #mayBeDeaf(): boolean {
    return (
      this.#isHeld &&
      this.#ways.deaf !== undefined &&
      [...this.#working].every(({ name }) => name !== undefined)
    );
  }

  #isDeaf(name: string): boolean {
    return this.#ways.deaf?.has(name) ?? false;
  }

  /** The timers that are due first, as they were set. */
  #ready(): readonly DrivenTimer[] {
    let ready: DrivenTimer[] = [];
    for (const timer of this.#timers) {
      const [first] = ready;
      if (first === undefined || timer.due < first.due) ready = [timer];
      else if (timer.due === first.due) ready.push(timer);
    }
    return ready;
  }

  async #quiet(): Promise<void> {
    const { turn = platformTurn } = this.#ways;
    for (let count = 0; count < QUIET_TURNS; count += 1) {
      await turn();
      await whenNothingIsPutOff();
    }
  }
}

const setFirst = ([first]: readonly [DrivenTimer, ...DrivenTimer[]]): DrivenTimer => first;

const platformTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
