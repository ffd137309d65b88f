import * as z from 'zod';
import { coordinationEvents } from './coordination-event.ts';
import type { CritiquePatch } from './critique.ts';
import type { BranchTaken } from './decision.ts';
import type { Clock } from './clock.ts';
import { isJsonObject } from './json.ts';
import type { StepRecord } from './run.ts';
import type { ModelDelta } from './model.ts';
import { onDemand } from './on-demand.ts';
import type { FailureReport } from './recovery.ts';
import { budgetKinds } from './budget.ts';
import { EVENT_VERSION, eventShape } from './event-shape.ts';
import { errorSchema, usageSchema } from './error-schema.ts';
import { aboutPerson } from './request-schema.ts';
import type { SentSource } from './sent-request.ts';
import { rawAnswerSchema, sentRequestSchema } from './sent-request.ts';
import { schemaOnDemand } from './schema-on-demand.ts';
import { taskSchema } from './task.ts';
import { totalsSchema } from './totals-schema.ts';

export { EVENT_VERSION };

/** Checks whether a value fits, by a schema that is made when it is first asked. */
const fitting = (make: () => z.ZodType): ((value: unknown) => boolean) => {
  const schema = onDemand(make);
  return (value) => schema().safeParse(value).success;
};

/**
 * Every durable event, as one schema. `path` says who, `type` says what; `run.started` is the first of a run,
 * `run.ended` the last, and there is exactly one of each.
 */
export const runtimeEventSchema = schemaOnDemand(() => {
  const { base, count, event, json, status, stopReason, text } = eventShape();
  const error = errorSchema();
  const usage = usageSchema();
  const totals = totalsSchema();
  const about = aboutPerson();
  const call = { callId: text, tool: text };
  /** What an attempt is taken to have used that did not come to an answer; without a cost where the price is not known. */
  const wasted = { usage: usage.optional(), costUsd: z.number().nonnegative().optional() };
  // The record's parts were checked when they came in; what is read back is checked for being one at all.
  const isStepRecord = fitting(() => z.looseObject({ step: count, path: text, agent: text }));
  const isBranch = fitting(() =>
    z.object({ candidates: z.array(z.looseObject({})).min(1), chosen: z.array(count).min(1) }),
  );
  const isReport = fitting(() =>
    z.object({ failures: z.array(z.looseObject({ code: text, decision: text })), omitted: count }),
  );
  return z.discriminatedUnion('type', [
    event('run.started', {
      input: json,
      /** What the run is about, read and checked; absent where it was given no task, or one that is unfit. */
      task: taskSchema.optional(),
      model: text.optional(),
      isLanguageModel: z.boolean().optional(),
    }),
    event('run.paused', {}),
    event('run.resumed', {}),
    event('run.ended', {
      status,
      stopReason,
      output: json.optional(),
      /** The agent never said that it was done. */
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
      /** Who said it: the one that objected, or the first. */
      critic: text.optional(),
      /** What critics changed, taken together. */
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
      /** What the agent has said so far, where that was not accepted. */
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
      /** What was sent; in what keeps it (recordings, traces), never in the run's own log. */
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
      /** What came back beside this, as it came; in what keeps it, never in the run's own log. */
      raw: rawAnswerSchema.optional(),
    }),
    event('model.retrying', { model: text, attempt: count, waitMs: z.number(), error }),
    /** A stream broke; its text is kept, and the next attempt goes on from there. */
    event('model.interrupted', { model: text, key: text, text, ...wasted }),
    event('model.discarded', { model: text, key: text, characters: count, ...wasted }),
    event('model.failed', { model: text, key: text, error }),
    event('model.fellBack', { from: text, to: text, error }),
    event('model.swapped', { to: text }),
    /** A text of the model or of a tool was too long for the conversation: its head stays there, the whole is an artifact of the run. */
    event('text.spilled', { artifact: text, characters: count }),
    event('session.lost', { backend: text, reason: text }),

    event('context.warned', { tokens: z.number(), soft: z.number() }),
    event('context.compacted', {
      before: z.number(),
      after: z.number(),
      /** Turns that are left, of all in the conversation. */
      shown: count,
      of: count,
      /** What it took beyond the mildest way, in order. */
      rungs: z.array(text),
      isSummarised: z.boolean(),
      /** What the summary cost, and who made it; without `costUsd` nobody knows the price. */
      usage: usage.optional(),
      summariser: text.optional(),
      costUsd: z.number().optional(),
    }),
    event('context.summary-failed', { error }),

    event('memory.recalled', { query: text, records: count }),
    event('memory.failed', { memory: text, work: z.enum(['open', 'recall', 'remember', 'release']), error }),

    event('tool.requested', { ...call, input: json }),
    event('tool.approval-requested', about.call),
    event('tool.ambiguous', about.call),
    event('tool.approved', about.approved),
    event('tool.denied', about.denied),
    event('tool.started', {
      ...call,
      input: json,
      description: text,
      attempt: count,
      synthesised: z.boolean().optional(),
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
      /** Written by the runtime as the tool itself never came to an end. */
      synthesised: z.boolean().optional(),
    }),
    event('tool.added', { tool: text }),
    event('tool.removed', { tool: text }),
    event('tool.deprecated', { tool: text, reason: text, replacedBy: text.optional() }),
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
      /** The error that it was being told of. */
      about: error.optional(),
    }),
    event('observer.dropped', { observer: text, count }),
    /** Something of an app's own, as a tool or a team told it; `name` says what, as in `shop.ordered`. */
    event('custom.emitted', { name: text, data: json }),
  ]);
});

