import * as z from 'zod';
import { eventShape } from '../../contracts/events/event-shape.ts';

const { json, text } = eventShape();

/** Fields of every publication. */
const base = {
  /** From 1, without gaps except for dropped ones; together with `runId` it identifies a repeated publication. */
  seq: z.number().int().positive(),
  /** By the run's clock, ms since 1970. */
  at: z.number(),
  runId: text,
  /** Address of the actor: `desk/researcher-1`. */
  path: text,
  agent: text,
};

/**
 * The schema of publications: seven kinds, independent of the transport.
 *
 * `content` contains a model's whole text so far in one call (`key`), so the newest of a key replaces earlier ones; an
 * empty one revokes the text.
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
    /** Id of the error, if it failed: the same as in events, results and logs. */
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

/** A publication of a run; see {@link publicationSchema}. */
export type Publication = z.infer<typeof publicationSchema>;

/** The kinds of publications. */
export type PublicationKind = Publication['type'];

type WithoutNumber<P> = P extends Publication ? Omit<P, 'seq'> : never;

/** A publication before it has its number. */
export type Draft = WithoutNumber<Publication>;
