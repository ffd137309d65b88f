import * as z from 'zod';
import type { ModelAnswer, ModelSettings, OutputSpec, ToolChoice } from './model.ts';
import type { Json } from '../../base/json/json.ts';
import { onDemand } from '../../base/on-demand.ts';
import type { ToolSpec } from '../tools/tool-call.ts';
import type { Turn } from '../conversations/transcript.ts';

/**
 * The exact request of one model call, as the difference to an earlier request of the same agent.
 *
 * Turns of an agent's conversation are numbered from 0 in the order in which they were first sent. Instructions, tools
 * and schemas are written where they change: in full once, with the SHA-256 of their canonical JSON, and by that hash
 * when they recur.
 */
export interface SentRequest {
  /** True for the first request of the agent in a process: numbering restarts. */
  readonly isFirst?: true | undefined;
  /** Absent where they are those of the request before. */
  readonly instructions?: { readonly hash: string; readonly text?: string | undefined } | undefined;
  /** Absent where they are those of the request before. */
  readonly tools?: { readonly hash: string; readonly specs?: readonly ToolSpec[] | undefined } | undefined;
  /** Absent without a schema. */
  readonly output?: { readonly hash: string; readonly spec?: OutputSpec | undefined } | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly settings?: ModelSettings | undefined;
  /** The conversation that was sent, in order: numbers of turns, each pair from the first to the last of them. */
  readonly turns: readonly (readonly [from: number, to: number])[];
  /** The turns that were never sent before: they have the next numbers. */
  readonly added: readonly Turn[];
}

/** The parts of a model's answer that its event leaves out, unchanged. */
export type RawAnswer = Pick<ModelAnswer, 'calls' | 'media' | 'refusal' | 'replay' | 'metadata'>;

/** The source of what models were sent in a run, by the key of the call: its own book, or its journal. */
export interface SentSource {
  requestOf(key: string): SentRequest | undefined;
  answerOf(key: string): RawAnswer | undefined;
  /** The input of the member at an address, which no event has; a journal has it by other records. */
  inputOf?(path: string): Json | undefined;
  /** The output of the member at an address, if it has ended with one. */
  outputOf?(path: string): Json | undefined;
}

const sentSchema = onDemand(() => {
  const count = z.number().int().nonnegative();
  const text = z.string();
  return z.object({
    isFirst: z.literal(true).optional(),
    instructions: z.object({ hash: text, text: text.optional() }).optional(),
    tools: z.object({ hash: text, specs: z.array(z.looseObject({ name: text })).optional() }).optional(),
    output: z.object({ hash: text, spec: z.looseObject({}).optional() }).optional(),
    toolChoice: z.unknown().optional(),
    settings: z.looseObject({}).optional(),
    turns: z.array(z.tuple([count, count])),
    added: z.array(z.looseObject({ role: text })),
  });
});

const rawSchema = onDemand(() => z.looseObject({ calls: z.array(z.looseObject({ name: z.string() })) }));

/** Schema of the request of an event. */
export const sentRequestSchema = /* @__PURE__ */ z.custom<SentRequest>(
  (value) => sentSchema().safeParse(value).success,
);

/** Schema of the raw answer of an event. */
export const rawAnswerSchema = /* @__PURE__ */ z.custom<RawAnswer>(
  (value) => rawSchema().safeParse(value).success,
);
