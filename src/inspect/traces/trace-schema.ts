import * as z from 'zod';
import { EVENT_VERSION, runtimeEventSchema } from '../../contracts/events/event.ts';
import { eventShape } from '../../contracts/events/event-shape.ts';
import { errorSchema } from '../../contracts/errors/error-schema.ts';
import type { JsonSchema } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { totalsSchema } from '../../contracts/events/totals-schema.ts';

/** The version of every trace written by this release; readers refuse what they do not know. */
export const TRACE_VERSION = 1;

/** How a run of a trace stands: as it ended, or that it goes on, or that its process was gone before its end. */
export const traceStatuses = ['running', 'completed', 'stopped', 'aborted', 'failed', 'interrupted'] as const;

/** See {@link traceStatuses}. */
export type TraceStatus = (typeof traceStatuses)[number];

const { count, json, stopReason, text } = eventShape();

const file = z.object({ name: text, bytes: count, lines: count, sha256: text });

/** What one file of a trace held when its manifest was written. */
export type TraceFile = z.infer<typeof file>;

/**
 * What `manifest.json` of a trace says: what was run, how it stands, what it took, and what the files beside it hold.
 *
 * @example
 * traceManifestSchema.parse(JSON.parse(await readFile('traces/r1/manifest.json', 'utf8'))).status // => 'completed'
 */
export const traceManifestSchema = z.object({
  v: z.literal(TRACE_VERSION),
  eventVersion: z.literal(EVENT_VERSION),
  runId: text,
  agent: text,
  status: z.enum(traceStatuses),
  input: json.optional(),
  task: json.optional(),
  model: text.optional(),
  isLanguageModel: z.boolean().optional(),
  /** Times are ms since 1970, by the run's clock. */
  startedAt: z.number(),
  /** Of the last event that is told of here. */
  updatedAt: z.number(),
  endedAt: z.number().optional(),
  /** Why the run ended: a budget that is spent is no success, and no failure. */
  stopReason: stopReason.optional(),
  output: json.optional(),
  autoCompleted: z.literal(true).optional(),
  error: errorSchema().optional(),
  /** What failed in the run, with what was done about it. */
  report: json.optional(),
  /** As the run's last event has it; counted from the events until then. */
  totals: totalsSchema(),
  counts: z.object({
    events: count,
    steps: count,
    agents: count,
    /** Events that tell of an error. */
    errors: count,
    byType: z.record(text, count),
  }),
  /** What is not in the files, and why. */
  left: z.object({
    /** Events that were not written, as the trace was full or its disk too slow. */
    events: count,
    /** Texts that were cut, as they were too long. */
    cut: count,
  }),
  /** What kept the trace from being written whole. */
  trouble: text.optional(),
  files: z.object({ events: file, steps: file }),
  /** The process that wrote it, as `HOST:PID:NONCE`, and what it ran on. */
  writer: z.object({ holder: text, node: text, platform: text }),
  /** What the caller said of the run, and its hash: equal facts, equal hashes. */
  facts: z.record(text, json).optional(),
  factsHash: text.optional(),
});

/** See {@link traceManifestSchema}. */
export type TraceManifest = z.infer<typeof traceManifestSchema>;

/** One line of `steps.jsonl`: what an agent saw, decided and did in one step, and what its models took. */
export const traceStepSchema = z.object({
  v: z.literal(TRACE_VERSION),
  path: text,
  agent: text,
  /** From 0, within its agent. */
  step: count,
  startedAt: z.number(),
  endedAt: z.number(),
  observation: json.optional(),
  decision: z.looseObject({ kind: text }).optional(),
  branch: json.optional(),
  results: z.array(z.looseObject({ tool: text, callId: text, ok: z.boolean(), text })),
  critiques: z.array(z.looseObject({ critic: text, verdict: text })),
  diff: z.record(text, json),
  modelCalls: count,
  /** In and out, of all models. */
  tokens: count,
  /** In US dollars; absent where the price of a call is not known. */
  costUsd: z.number().optional(),
  /** The event that ended it. */
  seq: count,
});

/** See {@link traceStepSchema}. */
export type TraceStep = z.infer<typeof traceStepSchema>;

/**
 * The three formats of a trace as JSON Schema, for whoever reads traces in another language.
 *
 * What is checked by code (the record of a step within an event) is any value there.
 *
 * @example
 * traceJsonSchemas().manifest // => { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', … }
 */
export const traceJsonSchemas = (): Readonly<Record<'manifest' | 'step' | 'event', JsonSchema>> => ({
  manifest: asJsonSchema(traceManifestSchema),
  step: asJsonSchema(traceStepSchema),
  event: asJsonSchema(runtimeEventSchema),
});

/** Extra keys are let through: a later version may add some. */
const asJsonSchema = (schema: z.ZodType): JsonSchema => {
  const found = toJson(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }));
  return isJsonObject(found) ? found : {};
};
