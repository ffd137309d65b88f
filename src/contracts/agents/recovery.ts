import type { Decision } from './decision.ts';
import type { ErrorCategory } from '../errors/error-category.ts';
import type { ErrorCode, ErrorData } from '../errors/error-data.ts';
import type { Json } from '../../base/json/json.ts';

/** The phases whose failure a run can survive: the others are pure, or broken critics count as content. */
export type RecoverablePhase = 'OBSERVE' | 'DECIDE' | 'ACT';

/** A failure that ends the run, unless it is handled. */
export interface Failure {
  readonly error: ErrorData;
  readonly category: ErrorCategory;
  readonly phase: RecoverablePhase;
  readonly step: number;
  /** Number of consecutive failures, from 1; a successful step resets it. */
  readonly streak: number;
  /** The default action. */
  readonly usual: 'skip' | 'giveUp';
  readonly state: Json;
  /** The `context` that the caller of the run passed; validate it before use. */
  readonly context?: unknown;
  /** Aborted when the run ends. Made on first use. */
  readonly signal: AbortSignal;
}

/**
 * The reaction to a failure.
 *
 * `retry` repeats the failed work within the step, which is not counted again. `skip` continues without it: the step
 * ends without observation and decision; a failed call gets a failed result. `replace` uses `with` in its place: an
 * observation, a decision, or the text of the call's result. `giveUp` ends the run.
 */
export type RecoveryDecision =
  | (Said & { readonly kind: 'retry' })
  | (Said & { readonly kind: 'skip' })
  | (Said & { readonly kind: 'replace'; readonly with: Json | Decision })
  | (Said & { readonly kind: 'giveUp' });

interface Said {
  /** Sent to the model, and kept in the report. */
  readonly note?: string | undefined;
  /** The agent's state from now on. */
  readonly state?: Json | undefined;
}

/** An agent's handling of failures that would end its run. */
export interface RecoveryPolicy {
  /** Failures in a row that are survived, at least 1; one more ends the run. Default 3. */
  readonly limit?: number | undefined;
  /**
   * Decides on a failure; `undefined` uses the default: skip transient failures (an unavailable model, an unreadable
   * answer, a failed environment or tool), give up on all others. A handler that throws or returns something invalid
   * gives up.
   */
  readonly handle?:
    | ((failure: Failure) => RecoveryDecision | undefined | Promise<RecoveryDecision | undefined>)
    | undefined;
}

/** One failure of a run, and what was done about it. */
export interface FailureEntry {
  readonly errorId?: string | undefined;
  /** Address of the agent whose memory failed; absent for a failure of the run's own steps. */
  readonly path?: string | undefined;
  readonly step?: number | undefined;
  readonly phase?: string | undefined;
  readonly operation?: string | undefined;
  readonly code: ErrorCode;
  readonly category: ErrorCategory;
  readonly message: string;
  /** Number of consecutive failures, from 1; 0 for one of a memory, which is not counted. */
  readonly streak: number;
  readonly decision: RecoveryDecision['kind'];
  readonly note?: string | undefined;
  /** Advice for a person. */
  readonly advice: string;
}

/**
 * The failures of a run, survived or not: the last hundred of its steps, oldest first, then the last hundred of its
 * memories.
 */
export interface FailureReport {
  readonly failures: readonly FailureEntry[];
  /** Older ones that are left out. */
  readonly omitted: number;
}
