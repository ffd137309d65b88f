import type { BudgetSpent } from '../runs/budget.ts';

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
