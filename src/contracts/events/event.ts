import * as z from 'zod';
import { coordinationEvents } from './coordination-event.ts';
import type { CritiquePatch } from '../agents/critique.ts';
import type { BranchTaken } from '../agents/decision.ts';
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { StepRecord } from '../runs/step-record.ts';
import type { ModelDelta } from '../models/model.ts';
import { onDemand } from '../../base/on-demand.ts';
import type { FailureReport } from '../agents/recovery.ts';
import { budgetKinds } from '../runs/budget.ts';
import type { EVENT_VERSION } from './event-version.ts';
import { eventShape } from './event-shape.ts';
import { errorSchema, usageSchema } from '../errors/error-schema.ts';
import { aboutPerson } from '../people/request-schema.ts';
import type { SentSource } from '../models/sent-request.ts';
import { rawAnswerSchema, sentRequestSchema } from '../models/sent-request.ts';
import { schemaOnDemand } from '../../base/schemas/schema-on-demand.ts';
import type { RuntimeEvent } from './runtime-event.ts';
import { taskSchema } from '../tasks/task.ts';
import { totalsSchema } from './totals-schema.ts';

export type { RuntimeEvent };

/** Creates a predicate from a schema that is built on first use. */
const predicateOf = (make: () => z.ZodType): ((value: unknown) => boolean) => {
  const schema = onDemand(make);
  return (value) => schema().safeParse(value).success;
};

