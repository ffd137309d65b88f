import type { Observable } from 'rxjs';
import type { Budget } from './budget.ts';
import type { SaidCritique } from '../agents/critique.ts';
import type { BranchTaken, TakenDecision } from '../agents/decision.ts';
import type { ErrorData } from '../errors/error.ts';
import type { Hook, LiveEvent, RuntimeEvent } from '../events/event.ts';
import type { JournalStore } from '../journals/journal.ts';
import type { Inspect } from '../events/inspection.ts';
import type { Json } from '../../base/json/json.ts';
import type { LogSink } from '../events/log.ts';
import type { Model } from '../models/model.ts';
import type { DeadLetter, Message, MessageLimits, Terminated } from '../messages/message.ts';
import type { ModelChoice } from '../agents/agent.ts';
import type { FailureReport } from '../agents/recovery.ts';
import type { ApprovalRequest, OpenRequest, RequestOptions } from '../people/request.ts';
import type { Prices } from '../models/prices.ts';
import type { ToolExecutor } from '../tools/executor.ts';
import type { SafetyStrategy } from '../tools/safety.ts';
import type { AbortOptions, SuspendOptions } from './run-control.ts';
import type { Secrets } from '../secrets/redactor.ts';
import type { StopReason, Tally } from '../agents/stop.ts';
import type { Threads } from '../conversations/thread.ts';
import type { Task, TaskInput } from '../tasks/task.ts';
import type { Artifact, Tool, ToolResult, Toolset } from '../tools/tool.ts';
import type { Turn } from '../conversations/transcript.ts';
import type { Clock } from '../../base/clock.ts';
import type { TreeLimits } from './tree-limits.ts';

/** The status of a finished run; every run ends in exactly one. */
export type RunStatus = 'completed' | 'stopped' | 'aborted' | 'failed';

