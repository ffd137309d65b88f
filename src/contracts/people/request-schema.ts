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
  const approver = z.object({ name: text, roles: z.array(text).optional() });
  const by = approver.optional();
  const own = {
    rule: text.optional(),
    reason: text.optional(),
    by: text.optional(),
    approvals: z.number().optional(),
    expireAfterMs: z.number().optional(),
  };
  const terms = { ...own, also: z.array(z.looseObject(own)).optional() };
  const request = { id: text, expiresAt: z.number().optional() };
  return {
    call: { ...call, ...request, ...terms, input: json, description: text, error: error.optional() },
    /** One of several people has approved it. */
    given: { ...call, id: text, by: approver },
    approved: {
      ...call,
      id: text,
      /** The arguments that the call is made with, where a person changed them, and their SHA-256. */
      input: json.optional(),
      hash: text.optional(),
      by,
    },
    /** Without an `id` nobody was asked. */
    denied: {
      ...call,
      id: text.optional(),
      reason: text.optional(),
      error: error.optional(),
      rule: text.optional(),
      by,
    },
    question: { ...request, question: text, callId: text.optional() },
    answered: { id: text, text },
    /** The answer is no longer needed. */
    withdrawn: { id: text, reason: text, error: error.optional() },
    /** An answer to an unknown request, or of the wrong form: it was ignored. */
    refused: { id: text.optional(), reason: text, by },
  };
});