/** The schemas of all durable events, by which `runtimeEventSchema` reads them. */
export const durableEventSchema = schemaOnDemand(() => {
  const { base, count, event, json, status, stopReason, text } = eventShape();
  const error = errorSchema();
  const usage = usageSchema();
  const totals = totalsSchema();
  const about = aboutPerson();
  const call = { callId: text, tool: text };
  /** Estimated use of an attempt that did not produce an answer; without a cost if the price is not known. */
  const wasted = { usage: usage.optional(), costUsd: z.number().nonnegative().optional() };
  // The record's parts were validated when they came in; on reading back, only their shape is checked.
  const isStepRecord = predicateOf(() => z.looseObject({ step: count, path: text, agent: text }));
  const isBranch = predicateOf(() =>
    z.object({ candidates: z.array(z.looseObject({})).min(1), chosen: z.array(count).min(1) }),
  );
  const isReport = predicateOf(() =>
    z.object({ failures: z.array(z.looseObject({ code: text, decision: text })), omitted: count }),
  );
  return z.discriminatedUnion('type', [
    event('run.started', {
      input: json,
      /** The tenant of the run, as `by` of its engine names it. */
      tenant: text.optional(),
      /** The task of the run, read and validated; absent if there is none, or an invalid one. */
      task: z.optional(taskSchema),
      model: text.optional(),
      isLanguageModel: z.boolean().optional(),
    }),
    event('run.paused', {}),
    event('run.resumed', {}),
    event('run.ended', {
      status,
      stopReason,
      output: json.optional(),
      /** True if the agent never declared itself done. */
      autoCompleted: z.literal(true).optional(),
      error: error.optional(),
      report: z.custom<FailureReport>(isReport).optional(),
      totals,
    }),

    // Spelled out, as its `phase` is not optional.
    z.object({ ...base, type: z.literal('phase.entered'), phase: text }),
    event('agent.prepared', { problems: z.array(error) }),
    event('agent.observed', { observation: json.optional(), messages: count }),
    event('agent.decided', {
      decision: z.looseObject({ kind: text }),
      branch: z.custom<BranchTaken>(isBranch).optional(),
    }),
    event('agent.acted', { ok: count, failed: count }),
    event('agent.reduced', {
      diff: z.record(text, z.object({ before: json.optional(), after: json.optional() })),
    }),
    event('agent.critiqued', {
      verdict: z.enum(['accept', 'revise', 'stop']),
      note: text.optional(),
      /** The critic's name: the one that objected, or the first. */
      critic: text.optional(),
      /** The combined changes of all critics. */
      patch: z.custom<CritiquePatch>(isJsonObject).optional(),
    }),
    event('agent.checked', { stopReason: stopReason.optional() }),
    event('agent.reminded', { text, times: count }),
    event('agent.auto-completed', { text, times: count }),
    event('loop.warned', { period: count, repeats: count, tools: z.array(text) }),
    event('limit.neared', {
      rule: text,
      /** The fraction of the limit that is used. */
      used: z.number(),
      stage: z.enum(['warned', 'wrappingUp']),
      /** The agent's answer so far, where it was not accepted. */
      partial: text.optional(),
    }),
    event('agent.waiting', { reason: text.optional(), forMs: z.number().optional() }),
    event('step.ended', { record: z.custom<StepRecord>(isStepRecord) }),
    event('recovery.decided', {
      error,
      decision: z.enum(['retry', 'skip', 'replace', 'giveUp']),
      streak: count,
      limit: count,
      note: text.optional(),
    }),
    event('critic.failed', { critic: text, error }),

    event('model.asked', {
      model: text,
      key: text,
      messages: count,
      attempt: count,
      /** The request as sent; kept in recordings and traces, never in the run's own log. */
      request: sentRequestSchema.optional(),
    }),
    event('model.answered', {
      model: text,
      key: text,
      text,
      reasoning: text.optional(),
      calls: count,
      finish: text,
      usage,
      /** In US dollars; absent where the price is not known. */
      costUsd: z.number().nonnegative().optional(),
      durationMs: z.number(),
      /** Answered from an equal call, which took that: the model was not asked. */
      cached: z
        .object({ usage, durationMs: z.number(), costUsd: z.number().nonnegative().optional() })
        .optional(),
      /** Calls of tools that the provider ran itself. */
      providerCalls: z
        .array(z.object({ tool: text, input: json.optional(), problem: text.optional() }))
        .optional(),
      /** Settings that the model does not take, each with the reason; reported once for each run and model. */
      omitted: z.record(text, text).optional(),
      /** The raw answer; kept in recordings and traces, never in the run's own log. */
      raw: rawAnswerSchema.optional(),
    }),
    event('model.retrying', { model: text, attempt: count, waitMs: z.number(), error }),
    /** A stream broke; its text is kept, and the next attempt continues it. */
    event('model.interrupted', { model: text, key: text, text, ...wasted }),
    event('model.discarded', { model: text, key: text, characters: count, ...wasted }),
    event('model.failed', { model: text, key: text, error }),
    event('model.fell-back', { from: text, to: text, error }),
    event('model.swapped', { to: text }),
    /** A text of the model or of a tool was too long for the conversation: the whole is in the blob store, and `read_result` reads it. */
    event('text.spilled', { artifact: text, characters: count, hash: text.optional() }),
    event('session.lost', { strategy: text, reason: text }),

    event('context.warned', { tokens: z.number(), soft: z.number() }),
    event('context.compacted', {
      before: z.number(),
      after: z.number(),
      /** Turns that are left, of all in the conversation. */
      shown: count,
      of: count,
      /** The steps taken beyond the mildest one, in order. */
      rungs: z.array(text),
      isSummarised: z.boolean(),
      /** Cost and author of the summary; without `costUsd` the price is not known. */
      usage: usage.optional(),
      summariser: text.optional(),
      costUsd: z.number().optional(),
    }),
    event('context.summary-failed', { error }),

    event('memory.recalled', { query: text, records: count }),
    event('memory.failed', { memory: text, work: z.enum(['open', 'recall', 'remember', 'release']), error }),

    event('tool.requested', { ...call, input: json }),
    event('tool.approval-requested', about.call),
    event('tool.approval-given', about.given),
    event('tool.ambiguous', about.call),
    event('tool.approved', about.approved),
    event('tool.denied', about.denied),
    event('tool.started', {
      ...call,
      input: json,
      description: text,
      attempt: count,
      synthesised: z.boolean().optional(),
      rule: text.optional(),
    }),
    event('tool.progressed', { ...call, text }),
    event('tool.retrying', { ...call, attempt: count, waitMs: z.number(), error }),
    event('tool.finished', {
      ...call,
      ok: z.boolean(),
      text,
      durationMs: z.number(),
      error: error.optional(),
      artifacts: z.array(text).optional(),
      /** Answered from an equal call of the run: the tool did not run. */
      cached: z.boolean().optional(),
      /** True if the runtime wrote this event because the tool never finished. */
      synthesised: z.boolean().optional(),
    }),
    event('tool.added', {
      tool: text,
      client: z
        .object({
          description: text,
          parameters: z.custom<JsonObject>(isJsonObject).optional(),
          exclusive: z.boolean().optional(),
          expireAfterMs: z.number().optional(),
        })
        .optional(),
    }),
    event('tool.removed', { tool: text }),
    event('tool.deprecated', { tool: text, reason: text, replacedBy: text.optional() }),
    event('toolset.opened', {
      toolset: text,
      hash: text,
      tools: z.record(z.string(), text),
      refused: z.record(z.string(), text).optional(),
    }),
    event('toolset.failed', { toolset: text, error }),

    event('budget.warned', {
      budget: z.enum(budgetKinds),
      limit: z.number(),
      used: z.number(),
      fraction: z.number(),
    }),

    event('person.asked', about.question),
    event('person.answered', about.answered),
    event('request.withdrawn', about.withdrawn),
    event('answer.refused', about.refused),
    ...coordinationEvents(),

    event('observer.failed', {
      observer: text,
      error,
      /** The error that was being reported. */
      about: error.optional(),
    }),
    event('observer.dropped', { observer: text, count }),
    /** A custom event of an app, emitted by a tool or a team; `name` identifies it, as in `shop.ordered`. */
    event('custom.emitted', { name: text, data: json }),
  ]);
});