/** One value of the agent's state that a step changed. */
export interface StateChange {
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** The record of one step, from OBSERVE to CHECK_STOP. */
export interface StepRecord {
  /** From 0, within its agent. */
  readonly step: number;
  readonly path: string;
  readonly agent: string;
  readonly observation?: Json | undefined;
  readonly decision?: TakenDecision | undefined;
  /** The branch that the decision was picked from, where it was. */
  readonly branch?: BranchTaken | undefined;
  readonly results: readonly ToolResult[];
  readonly critiques: readonly SaidCritique[];
  /** The keys of the state that changed; empty where none did. */
  readonly diff: Readonly<Record<string, StateChange>>;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The result of an actor: plain JSON, and the `output` of its XState actor. */
export interface Outcome<Output = Json> {
  readonly status: RunStatus;
  /** The accepted answer; absent unless `status` is `completed`. */
  readonly output?: Output | undefined;
  /** The answer that critics rejected to the last, kept but not accepted. */
  readonly candidate?: Json | undefined;
  /** True if the agent never declared itself done and its last text was taken as its answer. */
  readonly autoCompleted?: true | undefined;
  readonly stopReason: StopReason;
  readonly error?: ErrorData | undefined;
  /** Failures and how they were handled; absent if there were none. */
  readonly report?: FailureReport | undefined;
  readonly steps: number;
  readonly state: Json;
  readonly tally: Tally;
  /** The conversation, if it can be continued; only its latter half, if it had become too long. */
  readonly conversation?: readonly Turn[] | undefined;
}

/** Resources used by a whole run, children included; `modelCalls` counts every request, failed ones too. */
export interface RunTotals {
  readonly steps: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly retries: number;
  readonly durationMs: number;
  /**
   * In US dollars; undefined as soon as the price of one call is unknown. A model that is not a language model costs
   * nothing.
   */
  readonly costUsd?: number | undefined;
  /** Models whose price is unknown, if any. */
  readonly unpriced?: readonly string[] | undefined;
  /** Number of model calls whose tokens were estimated, as the provider did not report them; absent if there are none. */
  readonly estimated?: number | undefined;
}

/** The result of a run. `output` is present only if the run completed: a limit or a critic may have ended it first. */
export interface RunResult<Output = Json, State = Json> {
  readonly runId: string;
  /** The task of the run, read and validated; absent if there is none, or an invalid one. */
  readonly task?: Task | undefined;
  readonly status: RunStatus;
  readonly output: Output | undefined;
  readonly candidate: Json | undefined;
  /**
   * The whole conversation of the run, from the history that it continued to its answer, each call with its result:
   * what its models were shown, before anything was omitted. Pass it as `history` to continue in another run. Made when
   * read. Empty for a team: each of its members has a conversation of its own.
   */
  readonly transcript: readonly Turn[];
  /** The conversation of a child whose terms ask for it. */
  readonly conversation?: readonly Turn[] | undefined;
  /** True if the agent never declared itself done and its last text was taken as its answer. */
  readonly autoCompleted?: true | undefined;
  readonly stopReason: StopReason;
  readonly error: ErrorData | undefined;
  /** Failures and how they were handled; absent if there were none. */
  readonly report?: FailureReport | undefined;
  readonly state: State;
  /** The root agent's steps, in order; children have theirs in the events `step.ended`. */
  readonly records: readonly StepRecord[];
  readonly events: readonly RuntimeEvent[];
  readonly artifacts: readonly Artifact[];
  readonly totals: RunTotals;
  /** Every effect of the run, by key, with its result. */
  readonly effects: readonly EffectRecord[];
}

/** Intent and result of one effect. */
export interface EffectRecord {
  readonly key: string;
  readonly port: string;
  readonly path: string;
  readonly askedAt: number;
  /** `late`: answered after it was withdrawn. */
  readonly state: 'asked' | 'answered' | 'failed' | 'withdrawn' | 'late';
  readonly output?: unknown;
}

/** A resource shared between runs. */
export interface SharedResource {
  /** The model as this run is to ask it: it may have to wait for others, or be refused. */
  around?(model: Model): Model;
}

/** Options of a run. */
export interface RunOptions {
  /** Default: a random UUID. Must be unique among the current runs of one engine. */
  readonly runId?: string | undefined;
  readonly model?: ModelChoice | undefined;
  /** Aborting it aborts the run. */
  readonly signal?: AbortSignal | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  /**
   * Secrets by name, in addition to those of the process's environment: events, errors, threads and stored journals
   * contain `[redacted NAME]`, or a reference to the name, in their place. Tools and models receive the real values.
   *
   * Resuming a stored run needs the same secrets, else it is refused with `secret.missing`.
   */
  readonly secrets?: Secrets | undefined;
  /**
   * Encrypts fields that a schema marks as secret (`writeOnly: true`, `format: 'password'`) in a stored run, and in the
   * states of its thread: 32 bytes in base64 or hexadecimal digits, as `openssl rand -base64 32` prints; or a list of
   * such keys, of which the first encrypts and each decrypts. Default: the variable `TROUPE_SECRET_KEY`.
   *
   * A stored run with such fields is refused with `secret.missing` if there is no key, `secret.wrong-key` if it does
   * not match, and `secret.invalid` if it is malformed; the same holds on resume.
   */
  readonly secretKey?: string | readonly string[] | undefined;
  /** Receives every error, once for each event that reports one. */
  readonly log?: LogSink | undefined;
  readonly clock?: Clock | undefined;
  /** Answers questions and approvals in place of `handle.reply` and `handle.approve`. */
  readonly person?: Person | undefined;
  /** The time that people may take. */
  readonly requests?: RequestOptions | undefined;
  /** Maximum number of concurrent effects in the whole run, at least 1. Default: no limit beyond those of tools. */
  readonly concurrency?: number | undefined;
  /** Earlier turns of the conversation to continue, tool cycles included; members of a team see them, too. */
  readonly history?: readonly Turn[] | undefined;
  /**
   * Name of the conversation that this run belongs to: its runs share memories of scope `thread`, and continue sessions
   * of external engines. Default: the run is a thread of its own.
   *
   * With storage for threads (`threads`, or else `store`), the run continues the thread's conversation, unless it is
   * given a `history`, and appends its input, each call with its result, and its answer or how it ended. The agent's
   * option `conversation.compaction` controls how much of it is shown. Its agents start with their last states in the thread.
   */
  readonly thread?: string | undefined;
  /** Storage of threads; see `threads` of `troupe/memory`. Default: the run's `store`, if there is one. */
  readonly threads?: Threads | undefined;
  /** Decides for every tool call whether it may run. */
  readonly safety?: SafetyStrategy | undefined;
  /** Executes every tool call of the run. Default: each tool executes its own. */
  readonly executor?: ToolExecutor | undefined;
  /**
   * A value for tools, hooks, critics, safety strategies and the agent's own functions (tenant, trace, transaction …):
   * passed on unchanged, to this run only. It is not part of the run's state, of any event or of any record.
   */
  readonly context?: unknown;
  /** The most that the run may use, all agents together; what it sets takes the place of the root agent's own budget. */
  readonly budget?: Budget | undefined;
  /** Limits on the number and depth of the run's agents; see {@link TreeLimits} for the defaults. */
  readonly limits?: TreeLimits | undefined;
  /**
   * The task of the run: a text, or an objective with constraints, inputs, resources, a budget and success criteria.
   *
   * It is validated before the first step, against the agent's environment, too: each problem (`task.invalid`,
   * `environment.unfit`) has the code and field in its `details`. The agent, or all members of a team, see it
   * before their input, which says what to do with it and may be `''`; criteria are not shown. Its budget overrides the
   * root's own, for this run only, and `budget` overrides both. See `evaluateTask`.
   */
  readonly task?: TaskInput | undefined;
  /** The limits on talk between agents of the run. */
  readonly messages?: MessageLimits | undefined;
  /** Prices of model calls. Default: `@pydantic/genai-prices`, if it is installed. */
  readonly prices?: Prices | undefined;
  /**
   * Stores the run as a journal: it can then be resumed, replayed and forked by its `runId`.
   *
   * Everything that comes into the run is committed before it takes effect; observers see what is committed.
   */
  readonly store?: JournalStore | undefined;
  /**
   * Wrap all models of the run, the first outermost; a run closes none of them. See `perProvider` of
   * `troupe/resources`.
   */
  readonly resources?: readonly SharedResource[] | undefined;
  /** An XState inspector, or a recorder of `troupe/inspect`; it is wrapped, so that it cannot hurt the run. */
  readonly inspect?: Inspect | undefined;
  /** Start paused, to be stepped. */
  readonly paused?: boolean | undefined;
}

/** A turn of a conversation that a run continues. */
export interface EarlierTurn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** The speaker, if it was neither the user nor this agent; see `perspective` of `troupe/memory`. */
  readonly from?: string | undefined;
}

/** Answers in place of the user of a run. */
export interface Person {
  answer?(question: string, signal: AbortSignal): string | Promise<string>;
  /** True, false, or why not. */
  approve?(request: ApprovalRequest, signal: AbortSignal): boolean | string | Promise<boolean | string>;
}

/** A run in progress. Iterating yields its events; awaiting `result` works without iteration. */
export interface RunHandle<Output = Json, State = Json> extends AsyncIterable<LiveEvent> {
  readonly runId: string;
  /** Every event from now on, deltas included; replays what was missed since the start, but for deltas. */
  readonly events$: Observable<LiveEvent>;
  /** Rejects only if the run failed; limits, critics and aborts resolve with their stop reason. */
  readonly result: Promise<RunResult<Output, State>>;
  /** Holds the next effect at the gate; effects in flight continue. */
  pause(): void;
  resume(): void;
  /**
   * Continues to the next CHECK_STOP, or by one effect, then pauses again; resolves when it is paused or the run has
   * ended.
   */
  step(unit?: 'step' | 'effect'): Promise<void>;
  /**
   * Delivers a message to the mailbox of the root, or of the agent at `path`. False if nobody is there, or the mailbox
   * is full; {@link deadLetters$} reports dropped messages.
   */
  send(message: string | Message, path?: string): boolean;
  /** Delivers like `send`; if the mailbox blocks, waits until there is room. False if nobody is there (any more). */
  sendWhenRoom(message: string | Message, path?: string): Promise<boolean>;
  /** Undelivered messages, with the reason: the last 10,000, then live ones. */
  readonly deadLetters$: Observable<DeadLetter>;
  /**
   * Resolves when the agent or team at `path` ends; also if it has ended already, or is not engaged yet. Rejects with
   * `agent.unknown` if the run is over and nobody was ever there.
   */
  watch(path: string): Promise<Terminated>;
  /** Open requests to people in the whole run, oldest first: those of members and of agents run by tools included. */
  readonly requests: readonly OpenRequest[];
  /**
   * Approves a call, by the id of its request or of the call. With `input`, it is made with these arguments, which its
   * tool validates. False if it does not wait for approval (any more), or the arguments are invalid.
   */
  approve(id: string, options?: { readonly input?: Json | undefined }): boolean;
  deny(id: string, reason?: string): boolean;
  /** Answers a question by the id of its request; without one, the oldest. False if there is none. */
  reply(text: string, id?: string): boolean;
  /** Swaps the model of the whole run from the next call on. */
  use(model: ModelChoice): void;
  /**
   * Adds tools to the root, or to the agent at `path`, from its next step on.
   *
   * Resolves with the problems found (`tool.duplicate`, `tool.invalid`, `tool.setup`, `agent.unknown`).
   */
  addTools(tools: readonly (Tool | Toolset)[], path?: string): Promise<readonly ErrorData[]>;
  /** Removes a tool, or a whole toolset, from the next step on; false if there is none of that name. */
  removeTool(name: string, path?: string): boolean;
  /**
   * Stops the subtree at `path`. Its supervisor sees a failure `agent.stopped` and applies its policy (`stopped`; by
   * default a restart). False if nobody is there, and for the root.
   */
  stop(path: string, reason?: string): boolean;
  /**
   * Ends the run within a tick, whatever models and tools do; with `after: 'step'`, once a step is finished and
   * committed (in a team: the first step of any agent to finish). The first reason counts.
   */
  abort(reason?: string, options?: AbortOptions): void;
  /**
   * Suspends a stored run, so that it can be resumed anywhere: starts nothing new, lets work in flight finish, and
   * commits everything. The result rejects with `run.suspended`. Rejects with `run.ended` for a finished run, and with
   * `journal.unknown` for one without a store.
   */
  suspend(options?: SuspendOptions): Promise<void>;
}
