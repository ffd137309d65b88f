import type { RunTotals } from '../runs/run-totals.ts';

/** The totals of a run before it starts. */
export const noTotals: RunTotals = {
  steps: 0,
  modelCalls: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  retries: 0,
  durationMs: 0,
  costUsd: 0,
};
