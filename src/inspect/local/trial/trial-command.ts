import * as z from 'zod';

/** The time in ms after which an answer is waited for no longer. */
export const TIME_MS = 60_000;
const MOST_MS = 600_000;

const name = z.string().min(1).max(2_000);
const text = z.string();

/** The commands about a model call that is made again: its form, and the call. Strict: by a misspelt edit the same would be asked. */
export const trialSchemas = [
  z.strictObject({ do: z.literal('again-form'), run: name, key: name }),
  z.strictObject({
    do: z.literal('again'),
    run: name,
    key: name,
    /** `provider:model`. Default: the one that was asked. */
    model: name.optional(),
    instructions: text.optional(),
    /** In place of the last message of a user. */
    message: text.refine((value) => value.trim() !== '', 'it is empty: write a message').optional(),
    timeMs: z.number().int().min(1).max(MOST_MS).optional(),
  }),
] as const;

/** The call that is to be made again. */
export type CallNamed = Pick<z.infer<(typeof trialSchemas)[1]>, 'run' | 'key'>;

/** A model call that is made again, with what is edited in it. */
export type TrialCommand = z.infer<(typeof trialSchemas)[1]>;
