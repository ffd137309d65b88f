import * as z from 'zod';

const count = z.number().int().nonnegative();

/** What a run used, as its last event tells it. */
export const totalsSchema = z.object({
  steps: count,
  modelCalls: count,
  toolCalls: count,
  inputTokens: count,
  outputTokens: count,
  cachedTokens: count,
  retries: count,
  durationMs: z.number(),
  costUsd: z.number().nonnegative().optional(),
  unpriced: z.array(z.string()).readonly().optional(),
  estimated: count.optional(),
});