/** A durable event: it has a place (`seq`) in the run's log. */
export type RuntimeEvent = z.infer<typeof runtimeEventSchema>;

/** What a live observer sees: the log, and the ephemeral deltas of models, which no log keeps. */
export type LiveEvent = RuntimeEvent | DeltaEvent;

/** A piece of a model's answer as it arrives; `model.discarded` and `model.interrupted` take all of a key back. */
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
   * How much of this text, this reasoning or these arguments was told before, in UTF-16 units: whoever has less has missed a piece, as
   * they came late or did not keep up. Absent in what 0.1 recorded.
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
  (): ReadonlySet<unknown> => new Set(runtimeEventSchema.options.map(({ shape }) => shape.type.value)),
);

type Base = ReturnType<typeof eventShape>['base'];

/** What the runtime says of every event: no event says it of itself. */
type Envelope = { readonly [Field in Exclude<keyof Base, 'phase'>]?: never };

/**
 * What makes an event of each type, beside what the runtime knows (who, when, where): a field of that name in a body would stand in
 * its place.
 */
export type EventBody = {
  [Type in RuntimeEvent['type']]: Omit<Extract<RuntimeEvent, { type: Type }>, keyof Base> &
    Envelope &
    (Type extends 'phase.entered' ? { phase: string } : { phase?: never });
}[RuntimeEvent['type']];

/**
 * A named observer of some events. It can look, not touch: what it throws is reported as `observer.failed`, what
 * takes longer than `timeoutMs` is given up on, and the run waits for neither.
 */
export interface Hook<Type extends EventType = EventType> {
  readonly name: string;
  /** Default: every event. */
  readonly on?: readonly Type[] | Type | undefined;
  /** Higher is served first; equal ones in the order given. Default 0. */
  readonly priority?: number | undefined;
  /** It reads what models were sent, by `scope.sent`: kept for it from the first call on. Default false. */
  readonly wantsRequests?: boolean | undefined;
  /** In ms. Default 5,000; `Infinity` waits as long as it takes. */
  readonly timeoutMs?: number | undefined;
  handle(event: EventOf<Type>, scope: HookScope): void | Promise<void>;
  /**
   * Called once the run is over, after the last event: what it still has to pass on. The run's result waits for it, but at
   * most `timeoutMs`, and is what it is whatever comes of it.
   */
  flush?(runId: string): void | Promise<void>;
}

/** What a hook may use beside the event; a run gives it all of it, but for what its caller did not give. */
export interface HookScope {
  /** What the caller of the run gave as `context`: check what it is before use. */
  readonly context?: unknown;
  /** The conversation that the run belongs to, where it was given one. */
  readonly thread?: string | undefined;
  /** The run's own. */
  readonly clock?: Clock | undefined;
  /** Says that it failed at what it began earlier (`observer.failed`). */
  readonly failed?: ((error: unknown) => void) | undefined;
  /** What the call of that key sent its model, and what it gave, of a hook that wants them. */
  readonly sent?: SentSource | undefined;
  /** Says that it lost so many events (`observer.dropped`). */
  readonly dropped?: ((count: number) => void) | undefined;
}
