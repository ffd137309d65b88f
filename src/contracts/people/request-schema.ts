import * as z from 'zod';
import type { Json } from '../../base/json/json.ts';
import { errorSchema } from '../errors/error-schema.ts';
import { onDemand } from '../../base/on-demand.ts';

/** Fields of events about requests to people, beside those that say who and when; see `OpenRequest`. */
export const aboutPerson = onDemand(() => {
  const json: z.ZodType<Json> = z.json();
  const text = z.string();
  const error = errorSchema();
  const call = { callId: text, tool: text };
  const request = { id: text, expiresAt: z.number().optional() };
  return {
    call: { ...call, ...request, input: json, description: text, error: error.optional() },
    approved: {
      ...call,
      id: text,
      /** The arguments that the call is made with, where a person changed them, and their SHA-256. */
      input: json.optional(),
      hash: text.optional(),
    },
    /** Without an `id` nobody was asked. */
    denied: { ...call, id: text.optional(), reason: text.optional(), error: error.optional() },
    question: { ...request, question: text, callId: text.optional() },
    answered: { id: text, text },
    /** The answer is no longer needed. */
    withdrawn: { id: text, reason: text, error: error.optional() },
    /** An answer to an unknown request, or of the wrong form: it was ignored. */
    refused: { id: text.optional(), reason: text },
  };
});
