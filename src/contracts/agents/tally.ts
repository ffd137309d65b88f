import type { BudgetUse } from '../runs/budget.ts';

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
