import * as z from 'zod';
import type { Json } from './json.ts';
import { onDemand } from './on-demand.ts';

/** What events tell of requests to people, beside who and when; see `OpenRequest`. */
export const aboutPerson = onDemand(() => {
  const json: z.ZodType<Json> = z.json();
  const text = z.string();
  const call = { callId: text, tool: text };
  const request = { id: text, expiresAt: z.number().optional() };
  return {
    call: { ...call, ...request, input: json, description: text },
    approved: {
      ...call,
      id: text,
      /** The arguments that the call is made with, where a person changed them, and their SHA-256. */
      input: json.optional(),
      hash: text.optional(),
    },
    /** Without an `id` nobody was asked. */
    denied: { ...call, id: text.optional(), reason: text.optional() },
    question: { ...request, question: text, callId: text.optional() },
    answered: { id: text, text },
    /** Nobody waits for an answer any more. */
    withdrawn: { id: text, reason: text },
    /** Somebody answered what was not asked, or not like that: nothing came of it. */
    refused: { id: text.optional(), reason: text },
  };
});
