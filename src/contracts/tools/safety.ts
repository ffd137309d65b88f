import type { Json } from '../../base/json/json.ts';
import type { ToolFacts } from './tool.ts';

/**
 * A safety strategy's verdict on a call. `allow` leaves the tool's own approval rule in force; `deny` gives the agent a
 * failed result; `ask` requires a person's approval.
 */
export type SafetyVerdict =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'deny'; readonly reason: string }
  | { readonly verdict: 'ask' };

/** A tool call that an agent decided on, as a safety strategy sees it: nothing of it has been executed yet. */
export interface ProposedCall {
  readonly callId: string;
  readonly runId: string;
  /** Address of the calling agent: `desk/researcher-1`. */
  readonly path: string;
  readonly agent: string;
  readonly step: number;
  readonly tool: string;
  /** The tool's own facts: its safety level, its tags … */
  readonly facts: ToolFacts;
  /** As decided: not yet validated by the tool's schema. */
  readonly input: Json;
  /** The run's `context`. */
  readonly context: unknown;
  /** Aborted when the run ends. Made on first use. */
  readonly signal: AbortSignal;
}

/**
 * Checks every call of a run, those of members and children included, between DECIDE and ACT.
 *
 * It fails closed: a strategy that throws, or returns something invalid, denies the call.
 *
 * @example
 * const readOnly: SafetyStrategy = ({ facts }) =>
 *   facts.safety === 'read' ? { verdict: 'allow' } : { verdict: 'deny', reason: 'this run may only read' };
 */
export type SafetyStrategy = (call: ProposedCall) => SafetyVerdict | Promise<SafetyVerdict>;
