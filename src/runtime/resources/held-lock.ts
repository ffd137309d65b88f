import type { WaitOptions } from './waiting-line.ts';

/** Time limits of a lock. */
export interface LockTimes {
  /** Longest wait, in ms. Default 30,000. */
  readonly waitMs?: number | undefined;
  /** Lease without renewal, in ms. Default 60,000. */
  readonly leaseMs?: number | undefined;
}

/** Options for acquiring a lock. */
export interface LockOptions extends LockTimes, WaitOptions {
  /**
   * Name of the owner, shown in errors. A cycle of owners that wait for each other's locks is a deadlock. The `key` of a tool's context
   * identifies the call, including its waits outside these locks; any other name is local to them. Default: a new owner per call, for which
   * deadlocks cannot be detected.
   */
  readonly owner?: string | undefined;
  /** Owners that wait for this one, outermost first. Known by itself for a call of a run. */
  readonly callers?: readonly string[] | undefined;
}

/** A lock that is held. */
export interface HeldLock extends AsyncDisposable {
  readonly name: string;
  /** Fencing token, which grows with each holder: pass it to the resource, which can refuse an expired holder. */
  readonly fence: number;
  /** False once it is released or expired. */
  readonly isHeld: boolean;
  /** Aborted with `lock.lost` when the lease expires. */
  readonly signal: AbortSignal;
  /** Extends the lease to `leaseMs` from now (default: its initial length). Throws `lock.lost` if it has expired. */
  renew(leaseMs?: number): void;
  /** Releases the lock; idempotent. */
  release(): void;
}
