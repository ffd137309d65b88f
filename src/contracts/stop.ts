import type { Json } from './json.ts';
import type { ToolResult } from './tool.ts';
import type { Decision } from './decision.ts';

/** Why a run ended: data, not an error; one word per meaning. */
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
  | { readonly kind: 'rule'; readonly rule: string; readonly detail: string }
  | { readonly kind: 'aborted'; readonly reason: string }
  | { readonly kind: 'failed' };

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
  readonly decision: Decision | undefined;
  readonly results: readonly ToolResult[];
}

/** One reason to stop; compose them with `anyOf` and `allOf`. Synchronous and pure. */
export interface StopRule {
  readonly name: string;
  /** Whether it ends every run after some number of steps: then an agent needs no other limit. Default false. */
  readonly limitsSteps?: boolean | undefined;
  check(view: StopView): StopReason | undefined;
}
