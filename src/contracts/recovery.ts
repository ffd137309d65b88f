import type { Decision } from './decision.ts';
import type { ErrorCategory } from './error-category.ts';
import type { ErrorCode, ErrorData } from './error.ts';
import type { Json } from './json.ts';

/** The phases whose failure a run can survive: the others are pure, or broken critics count as content. */
export type RecoverablePhase = 'OBSERVE' | 'DECIDE' | 'ACT';

/** A failure that ends the run, unless something is done about it. */
export interface Failure {
  readonly error: ErrorData;
  readonly category: ErrorCategory;
  readonly phase: RecoverablePhase;
  readonly step: number;
  /** The number of this failure in its row, from 1: a step that goes well begins anew. */
  readonly streak: number;
  /** What would be done if nobody said anything else. */
  readonly usual: 'skip' | 'giveUp';
  readonly state: Json;
  /** What the caller of the run gave as `context`: check what it is before use. */
  readonly context?: unknown;
  /** Aborted when the run ends. Made on first use. */
  readonly signal: AbortSignal;
}

/**
 * What to do about a failure.
 *
 * `retry` does the very work again within the step, which counts as no step of its own. `skip` does without it: there is
 * no observation and no decision in this step, which ends; a call that failed is a failed result. `replace` puts `with` in
 * the place of what failed to come: an observation, a decision, or the text of the call's result. `giveUp` ends the run.
 */
export type RecoveryDecision =
  | (Said & { readonly kind: 'retry' })
  | (Said & { readonly kind: 'skip' })
  | (Said & { readonly kind: 'replace'; readonly with: Json | Decision })
  | (Said & { readonly kind: 'giveUp' });

interface Said {
  /** Told to the model, and kept in the report. */
  readonly note?: string | undefined;
  /** The agent's state from now on. */
  readonly state?: Json | undefined;
}

/** What an agent does about failures that would end its run. */
export interface RecoveryPolicy {
  /** Failures in a row that are survived, at least 1; one more ends the run. Default 3. */
  readonly limit?: number | undefined;
  /**
   * Decides; `undefined` leaves it to the default: skip what may pass (a model that is down, an answer that cannot be
   * read, an environment or a tool that broke), give up on all else. One that throws, or answers nonsense, gives up.
   */
  readonly handle?:
    ((failure: Failure) => RecoveryDecision | undefined | Promise<RecoveryDecision | undefined>) | undefined;
}

/** One failure of a run, and what was done about it. */
export interface FailureEntry {
  readonly errorId?: string | undefined;
  readonly step?: number | undefined;
  readonly phase?: string | undefined;
  readonly operation?: string | undefined;
  readonly code: ErrorCode;
  readonly category: ErrorCategory;
  readonly message: string;
  readonly streak: number;
  readonly decision: RecoveryDecision['kind'];
  readonly note?: string | undefined;
  /** What a person may do about it. */
  readonly advice: string;
}

/** What failed in a run and was survived or not: the last hundred failures, oldest first. */
export interface FailureReport {
  readonly failures: readonly FailureEntry[];
  /** Older ones that are left out. */
  readonly omitted: number;
}
