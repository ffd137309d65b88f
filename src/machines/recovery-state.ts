import type { ErrorData } from '../contracts/error.ts';
import type { FailureEntry } from '../contracts/recovery.ts';

/** The ports whose failure an agent can survive. */
export type RecoverablePort = 'observe' | 'decide' | 'act';

/** What went wrong so far, and what is still to be decided on; absent until something does. */
export interface RecoveryState {
  /** Failures in a row, the last one included. */
  readonly streak: number;
  /** The step of the last one, and whether that step was given up for it. */
  readonly step: number;
  readonly isSkipped: boolean;
  /** The number of times that work of that step was tried again: part of the keys of what is asked from then on. */
  readonly round: number;
  /** Failures so far: the number of the next one is part of a key, too. */
  readonly count: number;
  readonly pending: readonly PendingFailure[];
  readonly failures: readonly FailureEntry[];
  /** What the last failure, or the last decision, is about. */
  readonly port: RecoverablePort;
  readonly error: ErrorData;
}

/** A failure that waits for a decision. */
export interface PendingFailure {
  readonly port: RecoverablePort;
  readonly index: number;
  readonly error: ErrorData;
}
