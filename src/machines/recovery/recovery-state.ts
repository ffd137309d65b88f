import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { FailureEntry } from '../../contracts/agents/recovery.ts';

/** Ports whose failures can be recovered. */
export type RecoverablePort = 'observe' | 'decide' | 'act';

/** Failures so far, and those that wait for a decision; absent until there is one. */
export interface RecoveryState {
  /** Number of consecutive failures, including the last. */
  readonly streak: number;
  /** The step of the last one, and whether that step was skipped. */
  readonly step: number;
  readonly isSkipped: boolean;
  /** Number of retries in that step: part of the keys of later asks. */
  readonly round: number;
  /** Number of failures so far, which is part of the next one's key. */
  readonly count: number;
  readonly pending: readonly PendingFailure[];
  readonly failures: readonly FailureEntry[];
  /** Port and error of the last failure or decision. */
  readonly port: RecoverablePort;
  readonly error: ErrorData;
}

/** A failure that waits for a decision. */
export interface PendingFailure {
  readonly port: RecoverablePort;
  readonly index: number;
  readonly error: ErrorData;
}
