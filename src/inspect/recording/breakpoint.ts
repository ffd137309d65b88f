import { z } from 'zod';

const text = z.string().min(1).max(1_000);
const limit = z.number().nonnegative();
/** Whose: an actor by its name, its address or its id. */
const actor = text.optional();

/** Reads what somebody wants to stop at. */
export const breakpointSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('state'), state: text, actor }),
  z.strictObject({ kind: z.literal('event'), event: text, actor }),
  z.strictObject({ kind: z.literal('arrow'), arrow: text, actor }),
  z.strictObject({ kind: z.literal('actor'), actor: text }),
  z.strictObject({ kind: z.literal('cost'), usd: limit }),
  z.strictObject({ kind: z.literal('tokens'), tokens: limit }),
]);

/**
 * Where a run is to be paused: when a state is entered (by its id, or the last part of it), an event of that type is told or
 * received, an arrow is taken (by its id, or the name of its guard), an actor comes, or the run has used more than so many US
 * dollars or tokens (input and output), each once.
 *
 * With `actor`, only where it is about that one: by its name, its address, or its id.
 */
export type Breakpoint = z.infer<typeof breakpointSchema>;
