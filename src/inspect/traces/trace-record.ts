import * as z from 'zod';
import { runtimeEventSchema } from '../../contracts/events/event.ts';
import type { Json, JsonSchema } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { logHeadSchema } from '../../persistence/run-log.ts';

/**
 * A record that only traces have: a writer opens or continues it, or closes it. All others are records of a journal,
 * of the kind `event`.
 */
const traceNoteSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('opened'),
    at: z.number(),
    /** The process that writes, as `HOST:PID:NONCE`, and what it runs on. */
    holder: z.string(),
    node: z.string(),
    platform: z.string(),
  }),
  z.object({
    kind: z.literal('closed'),
    at: z.number(),
    /** The counts of what is missing: events, as the file was full or its disk too slow, and the ends of long texts. */
    left: z.object({ events: z.number(), cut: z.number() }),
    /** The error that kept it from being written whole. */
    trouble: z.string().optional(),
  }),
]);

/** See {@link traceNoteSchema}. */
export type TraceNote = z.infer<typeof traceNoteSchema>;

/** The note that a record is; undefined for one of another kind. */
export const noteIn = (record: Json): TraceNote | undefined =>
  isJsonObject(record) && record['kind'] !== 'event' ? traceNoteSchema.safeParse(record).data : undefined;

/**
 * The lines of a trace as JSON Schema, for readers in another language: the first is a head, each other a row
 * `{ v, n, records, check }`, whose records are notes of its writers, or `{ kind: 'event', event }`.
 *
 * The `v` and the `runId` of an event are those of the head, and left out. What is checked by code (the record of a step within an event) is
 * any value there.
 *
 * @example
 * traceJsonSchemas().head // => { $schema: 'https://json-schema.org/draft/2020-12/schema', oneOf: [ … ] }
 */
export const traceJsonSchemas = (): Readonly<Record<'head' | 'note' | 'event', JsonSchema>> => ({
  head: asJsonSchema(logHeadSchema),
  note: asJsonSchema(traceNoteSchema),
  event: asJsonSchema(runtimeEventSchema),
});

/** Extra keys are let through: a later version may add some. */
const asJsonSchema = (schema: z.ZodType): JsonSchema => {
  const found = toJson(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }));
  return isJsonObject(found) ? found : {};
};
