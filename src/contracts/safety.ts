import type { Json } from './json.ts';
import type { ToolFacts } from './tool.ts';

/**
 * What a safety strategy says of a call before it may run. `allow` leaves the tool's own need for approval as it is;
 * `deny` is told to the agent as a failed result; `ask` has a person look at the call.
 */
export type SafetyVerdict =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'deny'; readonly reason: string }
  | { readonly verdict: 'ask' };

/** A tool call that an agent decided on, as a safety strategy sees it: nothing of it has happened yet. */
export interface ProposedCall {
  readonly callId: string;
  readonly runId: string;
  /** Where the calling agent sits: `desk/researcher-1`. */
  readonly path: string;
  readonly agent: string;
  readonly step: number;
  readonly tool: string;
  /** What the tool says of itself: its safety level, its tags … */
  readonly facts: ToolFacts;
  /** As it was decided: the tool's schema has not checked it yet. */
  readonly input: Json;
  /** The run's `context`. */
  readonly context: unknown;
  /** Aborted when the run ends. Made on first use. */
  readonly signal: AbortSignal;
}

/**
 * Stands between DECIDE and ACT: sees every call of a run, those of its members and children too, before it runs.
 *
 * It fails closed: one that throws, or says something else than a verdict, denies the call.
 *
 * @example
 * const readOnly: SafetyStrategy = ({ facts }) =>
 *   facts.safety === 'read' ? { verdict: 'allow' } : { verdict: 'deny', reason: 'this run may only read' };
 */
export type SafetyStrategy = (call: ProposedCall) => SafetyVerdict | Promise<SafetyVerdict>;
