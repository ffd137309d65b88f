import type { Json } from '../../base/json/json.ts';
import type { ApprovalTerms } from '../people/approval-terms.ts';
import type { EventBody, RuntimeEvent } from '../events/event.ts';
import type { OriginKeeper } from './origins.ts';
import type { ToolFacts } from './tool.ts';

/**
 * A safety strategy's verdict on a call. `allow` leaves the tool's own approval rule in force; `deny` gives the agent a
 * failed result; `ask` requires a person's approval, on its terms. `rule` names the rule that decided, for the record.
 */
export type SafetyVerdict =
  | { readonly verdict: 'allow'; readonly rule?: string | undefined }
  | { readonly verdict: 'deny'; readonly reason: string; readonly rule?: string | undefined }
  | ({ readonly verdict: 'ask' } & ApprovalTerms);

/** A denial by a safety strategy. */
export type SafetyRefusal = Extract<SafetyVerdict, { verdict: 'deny' }>;

/** A call that an agent has made before, in the order of their results. */
export interface EarlierCall {
  readonly tool: string;
  readonly input: Json;
  /** False for one that failed or was denied. */
  readonly ok: boolean;
  /** The result as the model was shown it. */
  readonly text?: string | undefined;
}

/** A tool call that an agent decided on, as a safety strategy sees it: nothing of it has been executed yet. */
export interface ProposedCall {
  readonly callId: string;
  readonly runId: string;
  /** Address of the calling agent: `desk/researcher-1`. */
  readonly path: string;
  readonly agent: string;
  readonly step: number;
  /** With the name of its toolset: `files.read`. */
  readonly tool: string;
  /** The tool's own facts: its safety level (`write` where it declares none), its tags … */
  readonly facts: ToolFacts;
  /** As decided: not yet validated by the tool's schema. */
  readonly input: Json;
  /** The run's `context`. */
  readonly context: unknown;
  /** The recorded time of the step, in ms since 1970 by the run's clock: equal when the run is resumed. */
  readonly at: number;
  /** The name of the agent's environment; undefined without one. Read on access. */
  readonly environment: string | undefined;
  /** The agents and teams above the calling agent, the root first. */
  readonly above: readonly string[];
  /** The calls of the agent in this run that have a result, those of this step included. Made on first use. */
  readonly earlier: readonly EarlierCall[];
  /**
   * Origins of what the agent has read: tools that it or another agent of the run called, whose results came to it through messages, answers,
   * tasks, threads or memories; `memory` and `observation` for what was recalled and observed; and those that callers name. For rules of a policy; else empty.
   */
  readonly origins: readonly string[];
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
export interface SafetyStrategy {
  (call: ProposedCall): SafetyVerdict | Promise<SafetyVerdict>;
  /** Keeps the `origins` of calls; a policy has it where a rule may ask for them. Without it they are empty. */
  readonly keepOrigins?: OriginKeeper | undefined;
  /** Judges what is about to happen by all that has happened in the run; a policy has it where it has properties. */
  readonly guard?: RunGuard | undefined;
}

/**
 * Judges an event that is about to happen: a call of a tool that starts, a model that is asked. A denial keeps it from happening. It is
 * synchronous, so that of two calls at once the second is judged by the first.
 */
export type RunGuard = (
  next: EventBody,
  speaker: { readonly path: string; readonly agent: string },
  step: number,
  log: { readonly length: number; at(index: number): RuntimeEvent | undefined },
) => SafetyRefusal | undefined;
