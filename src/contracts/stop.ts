import type { BudgetSpent, BudgetUse } from './budget.ts';
import type { Json } from './json.ts';
import type { ToolResult } from './tool.ts';
import type { TakenDecision } from './decision.ts';

/**
 * Why a run ended: data, not an error; one word per meaning.
 *
 * CHECK_STOP asks in this order, and the first that has a reason ends the run: what ended it already (a handoff, a refusal, a
 * critic, a failure), the final answer, the agent's own `shouldStop`, the environment's terminal signal, the budgets,
 * the stop rules in the order given (steps, calls and tokens at `>=`, time at `>`), a loop. Only `answered` is a success; at any other end an
 * answer that was not accepted stands in `candidate`.
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
  /** The same steps, with the same results, again and again. */
  | {
      readonly kind: 'loop';
      /** Steps of one round. */
      readonly period: number;
      readonly repeats: number;
      /** The tools of the last step. */
      readonly tools: readonly string[];
    }
  /** So many steps in a row changed nothing. */
  | { readonly kind: 'stagnation'; readonly steps: number }
  /** Something was done, or failed, too often. */
  | {
      readonly kind: 'softCap';
      readonly cap: string;
      readonly limit: number;
      /** What it was done to, where that is counted apart. */
      readonly key?: string | undefined;
      readonly detail: string;
    }
  /** The answer was sent back, and what was missing did not come. */
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

/** Checks whether `kind` is one of the reasons that there are: rules come from anywhere, and their reasons are read by many. */
export const isStopKind = (kind: unknown): kind is StopReason['kind'] =>
  typeof kind === 'string' && Object.hasOwn(kinds, kind);

/** What a run has used so far. */
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
  /** When the envelope under way came in: the only clock that a rule sees. */
  readonly now: number;
  /** The part of each budget that is used, as of the last answer; absent where there is no budget. */
  readonly budget?: BudgetUse | undefined;
}

/** Nothing used yet, at the start. */
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

/** What a stop rule sees at CHECK_STOP. */
export interface StopView {
  /** Steps completed. */
  readonly step: number;
  readonly state: Json;
  readonly tally: Tally;
  readonly decision: TakenDecision | undefined;
  readonly results: readonly ToolResult[];
}

/** A limit on time that holds whatever is under way. */
export interface Deadline {
  /** In ms since the agent started; past it (`>`) the agent ends. */
  readonly afterMs: number;
  /** What it ends with. */
  readonly reason: StopReason;
}

/** One reason to stop; compose them with `anyOf` and `allOf`. Synchronous and pure. */
export interface StopRule {
  readonly name: string;
  /** True if it ends every run after some number of steps: then an agent needs no other limit. Default false. */
  readonly limitsSteps?: boolean | undefined;
  /** Ends the agent at that time, also in the midst of a step: what is under way is aborted. Default: none, it is looked at after steps. */
  readonly deadline?: Deadline | undefined;
  /** `memory` is what `remember` gave just before. */
  check(view: StopView, memory?: Json): StopReason | undefined;
  /**
   * What it keeps from one CHECK_STOP to the next, from what it kept: plain JSON that must not grow with the run. What is
   * none ends the run as failed. What it kept is frozen.
   */
  remember?(view: StopView, memory: Json | undefined): Json;
  /**
   * How much of its limit is used, from 0; 1 where the step to come is the last. An agent that wraps up (`wrapUp`) goes
   * by the rule that is nearest to its limit.
   */
  pressure?(view: StopView, memory?: Json): number;
  /** Said to the model before the next step. */
  warn?(view: StopView, memory?: Json): string | undefined;
}
