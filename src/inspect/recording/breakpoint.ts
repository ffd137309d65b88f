import * as z from 'zod';

const text = z.string().min(1).max(1_000);
/** The actor, by its name, its address or its id. */
const actor = text.optional();

/** Parses a breakpoint. */
export const breakpointSchema = z.union([
  z.strictObject({ kind: z.enum(['state', 'event', 'guard', 'arrow', 'actor']), value: text, actor }),
  z.strictObject({ kind: z.enum(['cost', 'tokens']), value: z.number().nonnegative() }),
]);

/**
 * A condition at which a run is paused: a state is entered (by its id, or the last part of it), an event of that type is published or
 * received, an arrow is taken (by its id, or by the name of its guard), an actor comes (by its name, its address, or its id), or the run has
 * used more than that number of US dollars or tokens (input and output), each once.
 *
 * With `actor`, only entries about that one count.
 */
export type Breakpoint = z.infer<typeof breakpointSchema>;
