import * as z from 'zod';
import type { Json } from '../../base/json/json.ts';
import type { ErrorCause, ErrorData } from './error-data.ts';
import { errorCodes } from './error-data.ts';
import { onDemand } from '../../base/on-demand.ts';

/** Tokens of one call, where they are read back. */
export const usageSchema = onDemand(() => {
  const count = z.number().int().nonnegative();
  return z.object({
    input: count,
    output: count,
    cached: count.optional(),
    stored: count.optional(),
    reasoning: count.optional(),
    webSearches: count.optional(),
    fileSearches: count.optional(),
    billedUsd: z.number().nonnegative().optional(),
    isEstimate: z.boolean().optional(),
  });
});

/** An error as data, where it is read back. */
export const errorSchema = onDemand(() => {
  const json: z.ZodType<Json> = z.json();
  const text = z.string();
  const cause: z.ZodType<ErrorCause> = z.lazy(() =>
    z.object({ name: text, message: text, cause: cause.optional() }),
  );
  return z.object({
    code: z.enum(errorCodes),
    message: text,
    retryable: z.enum(['yes', 'maybe', 'no']),
    retryAfterMs: z.number().optional(),
    status: z.number().optional(),
    runId: text.optional(),
    path: text.optional(),
    phase: text.optional(),
    step: z.number().optional(),
    operation: text.optional(),
    tool: text.optional(),
    errorId: text.optional(),
    cause: cause.optional(),
    spent: usageSchema().optional(),
    details: json.optional(),
  }) satisfies z.ZodType<ErrorData>;
});
