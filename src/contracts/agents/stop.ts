import type { BudgetSpent, BudgetUse } from '../runs/budget.ts';
import type { Json } from '../../base/json/json.ts';
import type { ToolResult } from '../tools/tool.ts';
import type { TakenDecision } from './decision.ts';

/**
 * The reason why a run ended: data, not an error; one kind per meaning.
 *
 * CHECK_STOP evaluates in this order, and the first reason ends the run: an end that is already decided (a handoff, a
 * refusal, a critic, a failure), the final answer, the agent's own `shouldStop`, the environment's terminal signal, the
 * budgets, the stop rules in the order given (steps, calls and tokens at `>=`, time at `>`), a loop. Only `answered` is
 * a success; otherwise an unaccepted answer is in `candidate`.
 */
export type StopReason =
  | { readonly kind: 'answered' }
  | { readonly kind: 'handedOff'; readonly to: string; readonly message?: string | undefined }
  | { readonly kind: 'rejected'; readonly note: string; readonly rejections: number }
  | { readonly kind: 'criticStopped'; readonly note: string }
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'agentCondition'; readonly detail: string }
  | { readonly kind: 'environmentEnded'; readonly environment: string; readonly detail: string }
  | { readonly kind: 'maxSteps'; readonly limit: number }
  | { readonly kind: 'maxTime'; readonly limitMs: number }
  | { readonly kind: 'maxTokens'; readonly limit: number }
  | { readonly kind: 'maxToolCalls'; readonly limit: number }
  | { readonly kind: 'maxRounds'; readonly limit: number }
  /** The same steps were repeated with the same results. */
  | {
      readonly kind: 'loop';
      /** Steps of one round. */
      readonly period: number;
      readonly repeats: number;
      /** The tools of the last step. */
      readonly tools: readonly string[];
    }
  /** A number of consecutive steps changed nothing. */
  | { readonly kind: 'stagnation'; readonly steps: number }
  /** Something was done, or failed, too often. */
  | {
      readonly kind: 'softCap';
      readonly cap: string;
      readonly limit: number;
      /** The object it was done to, where that is counted separately. */
      readonly key?: string | undefined;
      readonly detail: string;
    }
  /** The answer was sent back, and the missing part was not supplied. */
  | { readonly kind: 'unresolved'; readonly by: string; readonly note: string; readonly times: number }
  | BudgetSpent
  | { readonly kind: 'rule'; readonly rule: string; readonly detail: string }
  | { readonly kind: 'aborted'; readonly reason: string }
  | { readonly kind: 'failed' };

const kinds: Readonly<Record<StopReason['kind'], true>> = {
  answered: true,
  handedOff: true,
  rejected: true,
  criticStopped: true,
  refused: true,
  agentCondition: true,
  environmentEnded: true,
  maxSteps: true,
  maxTime: true,
  maxTokens: true,
  maxToolCalls: true,
  maxRounds: true,
  loop: true,
  stagnation: true,
  softCap: true,
  unresolved: true,
  budget: true,
  rule: true,
  aborted: true,
  failed: true,
};

/**
 * Checks whether `kind` is a known kind of stop reason: rules may come from anywhere, and many readers rely on their
 * reasons.
 */
export const isStopKind = (kind: unknown): kind is StopReason['kind'] =>
  typeof kind === 'string' && Object.hasOwn(kinds, kind);

/** Resources used by a run so far. */
export interface Tally {
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  /** Attempts beyond the first, of models and tools. */
  readonly retries: number;
  /** By the run's clock, ms since 1970. */
  readonly startedAt: number;
  /** Time of the current envelope: the only clock that a rule sees. */
  readonly now: number;
  /** The used part of each budget, as of the last answer; absent without a budget. */
  readonly budget?: BudgetUse | undefined;
}

/** Returns an empty tally for the start of a run. */
export const emptyTally = (at: number): Tally => ({
  modelCalls: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  retries: 0,
  startedAt: at,
  now: at,
});

/** A run, as a stop rule sees it at CHECK_STOP. */
export interface StopView {
  /** Steps completed. */
  readonly step: number;
  readonly state: Json;
  readonly tally: Tally;
  readonly decision: TakenDecision | undefined;
  readonly results: readonly ToolResult[];
}

/** A time limit that holds even while work is in flight. */
export interface Deadline {
  /** In ms since the agent started; past it (`>`) the agent ends. */
  readonly afterMs: number;
  /** The stop reason on expiry. */
  readonly reason: StopReason;
}

/** One reason to stop; compose them with `anyOf` and `allOf`. Synchronous and pure. */
export interface StopRule {
  readonly name: string;
  /** True if it ends every run after some number of steps: then an agent needs no other limit. Default false. */
  readonly limitsSteps?: boolean | undefined;
  /**
   * Ends the agent at that time, even within a step: work in flight is aborted. Default: none, the rule is evaluated
   * after steps.
   */
  readonly deadline?: Deadline | undefined;
  /** `memory` is what `remember` gave just before. */
  check(view: StopView, memory?: Json): StopReason | undefined;
  /**
   * Returns the rule's memory for the next CHECK_STOP, from its last one: plain JSON that must not grow with the run.
   * Anything else fails the run. The memory is frozen.
   */
  remember?(view: StopView, memory: Json | undefined): Json;
  /**
   * Returns the used fraction of its limit, from 0; 1 if the coming step is the last. An agent that wraps up (`limits.wrapUp`)
   * follows the rule nearest to its limit.
   */
  pressure?(view: StopView, memory?: Json): number;
  /** Returns a warning that is sent to the model before the next step. */
  warn?(view: StopView, memory?: Json): string | undefined;
}
