import * as z from 'zod';
import { onDemand } from '../../base/on-demand.ts';

/** Schema of a run's totals, as in its last event. */
export const totalsSchema = onDemand(() => {
  const count = z.number().int().nonnegative();
  return z.object({
    steps: count,
    modelCalls: count,
    toolCalls: count,
    inputTokens: count,
    outputTokens: count,
    cachedTokens: count,
    retries: count,
    durationMs: z.number(),
    costUsd: z.number().nonnegative().optional(),
    billedUsd: z.number().nonnegative().optional(),
    unpriced: z.array(z.string()).readonly().optional(),
    estimated: count.optional(),
  });
});
