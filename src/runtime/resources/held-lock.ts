import type { WaitOptions } from './waiting-line.ts';

/** The times that somebody waits for a lock, and may keep it. */
export interface LockTimes {
  /** The longest wait, in ms. Default 30,000. */
  readonly waitMs?: number | undefined;
  /** The time that it may be kept without being renewed, in ms. Default 60,000. */
  readonly leaseMs?: number | undefined;
}

/** Whoever wants a lock. */
export interface LockOptions extends LockTimes, WaitOptions {
  /**
   * Who it is, by a name that is told in errors: one owner that waits for what another holds, who waits for what it holds, is a deadlock.
   * The `key` of a tool's context says that it is this call, whatever it waits for elsewhere; any other name means somebody of these locks only.
   * Default: each call is somebody of its own, so that nothing is known of what else it holds.
   */
  readonly owner?: string | undefined;
  /** The owners that wait until this one is done, outermost first. Of a call of a run it is known without being said. */
  readonly callers?: readonly string[] | undefined;
}

/** A lock that is held. */
export interface HeldLock extends AsyncDisposable {
  readonly name: string;
  /** Grows with each holder: hand it to the resource, which can refuse a holder whose lease is over. */
  readonly fence: number;
  /** False once it was released or its lease is over. */
  readonly isHeld: boolean;
  /** Aborted with `lock.lost` when the lease is over. */
  readonly signal: AbortSignal;
  /** Keeps it for so long from now, in ms (default: as long as at first). Throws `lock.lost` if it is not held any more. */
  renew(leaseMs?: number): void;
  /** Lets go of it; twice is once. */
  release(): void;
}
