import type { Json } from '../../base/json/json.ts';
import type { ErrorCode } from '../../contracts/errors/error-data.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import type { Fault, Places } from './fault.ts';
import type { OwnVariance } from './own-variance.ts';

/**
 * The outcome of a fault.
 *
 * - `same`: the run completed with the same answer.
 * - `other`: it completed, with another answer.
 * - `stopped`: it ended in order, without an answer: `stop` says why.
 * - `failed`: it ended with an error.
 * - `waiting`: it waits for a person: `waitsFor` says what for.
 * - `hung`: it neither ended nor waited for anything, within the time that it was given.
 * - `unreached`: it never came to the place of the fault, which says nothing.
 */
export type FaultOutcomeKind = 'same' | 'other' | 'stopped' | 'failed' | 'waiting' | 'hung' | 'unreached';

/** One fault, and its outcome. */
export interface FaultOutcome {
  readonly fault: Fault;
  readonly outcome: FaultOutcomeKind;
  readonly output?: Json | undefined;
  readonly stop?: StopReason['kind'] | undefined;
  readonly error?: { readonly code: ErrorCode; readonly message: string } | undefined;
  readonly waitsFor?: string | undefined;
  /** By the virtual clock, in ms. */
  readonly durationMs: number;
  readonly retries: number;
  /** Models that it fell back to. */
  readonly fellBackTo: readonly string[];
  /** True if another process resumed the run. */
  readonly isResumed: boolean;
  /** The reason why it is a weak point; absent if it is none. */
  readonly weakness?: string | undefined;
  /** The way to mend the weak point, in a clause. */
  readonly remedy?: string | undefined;
}

/** The outcome of all faults: plain JSON. */
export interface ResilienceReport {
  readonly agent: string;
  readonly input: Json;
  /** The run without a fault. */
  readonly baseline: Places & {
    readonly output: Json;
    readonly durationMs: number;
    /** The differences when it was run once more: no fault is to blame for these. */
    readonly varies: OwnVariance;
  };
  readonly outcomes: readonly FaultOutcome[];
  /** Number of outcomes of each kind. */
  readonly counts: Readonly<Record<FaultOutcomeKind, number>>;
  /** Number of weak points. */
  readonly weak: number;
  /** The reason why not all faults were injected. */
  readonly stopped?: string | undefined;
}

const NONE: Readonly<Record<FaultOutcomeKind, number>> = {
  same: 0,
  other: 0,
  stopped: 0,
  failed: 0,
  waiting: 0,
  hung: 0,
  unreached: 0,
};

/** Makes the report of what came of all faults. */
export const resilienceReport = (parts: Omit<ResilienceReport, 'counts' | 'weak'>): ResilienceReport => {
  const counts = { ...NONE };
  for (const { outcome } of parts.outcomes) counts[outcome] += 1;
  return { ...parts, counts, weak: parts.outcomes.filter(({ weakness }) => weakness !== undefined).length };
};
