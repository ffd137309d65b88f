import type { Approver } from '../people/approval-terms.ts';
import type { WithdrawnRequest } from '../people/request.ts';
import type { Json } from '../../base/json/json.ts';
import type { BranchTaken } from '../agents/decision.ts';
import type { CritiquePatch } from '../agents/critique.ts';
import type { FailureReport } from '../agents/recovery.ts';
import type { StopReason } from '../agents/stop-reason.ts';
import type { ErrorData } from '../errors/error-data.ts';
import type { DropReason } from '../messages/message.ts';
import type { ProviderCall } from '../models/provider-call.ts';
import type { RawAnswer, SentRequest } from '../models/sent-request.ts';
import type { CachedUse, Usage } from '../models/usage.ts';
import type { BudgetKind } from '../runs/budget.ts';
import type { RunTotals } from '../runs/run-totals.ts';
import type { RunStatus } from '../runs/run-status.ts';
import type { StepRecord } from '../runs/step-record.ts';
import type { Task } from '../tasks/task.ts';
import type { ClientToolTerms } from '../tools/client-tool.ts';
import type { EVENT_VERSION } from './event-version.ts';
import type { CallAllowed, CallDenied, PersonCall, PersonQuestion, ToolCalled } from './person-event.ts';
import type { TextEvents } from './text-event.ts';
import type { ToolsetEvents } from './toolset-event.ts';

/** The fields that every event has. */
export interface EventFrame {
  readonly v: typeof EVENT_VERSION;
  /** From 0, without gaps, over the whole run. */
  readonly seq: number;
  /** By the run's clock, ms since 1970; never falls. */
  readonly at: number;
  readonly runId: string;
  /** Address of the actor: `desk/researcher-1`. */
  readonly path: string;
  readonly agent: string;
  readonly step?: number | undefined;
  readonly phase?: string | undefined;
}

/** A stop reason as it is read back: its kind is known, its data is not. */
type EventStopReason = { readonly [field: string]: unknown; readonly kind: StopReason['kind'] };

/** Estimated use of an attempt that did not produce an answer; without a cost if the price is not known. */
interface Wasted {
  readonly usage?: Usage | undefined;
  readonly costUsd?: number | undefined;
}

/** An offer to do a piece of work. */
interface Offer {
  readonly member: string;
  readonly cost: number;
  readonly confidence: number;
  readonly estimateMs: number | null;
}

