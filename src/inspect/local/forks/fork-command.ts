import * as z from 'zod';
import type { Json } from '../../../base/json/json.ts';

const name = z.string().min(1).max(2_000);
const text = z.string().max(100_000);
const count = z.number().int().nonnegative();
const json: z.ZodType<Json> = z.json();

/** The calls of an answer that is changed. */
export const callsSchema = z.array(z.strictObject({ name, input: json })).max(100);

/** The commands about a fork: what may be changed at an event or of a state, and the fork. Strict: by a misspelt change the fork would do what the run did. */
export const forkSchemas = [
  z.strictObject({ do: z.literal('change-form'), run: name, seq: count }),
  /** The state of an agent as a step of it begins. */
  z.strictObject({ do: z.literal('state-form'), run: name, path: name, step: count }),
  z.strictObject({
    do: z.literal('fork'),
    run: name,
    /** A place in its recording, a step of its root, or an event. Default: where it is. */
    at: z.union([count, z.strictObject({ step: count }), z.strictObject({ seq: count })]).optional(),
    message: text.optional(),
    /** `provider:model`, or one of the models of its agents; of the whole fork. */
    model: name.optional(),
    /** In place of the text of the event that is named. */
    text: text.optional(),
    /** In place of the calls of the model's answer that is named. */
    calls: callsSchema.optional(),
    /** In place of the state of the agent at the point. */
    state: json.optional(),
    /** The person who forks it. */
    by: name.optional(),
  }),
] as const;

/** The event that is to be changed. */
export type ChangeNamed = z.infer<(typeof forkSchemas)[0]>;

/** The state that is to be changed. */
export type StateNamed = z.infer<(typeof forkSchemas)[1]>;

/** A fork, with what it does otherwise. */
export type ForkCommand = z.infer<(typeof forkSchemas)[2]>;