/** The schema of every durable event: it reads any value as a {@link RuntimeEvent}, or says what is wrong with it. */
export const runtimeEventSchema: z.ZodType<RuntimeEvent> = durableEventSchema;

/** An event that a live observer sees: a durable one, or an ephemeral model delta, which no log keeps. */
export type LiveEvent = RuntimeEvent | DeltaEvent;

/** A piece of a model's answer as it arrives; `model.discarded` and `model.interrupted` revoke all pieces of a key. */
export interface DeltaEvent {
  readonly v: typeof EVENT_VERSION;
  readonly type: 'model.delta';
  readonly at: number;
  readonly runId: string;
  readonly path: string;
  readonly agent: string;
  readonly step?: number | undefined;
  readonly key: string;
  /**
   * Length of this text, this reasoning or these arguments that was sent before, in UTF-16 units: a reader that has
   * less did not keep up, and one that has more has joined again, and is given all of it once more. Absent in what 0.1
   * recorded.
   */
  readonly offset?: number | undefined;
  readonly delta: ModelDelta;
}

/** The type of an event. */
export type EventType = LiveEvent['type'];

/** The event of one type. */
export type EventOf<Type extends EventType> = Extract<LiveEvent, { type: Type }>;

/** The types of all durable events. */
export const eventTypes = onDemand(
  (): ReadonlySet<unknown> => new Set(durableEventSchema.options.map(({ shape }) => shape.type.value)),
);

/** The types of all events, also of those that no run records. */
export const liveEventTypes = onDemand((): readonly EventType[] => [
  ...durableEventSchema.options.map(({ shape }) => shape.type.value),
  'model.delta',
  'observer.dropped',
]);

type Base = ReturnType<typeof eventShape>['base'];

/** Fields that the runtime sets on every event: an event body must not contain them. */
type Envelope = { readonly [Field in Exclude<keyof Base, 'phase'>]?: never };

/**
 * The body of an event of each type, beside the fields that the runtime sets (who, when, where): a field of such a name
 * would overwrite them.
 */
export type EventBody = {
  [Type in RuntimeEvent['type']]: Omit<Extract<RuntimeEvent, { type: Type }>, keyof Base> &
    Envelope &
    (Type extends 'phase.entered' ? { phase: string } : { phase?: never });
}[RuntimeEvent['type']];

/**
 * A named observer of some events. It can look, not touch: an error is reported as `observer.failed`, a call longer
 * than `timeoutMs` is abandoned, and the run waits for neither.
 */
export interface Hook<Type extends EventType = EventType> {
  readonly name: string;
  /** Default: every event. */
  readonly on?: readonly Type[] | Type | undefined;
  /** Higher is called first; equal ones in the order given. Default 0. */
  readonly priority?: number | undefined;
  /** True if it reads model requests, by `scope.sent`: they are kept for it from the first call on. Default false. */
  readonly wantsRequests?: boolean | undefined;
  /** In ms. Default 5,000; `Infinity` for no limit. */
  readonly timeoutMs?: number | undefined;
  handle(event: EventOf<Type>, scope: HookScope): void | Promise<void>;
  /**
   * Called once the run is over, after the last event, to pass on anything buffered. The run's result waits for it for
   * at most `timeoutMs`, and does not depend on it.
   */
  flush?(runId: string): void | Promise<void>;
}

/** The facilities that a hook may use beside the event; those that the caller of the run did not provide are absent. */
export interface HookScope {
  /** The `context` that the caller of the run passed; validate it before use. */
  readonly context?: unknown;
  /** The conversation that the run belongs to, if any. */
  readonly thread?: string | undefined;
  /** The run's own. */
  readonly clock?: Clock | undefined;
  /** Reports a failure of earlier, asynchronous work (`observer.failed`). */
  readonly failed?: ((error: unknown) => void) | undefined;
  /** The request that the call of a key sent to its model, and the raw answer; for hooks with `wantsRequests`. */
  readonly sent?: SentSource | undefined;
  /** Reports the number of events that it dropped (`observer.dropped`). */
  readonly dropped?: ((count: number) => void) | undefined;
  /**
   * True for an event that is on record from before this process took the run: a run that is resumed or forked repeats these from the
   * first, and a hook that counts must leave them out. The first event of a fork is its own.
   */
  readonly isRepeated?: ((event: LiveEvent) => boolean) | undefined;
}
