import * as z from 'zod';
import { eventShape } from '../../contracts/event-shape.ts';

const { json, text } = eventShape();

/** What every publication tells, beside its own. */
const base = {
  /** From 1, without gaps but for what was given up; with `runId`, what tells a publication from one that is repeated. */
  seq: z.number().int().positive(),
  /** By the run's clock, ms since 1970. */
  at: z.number(),
  runId: text,
  /** Where the actor sits: `desk/researcher-1`. */
  path: text,
  agent: text,
};

/**
 * Everything that is published, as one schema: seven kinds, of which none knows what it travels by.
 *
 * `content` holds all that a model has said so far in one call (`key`), so the newest of a key is worth all before it; an empty one takes
 * back what was said.
 */
export const publicationSchema = z.discriminatedUnion('type', [
  z.object({ ...base, type: z.literal('content'), key: text, text, isComplete: z.boolean() }),
  z.object({ ...base, type: z.literal('tool.started'), callId: text, tool: text, description: text }),
  z.object({
    ...base,
    type: z.literal('tool.finished'),
    callId: text,
    tool: text,
    ok: z.boolean(),
    text,
    /** That of the error, where it failed: the same as in events, results and logs. */
    errorId: text.optional(),
  }),
  z.object({ ...base, type: z.literal('typing'), isTyping: z.boolean() }),
  z.object({ ...base, type: z.literal('error'), code: text, message: text, errorId: text.optional() }),
  z.object({
    ...base,
    type: z.literal('completion'),
    status: z.enum(['completed', 'stopped', 'aborted', 'failed']),
    reason: text,
    output: json.optional(),
  }),
  z.object({ ...base, type: z.literal('custom'), name: text, data: json }),
]);

/** One thing that is published of a run; see {@link publicationSchema}. */
export type Publication = z.infer<typeof publicationSchema>;

/** The kinds of publications. */
export type PublicationKind = Publication['type'];

type WithoutNumber<P> = P extends Publication ? Omit<P, 'seq'> : never;

/** A publication before it has its number. */
export type Draft = WithoutNumber<Publication>;