/** The data of each type of durable event, beside the fields of its frame. */
interface EventData extends TextEvents, ToolsetEvents {
  'run.started': {
    readonly input: Json;
    /** The tenant of the run, as `by` of its engine names it. */
    readonly tenant?: string | undefined;
    /** The task of the run, read and validated; absent if there is none, or an invalid one. */
    readonly task?: Task | undefined;
    readonly model?: string | undefined;
    readonly isLanguageModel?: boolean | undefined;
  };
  'run.paused': object;
  'run.resumed': object;
  'run.ended': {
    readonly status: RunStatus;
    readonly stopReason: EventStopReason;
    readonly output?: Json | undefined;
    /** True if the agent never declared itself done. */
    readonly autoCompleted?: true | undefined;
    readonly error?: ErrorData | undefined;
    readonly report?: FailureReport | undefined;
    readonly totals: RunTotals;
  };
  'phase.entered': { readonly phase: string };
  'agent.prepared': { readonly problems: readonly ErrorData[] };
  'agent.observed': { readonly observation?: Json | undefined; readonly messages: number };
  'agent.decided': {
    readonly decision: { readonly [key: string]: unknown; readonly kind: string };
    readonly branch?: BranchTaken | undefined;
  };
  'agent.acted': { readonly ok: number; readonly failed: number };
  'agent.reduced': {
    readonly diff: Record<string, { readonly before?: Json | undefined; readonly after?: Json | undefined }>;
  };
  'agent.critiqued': {
    readonly verdict: 'accept' | 'revise' | 'stop';
    readonly note?: string | undefined;
    /** The critic's name: the one that objected, or the first. */
    readonly critic?: string | undefined;
    /** The combined changes of all critics. */
    readonly patch?: CritiquePatch | undefined;
  };
  'agent.checked': { readonly stopReason?: EventStopReason | undefined };
  'agent.reminded': { readonly text: string; readonly times: number };
  'agent.auto-completed': { readonly text: string; readonly times: number };
  'loop.warned': { readonly period: number; readonly repeats: number; readonly tools: readonly string[] };
  'limit.neared': {
    readonly rule: string;
    /** The fraction of the limit that is used. */
    readonly used: number;
    readonly stage: 'warned' | 'wrappingUp';
    /** The agent's answer so far, where it was not accepted. */
    readonly partial?: string | undefined;
  };
  'agent.waiting': { readonly reason?: string | undefined; readonly forMs?: number | undefined };
  'step.ended': { readonly record: StepRecord };
  'recovery.decided': {
    readonly error: ErrorData;
    readonly decision: 'retry' | 'skip' | 'replace' | 'giveUp';
    readonly streak: number;
    readonly limit: number;
    readonly note?: string | undefined;
  };
  'critic.failed': { readonly critic: string; readonly error: ErrorData };
  'model.asked': {
    readonly model: string;
    readonly key: string;
    readonly messages: number;
    readonly attempt: number;
    /** The request as sent; kept in recordings and traces, never in the run's own log. */
    readonly request?: SentRequest | undefined;
  };
  'model.answered': {
    readonly model: string;
    readonly key: string;
    readonly text: string;
    readonly reasoning?: string | undefined;
    readonly calls: number;
    readonly finish: string;
    readonly usage: Usage;
    /** In US dollars; absent where the price is not known. */
    readonly costUsd?: number | undefined;
    readonly durationMs: number;
    /** Answered from an equal call, which took that: the model was not asked. */
    readonly cached?: (CachedUse & { readonly costUsd?: number | undefined }) | undefined;
    /** Calls of tools that the provider ran itself. */
    readonly providerCalls?: readonly ProviderCall[] | undefined;
    /** Settings that the model does not take, each with the reason; reported once for each run and model. */
    readonly omitted?: Readonly<Record<string, string>> | undefined;
    /** The raw answer; kept in recordings and traces, never in the run's own log. */
    readonly raw?: RawAnswer | undefined;
  };
  'model.retrying': {
    readonly model: string;
    readonly attempt: number;
    readonly waitMs: number;
    readonly error: ErrorData;
  };
  /** A stream broke; its text is kept, and the next attempt continues it. */
  'model.interrupted': Wasted & { readonly model: string; readonly key: string; readonly text: string };
  'model.discarded': Wasted & { readonly model: string; readonly key: string; readonly characters: number };
  'model.failed': { readonly model: string; readonly key: string; readonly error: ErrorData };
  'model.fell-back': { readonly from: string; readonly to: string; readonly error: ErrorData };
  'model.swapped': { readonly to: string };
  'session.lost': { readonly strategy: string; readonly reason: string };
  'context.warned': { readonly tokens: number; readonly soft: number };
  'context.compacted': {
    readonly before: number;
    readonly after: number;
    /** Turns that are left, of all in the conversation. */
    readonly shown: number;
    readonly of: number;
    /** The steps taken beyond the mildest one, in order. */
    readonly rungs: readonly string[];
    readonly isSummarised: boolean;
    /** Cost and author of the summary; without `costUsd` the price is not known. */
    readonly usage?: Usage | undefined;
    readonly summariser?: string | undefined;
    readonly costUsd?: number | undefined;
  };
  'context.summary-failed': { readonly error: ErrorData };
  'memory.recalled': { readonly query: string; readonly records: number };
  'memory.failed': {
    readonly memory: string;
    readonly work: 'open' | 'recall' | 'remember' | 'release';
    readonly error: ErrorData;
  };
  'tool.requested': ToolCalled & { readonly input: Json };
  'tool.approval-requested': PersonCall;
  /** One of several people has approved the call: it waits for the others. */
  'tool.approval-given': ToolCalled & { readonly id: string; readonly by: Approver };
  'tool.ambiguous': PersonCall;
  'tool.approved': CallAllowed;
  'tool.denied': CallDenied;
  'tool.started': ToolCalled & {
    readonly input: Json;
    readonly description: string;
    readonly attempt: number;
    readonly synthesised?: boolean | undefined;
    /** The name of the rule that allowed it. */
    readonly rule?: string | undefined;
  };
  'tool.progressed': ToolCalled & { readonly text: string };
  'tool.retrying': ToolCalled & {
    readonly attempt: number;
    readonly waitMs: number;
    readonly error: ErrorData;
  };
  'tool.finished': ToolCalled & {
    readonly ok: boolean;
    readonly text: string;
    readonly durationMs: number;
    readonly error?: ErrorData | undefined;
    readonly artifacts?: readonly string[] | undefined;
    /** Answered from an equal call of the run: the tool did not run. */
    readonly cached?: boolean | undefined;
    /** True if the runtime wrote this event because the tool never finished. */
    readonly synthesised?: boolean | undefined;
  };
  'tool.added': {
    readonly tool: string;
    /** Of a tool that a client runs, all that it is made of: a resumed run has it again. Any other is code. */
    readonly client?: ClientToolTerms | undefined;
  };
  'tool.removed': { readonly tool: string };
  'tool.deprecated': {
    readonly tool: string;
    readonly reason: string;
    readonly replacedBy?: string | undefined;
  };
  'budget.warned': {
    readonly budget: BudgetKind;
    readonly limit: number;
    readonly used: number;
    readonly fraction: number;
  };
  'person.asked': PersonQuestion;
  'person.answered': { readonly id: string; readonly text: string };
  'request.withdrawn': WithdrawnRequest;
  'answer.refused': {
    readonly id?: string | undefined;
    readonly reason: string;
    /** The person whose answer it was, where it says so. */
    readonly by?: Approver | undefined;
  };
  'observer.failed': {
    readonly observer: string;
    readonly error: ErrorData;
    /** The error that was being reported. */
    readonly about?: ErrorData | undefined;
  };
  'observer.dropped': { readonly observer: string; readonly count: number };
  /** A custom event of an app, emitted by a tool or a team; `name` identifies it, as in `shop.ordered`. */
  'custom.emitted': { readonly name: string; readonly data: Json };
  'message.sent': {
    readonly to: string;
    readonly from: string;
    readonly text: string;
    readonly id?: string | undefined;
    readonly sender?: string | undefined;
    readonly kind?: string | undefined;
    readonly topic?: string | undefined;
    readonly data?: Json | undefined;
    readonly correlation?: string | undefined;
    readonly causation?: string | undefined;
    readonly wantsReply?: true | undefined;
  };
  'message.dropped': {
    readonly to: string;
    readonly from: string;
    readonly text: string;
    readonly reason: DropReason;
    readonly id?: string | undefined;
    readonly count?: number | undefined;
  };
  'member.engaged': { readonly member: string };
  'member.ended': {
    readonly member: string;
    readonly status: RunStatus;
    readonly stopReason: EventStopReason;
    readonly error?: ErrorData | undefined;
    readonly autoCompleted?: true | undefined;
  };
  /** A member failed: what its supervisor does about it, and after how long. */
  'child.supervised': {
    readonly member: string;
    readonly child: string;
    readonly failure: string;
    readonly directive: string;
    readonly waitMs?: number | undefined;
    /** The members whose work starts over. */
    readonly members: readonly string[];
    /** Their addresses before. */
    readonly children: readonly string[];
    readonly error?: ErrorData | undefined;
  };
  /** A member starts over; `of` is its former address. */
  'child.restarted': {
    readonly member: string;
    readonly child: string;
    readonly of: string;
    readonly restarts: number;
  };
  /** A task that repeatedly failed in the same way is given up. */
  'child.quarantined': {
    readonly member: string;
    readonly child: string;
    readonly task: Json;
    readonly error?: ErrorData | undefined;
  };
  /** An agent beyond the allowed number was requested; the requester sees a failure. */
  'member.refused': {
    readonly member: string;
    readonly limit: 'maxDepth' | 'maxChildren' | 'maxAgents';
    readonly reason: string;
  };
  /** A router assigned the task; the ranking lists the fallbacks in order. */
  'route.chosen': {
    readonly member: string;
    readonly strategy: string;
    readonly ranking: readonly { readonly member: string; readonly score: number | null }[];
  };
  /** A router could not choose as configured and falls back to the given order. */
  'route.degraded': { readonly reason: string };
  /** The task moves on to the next best member, or to a higher tier. */
  'route.changed': { readonly from: string; readonly to: string; readonly reason: string };
  /** An agent delegated work and continues meanwhile. */
  'delegation.began': {
    readonly id: string;
    readonly to: string;
    readonly child: string;
    readonly follows?: true | undefined;
  };
  'delegation.returned': {
    readonly id: string;
    readonly to: string;
    readonly child: string;
    readonly status: RunStatus;
  };
  /** A member handed over its task, and the receiver starts. */
  'task.handed-over': {
    readonly from: string;
    readonly to: string;
    readonly sees: string;
    readonly message?: string | undefined;
  };
  /** A handoff was refused, and the member notified of the reason. */
  'handoff.refused': { readonly from: string; readonly to: string; readonly reason: string };
  'team.planned': { readonly assignments: readonly { readonly member: string; readonly task: string }[] };
  'team.noted': { readonly text: string };
  /**
   * A stage of a pipeline failed and the pipeline continues: without its output, with a fallback value, or with
   * another agent.
   */
  'stage.failed': {
    readonly stage: number;
    readonly member: string;
    readonly message: string;
    readonly rule: string;
  };
  'bid.made': Offer;
  /** The work was awarded, by the rule or by a manager's decision. */
  'contract.awarded': Offer & { readonly byRule: boolean };
  /** An agent posted a finding on a blackboard. */
  'insight.shared': {
    readonly member: string;
    readonly content: string;
    readonly tags: readonly string[];
    readonly importance: number;
    readonly segment: string;
  };
  /** A worker's result was reviewed; `accepted` is null if the reviewer failed. */
  'work.reviewed': {
    readonly member: string;
    readonly task: string;
    readonly accepted: boolean | null;
    readonly reason: string;
  };
  /** A task is repeated: by the same member, as the result was not good enough, or by another one. */
  'work.reassigned': {
    readonly task: string;
    readonly from: string;
    readonly to: string;
    readonly reason: string;
  };
  /** A task is not assigned to anybody any more. */
  'work.refused': { readonly member: string; readonly task: string; readonly reason: string };
}

/** A durable event, with a place (`seq`) in the run's log: `run.started` is the first of a run, `run.ended` the last. */
export type RuntimeEvent = {
  [Type in keyof EventData]: EventFrame & { readonly type: Type } & EventData[Type];
}[keyof EventData];
